import { UnusableDatabaseError } from '@chairside/startup';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestStore, type TestStore } from '../../test-support/src/index.ts';
import {
  checkForm,
  FORM,
  type FormDocument,
  inspectForm,
  storeForm,
} from '../src/preparation/database-form.ts';

let testStore: TestStore;
beforeAll(async () => {
  testStore = await openTestStore();
});
afterAll(() => testStore.close());
const stored = () => testStore.database.collection<FormDocument>('databaseForm');

const previous = FORM;
const next = { current: FORM.current + 1, oldestReader: FORM.current, oldestUpgradable: FORM.current };
const afterNext = { current: FORM.current + 2, oldestReader: next.current, oldestUpgradable: next.current };

test('versions that follow each other run side by side; one that cannot read the data refuses, and changes nothing', async () => {
  expect(await inspectForm(stored())).toEqual({ stored: FORM.current });
  await expect(checkForm(stored(), afterNext)).rejects.toThrow(
    /continues from form .* Start an earlier version first/,
  );

  await checkForm(stored(), next);
  await Promise.all([storeForm(stored(), next), storeForm(stored(), previous), storeForm(stored(), next)]);
  await checkForm(stored(), previous);
  await storeForm(stored(), previous);
  expect(await inspectForm(stored())).toEqual({ stored: next.current });

  await checkForm(stored(), afterNext);
  await storeForm(stored(), afterNext);
  const refused = await testStore.store.prepare().catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(UnusableDatabaseError);
  expect((refused as Error).message).toMatch(
    /has changed the form of this database to \d+\. .*Start version .* or later\./,
  );
  await expect(testStore.store.everyOrganization.administration.checkDatabase()).rejects.toThrow(
    /changed the form/,
  );
  await checkForm(stored(), next);
});
