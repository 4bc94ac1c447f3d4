import { startRedis } from '@chairside/local-services';
import {
  type LogLine,
  metricsUrl,
  type ServiceProcess,
  startDatabaseProxy,
  startWholeService,
  testEngines,
} from '@chairside/test-support';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';

/** The metrics that a process exposes. */
const metricsOf = async (process: ServiceProcess): Promise<string> =>
  (await fetch(await metricsUrl(process))).text();
const valueIn = (text: string, series: string): number =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.split(' ')
      .at(-1),
  );

test('a Redis whose memory is full is not ready, the sweep delivers, and the processes use Redis again when it has room', async () => {
  const redis = await startRedis({ ephemeral: true, environment: { ...process.env, REDIS_URL: '' } });
  onTestFinished(() => redis.stop());
  const service = await startWholeService(redis.url);
  onTestFinished(() => service.close());
  const client = new Redis(redis.url);
  onTestFinished(() => client.disconnect());
  const { api, dispatcher, receiver } = service;
  const readiness = async () => (await service.call('GET', '/health/ready')).json.status;
  const redisReady = async () => valueIn(await metricsOf(api), 'chairside_api_redis_ready');
  const swept = async () =>
    valueIn(await metricsOf(dispatcher), 'chairside_sweep_found_total{what="unpublished"}');
  const createPatient = () =>
    service.call('POST', '/api/patients', { clinicId: service.practice.clinicIds[0] });

  /** Resolves when both have logged a line like this after `change` began. A busy machine may connect late at the start. */
  const untilBothSay = async (said: (line: LogLine) => boolean, change: () => Promise<unknown>) => {
    const saying = [api, dispatcher].map((each) => {
      const before = new Set(each.lines);
      return each.logged((line) => said(line) && !before.has(line));
    });
    await Promise.all([change(), ...saying]);
  };
  const states = async () => [await readiness(), await redisReady()];

  await expect.poll(states).toEqual(['ok', 1]);
  await createPatient();
  await receiver.until((posts) => posts.length === 1);
  const before = await swept();

  await untilBothSay(
    ({ msg, err }) => /^Redis is unreachable: events/.test(msg) && err.message.startsWith('OOM '),
    () => client.config('SET', 'maxmemory', '1kb'),
  );
  expect(await states()).toEqual(['degraded', 0]);
  expect((await createPatient()).status).toBe(200);
  await receiver.until((posts) => posts.length === 2);
  await expect.poll(swept).toBeGreaterThan(before);

  await untilBothSay(
    ({ msg }) => /^Redis is reachable again: events/.test(msg),
    () => client.config('SET', 'maxmemory', '0'),
  );
  await expect.poll(states).toEqual(['ok', 1]);
  await createPatient();
  await receiver.until((posts) => posts.length === 3);
});

test('an api whose database hangs shows the reason in its metrics, although nobody requests its readiness', async () => {
  const proxy = await startDatabaseProxy(testEngines().mongodbUrl);
  onTestFinished(() => proxy.close());
  const service = await startWholeService(testEngines().redisUrl, {
    mongodbUrl: proxy.url,
    dispatcher: false,
  });
  onTestFinished(() => service.close());
  const shown = async () => {
    const text = await metricsOf(service.api);
    return ['starting', 'database_unreachable'].map((reason) =>
      valueIn(text, `chairside_api_not_ready{reason="${reason}"}`),
    );
  };
  await expect.poll(shown).toEqual([0, 0]);
  const hung = Promise.withResolvers<void>();
  const remove = proxy.inject({ matches: () => true, fault: { kind: 'delay', until: hung.promise } });
  await expect.poll(shown).toEqual([0, 1]);
  remove();
  hung.resolve();
  await expect.poll(shown).toEqual([0, 0]);
});
