import { freePort } from '@chairside/processes';
import {
  openTestStore,
  startDatabaseProxy,
  startProcess,
  testEngines,
  untilDispatching,
} from '@chairside/test-support';
import { expect, test } from 'vitest';

test('is live while it prepares the database, and ready when it dispatches', async () => {
  const proxy = await startDatabaseProxy(testEngines().mongodbUrl);
  const store = await openTestStore(proxy.url);
  const port = await freePort();
  const answered = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const removeFault = proxy.inject({
    matches() {
      asked.resolve();
      return true;
    },
    fault: { kind: 'delay', until: answered.promise },
  });
  const dispatcher = startProcess('webhook-dispatcher', {
    MONGODB_URL: store.url,
    REDIS_URL: testEngines().redisUrl,
    REDIS_PREFIX: store.redisPrefix,
    ENCRYPTION_KEYS: store.encryptionKeys,
    HEALTH_PORT: String(port),
  });
  const statusOf = async (check: string) => (await fetch(`http://127.0.0.1:${port}/health/${check}`)).status;
  await asked.promise;
  expect([await statusOf('live'), await statusOf('ready')]).toEqual([200, 503]);
  removeFault();
  answered.resolve();
  await untilDispatching(dispatcher);
  expect(await statusOf('ready')).toBe(200);
  await dispatcher.end('SIGTERM');
  await store.close();
  await proxy.close();
});
