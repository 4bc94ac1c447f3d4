import { createPractice, openTestStore } from '@chairside/test-support';
import { expect, onTestFinished, test } from 'vitest';
import { adminOf } from './admin.ts';

test('doctor reports other bytes under the id of a key, and examines everything else', async () => {
  const testStore = await openTestStore();
  onTestFinished(() => testStore.close());
  const { clinicIds, store } = await createPractice(testStore.store);
  const lastEditTime = new Date().toISOString();
  await store.patients.create({
    _id: 'pat_1',
    clinicId: clinicIds[0],
    name: 'Ada',
    createdTime: lastEditTime,
    lastEditTime,
  });
  const [id] = testStore.encryptionKeys.split(':');
  const wrong = { ...testStore, encryptionKeys: `${id}:${Buffer.alloc(32, 9).toString('base64')}` };
  // On a busy machine, a check may have no result in time.
  await expect
    .poll(() => adminOf(wrong).run(['doctor']))
    .toMatchObject({
      code: 1,
      json: {
        verdicts: expect.arrayContaining([
          expect.objectContaining({
            check: 'encryption keys',
            ok: false,
            finding: expect.stringContaining('cannot decrypt everything: the check value'),
          }),
          expect.objectContaining({ check: 'indexes', ok: true }),
        ]),
      },
    });
});
