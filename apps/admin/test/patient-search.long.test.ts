import { newId } from '@chairside/domain';
import { createPractice, openTestStore, type Practice, type TestStore } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminOf } from './admin.ts';

let testStore: TestStore;
let practice: Practice;
let cli: ReturnType<typeof adminOf>;
beforeAll(async () => {
  testStore = await openTestStore();
  practice = await createPractice(testStore.store);
  cli = adminOf(testStore);
  for (const name of ['Paradiesvogel', 'Paradiesapfel'])
    await practice.store.patients.create({
      ...{ _id: newId(), clinicId: practice.clinicIds[0], name },
      createdTime: new Date().toISOString(),
      lastEditTime: new Date().toISOString(),
    });
});
afterAll(() => testStore.close());

const search = (verb: string, id = practice.organizationId) => cli.run(['organization', 'search', verb, id]);
const tokens = () =>
  testStore.database.collection('patients').countDocuments({ searchTokens: { $exists: true } });

test('switches the search off and on, and prints numbers only', async () => {
  expect((await search('show')).json).toEqual({ state: 'on' });
  expect(await tokens()).toBe(2);
  const off = await search('off');
  expect(off).toMatchObject({ code: 0, json: { state: 'off', changed: 2 } });
  expect(await tokens()).toBe(0);
  expect((await search('show')).json).toEqual({ state: 'off' });
  expect((await search('off')).json).toMatchObject({ changed: 0 });
  const on = await search('on');
  expect(on).toMatchObject({ code: 0, json: { state: 'on', changed: 2, refused: [] } });
  expect(await tokens()).toBe(2);
  expect((await search('on')).json).toMatchObject({ changed: 0 });
  for (const { stdout, stderr } of [off, on])
    expect((stdout + stderr).toLowerCase()).not.toContain('paradies');
});

test('names patients that do not open, and exits with 1', async () => {
  await search('off');
  const patients = testStore.database.collection('patients');
  const [one, other] = await patients.find().toArray();
  await patients.updateOne({ _id: one?._id ?? '' }, { $set: { sealed: other?.sealed } });
  const { code, json } = await search('on');
  expect([code, json]).toEqual([
    1,
    { state: 'on', changed: 1, refused: [{ name: 'patients', _id: one?._id }] },
  ]);
});

test.each(['on', 'off', 'show'])('search %s knows no other organization', async (verb) => {
  const { code, stderr } = await search(verb, 'nobody');
  expect([code, stderr]).toEqual([1, expect.stringContaining('There is no organization nobody')]);
});

test('a verb and an organization are required', async () => {
  expect((await cli.run(['organization', 'search', 'on'])).code).toBe(2);
  expect((await cli.run(['organization', 'search'])).code).toBe(2);
});
