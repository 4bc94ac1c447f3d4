import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { LONGEST_WAIT_MS, type RecordingReceiver, startRecordingReceiver } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createHealthServer } from '../src/monitoring/health-server.ts';
import { deliveriesIn, openTestDispatcher, type TestDispatcher } from './dispatcher.ts';

let dispatcher: TestDispatcher;
let receiver: RecordingReceiver;
let subscriptionId: string;
beforeAll(async () => {
  dispatcher = await openTestDispatcher();
  receiver = await startRecordingReceiver();
  receiver.respond = ({ json }, response) => {
    response.statusCode = json.data.clinicId === dispatcher.practice.clinicIds[0] ? 500 : 200;
    response.end('PRIVATE ANSWER');
  };
  subscriptionId = (await dispatcher.subscribe(receiver.url))._id;
  dispatcher.start();
  await dispatcher.createPatients(50);
  await dispatcher.untilLogged((logs) => logs.some(({ msg }) => msg === 'subscription disabled'));
  const deliveries = dispatcher.database.collection('deliveries');
  const haveEnded = async () => (await deliveries.countDocuments({ finalTime: { $exists: true } })) === 50;
  await vi.waitUntil(haveEnded, { timeout: LONGEST_WAIT_MS });
});
afterAll(async () => {
  await dispatcher.close();
  await receiver.close();
});

test('many failures at the same time disable the subscription once, with one time, reason and log line', async () => {
  const disabled = dispatcher.logs.filter(({ msg }) => msg === 'subscription disabled');
  const { organizationId, clinicIds } = dispatcher.practice;
  const lastCauses = Array.from({ length: 5 }, () => 'status');
  expect(disabled).toMatchObject([{ subscriptionId, organizationId, clinicId: clinicIds[0], lastCauses }]);
  const subscription = await dispatcher.practice.store.subscriptions.find(subscriptionId);
  expect(subscription).toMatchObject({ active: false, lastStatusCode: 500 });
  expect(subscription?.consecutiveFailures).toBeGreaterThanOrEqual(20);
  expect(subscription?.disabledReason).toContain(
    'The last causes: the receiver responded with an error status.',
  );
});

test('logs each delivery in one line with ids and timings, without data of receivers or patients', () => {
  const lines = deliveriesIn(dispatcher.logs);
  expect(new Set(lines.map(({ _id }) => _id)).size).toBe(lines.length);
  const attempted = lines.find(({ outcome }) => outcome === 'failed');
  expect(attempted).toMatchObject({
    _id: expect.any(String),
    eventId: expect.any(String),
    subscriptionId,
    requestId: 'test',
    organizationId: dispatcher.practice.organizationId,
    cause: 'status',
    statusCode: 500,
    address: '127.0.0.1',
    timings: { firstByte: expect.any(Number) },
  });
  const text = JSON.stringify(dispatcher.logs);
  for (const secret of ['PRIVATE', 'responseBody', 'v1=', 'token', 'whsec'])
    expect(text).not.toContain(secret);
});

test('the health server exposes metrics for Prometheus', async () => {
  const server = createHealthServer({ check: async () => {}, metrics: dispatcher.metrics });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // The last events leave their records a moment after their deliveries have ended.
  const metricsText = async () => (await fetch(`${url}/metrics`)).text();
  await expect.poll(metricsText).toMatch(/^chairside_oldest_unsent_event_age_seconds 0$/m);
  const response = await fetch(`${url}/metrics`);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
  const lines = (await response.text()).split('\n');
  const value = (series: string) =>
    Number(lines.find((line) => line.startsWith(`${series} `))?.slice(series.length));
  const failed = value('chairside_deliveries_total{outcome="failed",cause="status"}');
  const skipped = value('chairside_deliveries_total{outcome="skipped",cause="subscription_disabled"}');
  expect(failed).toBeGreaterThanOrEqual(20);
  expect(value('chairside_events_accepted_total')).toBe(50);
  expect(value('chairside_delivery_attempts_total')).toBe(failed);
  expect(value('chairside_delivery_duration_seconds_count')).toBe(failed);
  expect(value('chairside_delivery_phase_seconds_count{phase="firstByte"}')).toBe(failed);
  // The metrics do not count the deliveries that were still queued when the subscription was disabled, because one
  // update has skipped them.
  expect(failed + (skipped || 0)).toBeLessThanOrEqual(50);
  expect(value('chairside_subscriptions_disabled_total')).toBe(1);
  expect(value('chairside_subscriptions_disabled')).toBe(1);
  expect(value('chairside_deliveries_queued')).toBe(0);
  expect(value('chairside_outage')).toBe(0);
  server.close();
  server.closeAllConnections();
});
