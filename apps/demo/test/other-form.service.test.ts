import { openTestStore } from '@chairside/test-support';
import { expect, test } from 'vitest';
import { DemoProblem } from '../src/problem.ts';
import { prepare } from '../src/start.ts';

test('data with the form of another version is refused with the command that deletes it', async () => {
  const testStore = await openTestStore();
  const forms = testStore.database.collection('databaseForm');
  await forms.updateOne({}, { $set: { form: 99, oldestReader: 99 } });
  const refused = await prepare(testStore.store).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(DemoProblem);
  expect((refused as Error).message).toMatch(/to 99\. .* run: npm run reset$/);
  await testStore.close();
});
