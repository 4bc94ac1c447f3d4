import { freePort } from '@chairside/processes';
import {
  openTestStore,
  startDatabaseProxy,
  startProcess,
  testEngines,
  untilDispatching,
} from '@chairside/test-support';
import { expect, test } from 'vitest';

test('is live while it prepares the database, ready when it dispatches, and exposes metrics while the database hangs', async () => {
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

  // The readiness check waits for two seconds, and a scrape for less: it responds first, although it was sent later.
  const hung = Promise.withResolvers<void>();
  const removeHang = proxy.inject({ matches: () => true, fault: { kind: 'delay', until: hung.promise } });
  const responded: string[] = [];
  const check = statusOf('ready').then((status) => responded.push(`ready ${status}`));
  const scrape = fetch(`http://127.0.0.1:${port}/metrics`).then(async (response) => {
    responded.push(`metrics ${response.status}`);
    return response.text();
  });
  expect(await scrape).toContain('chairside_outage 0');
  await check;
  expect(responded).toEqual(['metrics 200', 'ready 503']);
  removeHang();
  hung.resolve();
  await dispatcher.end('SIGTERM');
  await store.close();
  await proxy.close();
});
