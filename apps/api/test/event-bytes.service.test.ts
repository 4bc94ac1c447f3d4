import { newEvent, newId } from '@chairside/domain';
import { basic, openedDocuments, sealedEvent } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiResponse, openTestApi, type TestApi, token, untilCountedInRedis } from './api.ts';
import { largeAppointment } from './large-appointments.ts';
import { recordOf } from './logged-events.ts';

/** The limit of event bytes per minute in these tests. Six large appointments stay within it. */
const LIMIT = 1_048_576;

let api: TestApi;
let clinicId: string;
beforeAll(async () => {
  api = await openTestApi([], [], { eventBytes: LIMIT });
  await untilCountedInRedis(api);
  [clinicId] = api.practice.clinicIds;
});
afterAll(() => api.close());

const metric = async (name: string): Promise<number> => {
  const { text } = await api.metrics.expose();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
};
const leftOf = ({ headers }: ApiResponse): number =>
  Number(/"event-bytes";r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);

test('refuses PUTs of two bytes that store 160 kB each when the limit is exceeded, and announces the limit in headers', async () => {
  const created = await api.call('POST', '/api/appointments', { body: { clinicId, ...largeAppointment() } });
  expect(created.headers.get('ratelimit-policy')).toMatch(
    new RegExp(`^"key";q=\\d+;w=60, "event-bytes";q=${LIMIT};w=60;qu="content-bytes"$`),
  );
  const path = `/api/appointments/${created.json._id}`;
  let left = leftOf(created);
  let written = 1;
  let response = await api.call('PUT', path, { body: {} });
  while (response.status === 200) {
    written++;
    expect(leftOf(response)).toBeLessThan(left - 150_000);
    left = leftOf(response);
    expect(await metric('chairside_api_event_bytes_share')).toBeCloseTo(1 - left / LIMIT, 5);
    response = await api.call('PUT', path, { body: {} });
  }
  expect(response.json).toMatchObject({ statusCode: 429, name: 'TooManyRequests' });
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(leftOf(response)).toBe(0);
  expect(written).toBe(6);
  // The refused change is not stored.
  const [stored] = await openedDocuments(api, 'appointments', { _id: created.json._id });
  expect(stored?.outbox).toHaveLength(written);
  const bytes = stored?.outbox.reduce((sum: number, { body }: { body: string }) => sum + body.length, 0);
  expect(bytes).toBeLessThanOrEqual(LIMIT);
  expect(await metric('chairside_api_event_bytes_total')).toBe(bytes);

  // The limit applies to the organization, not to the key. It does not affect other organizations or reads.
  const byOperator = { as: token(api.practice.staff.token), body: {} };
  expect((await api.call('PUT', path, byOperator)).status).toBe(429);
  expect((await api.call('DELETE', path)).status).toBe(429);
  expect((await api.call('GET', path)).status).toBe(200);
  const body = { clinicId: api.stranger.clinicIds[0], ...largeAppointment() };
  const other = { as: basic(api.stranger.apiKey), body };
  expect((await api.call('POST', '/api/appointments', other)).status).toBe(200);
});

test('does not count a repeated write with an Idempotency-Key again, and accepts a repetition of a refused write', async () => {
  const as = basic(api.stranger.apiKey);
  const write = () =>
    api.call('POST', '/api/patients', {
      as,
      body: { clinicId: api.stranger.clinicIds[0], name: 'n' },
      headers: { 'idempotency-key': 'same' },
    });
  const first = await write();
  const again = await write();
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(again.headers.get('ratelimit')).not.toContain('event-bytes');
  const body = { clinicId: api.stranger.clinicIds[0] };
  const next = await api.call('POST', '/api/patients', { as, body });
  expect(leftOf(first) - leftOf(next)).toBeLessThan(1000);
});

test('a page of large events ends at 8 MiB, and its cursor leads to the next event', async () => {
  const author = { principal: { kind: 'system' as const, id: 'test' }, requestId: 'planted' };
  const time = new Date(Date.now() - 60_000);
  const EVENTS = 120;
  const cipher = await api.store.ciphers.of(api.practice.organizationId);
  for (let planted = 0; planted < EVENTS; planted += 20) {
    const events = Array.from({ length: 20 }, () => {
      const record = { ...recordOf('appointment.updated', clinicId), _id: newId(), ...largeAppointment() };
      return {
        ...newEvent({ _id: newId(time), event: 'appointment.updated', time, author }, record),
        organizationId: api.practice.organizationId,
        kind: 'appointment' as const,
        recordId: record._id,
      };
    });
    await api.store.everyOrganization.events.enter(events.map((event) => sealedEvent(event, cipher)));
  }
  // The events get an earlier time, because the log does not return the newest events yet.
  await api.database.collection('events').updateMany({}, { $set: { insertedAt: time } });
  const sizes: number[] = [];
  const ids = new Set<string>();
  for (let path: string | undefined = '/api/events?limit=1000'; path !== undefined; ) {
    const page: ApiResponse = await api.call('GET', path);
    expect(page.status).toBe(200);
    sizes.push(Buffer.byteLength(page.text));
    for (const { id } of page.json) ids.add(id);
    path = /^<(.+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
  }
  expect(ids.size).toBe(EVENTS);
  expect(sizes.length).toBeGreaterThan(2);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(8_388_608 + 1);
  expect(Math.min(...sizes.slice(0, -1))).toBeGreaterThan(8_000_000);
});
