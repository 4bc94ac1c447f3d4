import { randomBytes } from 'node:crypto';
import { openStore } from '@chairside/mongodb';
import { expect, test } from 'vitest';
import { startRecordingReceiver } from '../../demo/test/recording-receiver.ts';
import { createWait } from '../src/wait.ts';
import { openTestDispatcher } from './dispatcher.ts';

test('a subscription whose secret cannot be decrypted waits for its key, and holds no other up', async () => {
  const dispatcher = await openTestDispatcher();
  const [readable, unreadable] = [await startRecordingReceiver(), await startRecordingReceiver()];
  const known = await dispatcher.subscribe(readable.url);
  const { url, encryptionKeys, practice } = dispatcher;
  const otherKey = `other:${randomBytes(32).toString('base64')}`;
  const rotated = openStore({ url, encryptionKeys: `${otherKey},${encryptionKeys}`, appName: 'test' });
  const sent = { clinicId: practice.clinicIds[0], url: unreadable.url, events: [], active: true };
  const strange = await rotated.organization(practice.organizationId).subscriptions.create(sent, new Date());
  const ids = [known._id, strange?._id ?? ''];
  const found = await dispatcher.store.everyOrganization.receivers.find(ids);
  expect(ids.map((id) => found.get(id))).toEqual([
    expect.objectContaining({ url: readable.url, secret: known.secret }),
    expect.any(Error),
  ]);

  const workers = dispatcher.start();
  const events = await dispatcher.createPatients(3);
  await readable.until((posts) => posts.length === 3);
  await dispatcher.untilLogged((logs) =>
    logs.some(({ err }) => /other.* is not in ENCRYPTION_KEYS/.test(JSON.stringify(err))),
  );
  expect(unreadable.posts).toEqual([]);

  await workers.stop(createWait().waitFor);
  dispatcher.start({}, { store: rotated });
  await unreadable.until((posts) => posts.length === 3);
  expect(unreadable.posts.map(({ json }) => json.id).sort()).toEqual(events.sort());
  expect(readable.posts).toHaveLength(3);

  await dispatcher.close();
  await rotated.close();
  await Promise.all([readable.close(), unreadable.close()]);
});
