import { once } from 'node:events';
import { request } from 'node:http';
import {
  apiAddress,
  openTestStore,
  startApi,
  startDatabaseProxy,
  testEngines,
} from '@chairside/test-support';
import { expect, test } from 'vitest';

test('is live while it prepares the database, refuses requests until then, and ends if it is stopped', async () => {
  const proxy = await startDatabaseProxy(testEngines().mongodbUrl);
  const store = await openTestStore(proxy.url);
  const environment = {
    MONGODB_URL: store.url,
    REDIS_URL: testEngines().redisUrl,
    REDIS_PREFIX: store.redisPrefix,
    ENCRYPTION_KEYS: store.encryptionKeys,
  };
  const answered = Promise.withResolvers<void>();
  const removeFault = proxy.inject({
    matches: () => true,
    fault: { kind: 'delay', until: answered.promise },
  });
  const [api, stopped] = [startApi(environment), startApi(environment)];
  const { msg } = await api.logged(({ msg: text }) => /listening at/.test(text));
  const address = msg.slice(msg.indexOf('http://'));
  const responseOf = async (path: string) => {
    const response = await fetch(address + path);
    return [response.status, response.headers.get('retry-after')];
  };
  expect(await responseOf('/health/live')).toEqual([200, null]);
  for (const path of ['/health/ready', '/api/clinics', '/openapi.json'])
    expect([path, ...(await responseOf(path))]).toEqual([path, 503, '2']);

  await stopped.logged(({ msg: text }) => /listening at/.test(text));
  expect(await stopped.end('SIGTERM')).toBe(0);

  removeFault();
  answered.resolve();
  await api.logged(({ msg: text }) => text === 'ready');
  expect(await responseOf('/health/ready')).toEqual([200, null]);
  expect(await responseOf('/api/clinics')).toEqual([401, null]);
  expect(await api.end('SIGTERM')).toBe(0);
  await store.close();
  await proxy.close();
});

test('a second signal does not cut off the requests in flight', async () => {
  const store = await openTestStore();
  const api = startApi({
    MONGODB_URL: store.url,
    REDIS_URL: testEngines().redisUrl,
    REDIS_PREFIX: store.redisPrefix,
    ENCRYPTION_KEYS: store.encryptionKeys,
  });
  const asking = request(`${await apiAddress(api)}/api/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', expect: '100-continue' },
  });
  const responded = once(asking, 'response');
  asking.flushHeaders();
  // The api has the request, and waits for its body.
  await once(asking, 'continue');
  asking.write('{');
  api.send('SIGTERM');
  await api.logged(({ msg }) => msg === 'stopping');
  api.send('SIGTERM');
  api.send('SIGINT');
  asking.end('}');
  const [response] = await responded;
  expect(response.statusCode).toBe(400);
  response.resume();
  expect(await api.exited).toBe(0);
  expect(api.lines.filter(({ msg }) => msg === 'stopping')).toHaveLength(1);
  await store.close();
});
