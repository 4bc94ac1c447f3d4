import { type EventName, newEvent, newId, type RecordKind } from '@chairside/domain';
import { basic, type Practice } from '@chairside/test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApi, type TestApi, token } from '../../test/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());

/** Adds events to the log as the dispatcher does, with a time some seconds ago. */
const log = async (
  { organizationId, clinicIds: [clinicId] }: Practice,
  names: readonly EventName[],
  insertedAt = new Date(Date.now() - 10_000),
): Promise<string[]> => {
  const { events } = api.store.everyOrganization;
  const made = names.map((event) => {
    const author = { principal: { kind: 'system' as const, id: 'test' }, requestId: 'r' };
    const _id = newId();
    return {
      ...newEvent({ _id, event, time: new Date(), author }, { clinicId }),
      organizationId,
      kind: event.split('.')[0] as RecordKind,
      recordId: 'record',
    };
  });
  await events.insert(made, { time: insertedAt });
  const ids = made.map(({ _id }) => _id);
  await api.database
    .collection<{ _id: string }>('events')
    .updateMany({ _id: { $in: ids } }, { $set: { insertedAt } });
  return ids;
};

const idsOf = (json: { id: string }[]) => json.map(({ id }) => id);

describe('GET /api/events', () => {
  test('returns the sent bodies in the order of the log, with their times of entry', async () => {
    const at = new Date(Date.now() - 20_000);
    const [later] = await log(api.practice, ['patient.updated'], new Date(at.getTime() + 1));
    const [id] = await log(api.practice, ['patient.created'], at);
    const { status, json, headers } = await api.call('GET', `/api/events?since=${at.toISOString()}`);
    expect(status).toBe(200);
    const clinicId = api.practice.clinicIds[0];
    expect(json[0]).toEqual({
      id,
      event: 'patient.created',
      timestamp: expect.any(Number),
      data: { clinicId },
      clinicIds: [clinicId],
      loggedTime: at.toISOString(),
    });
    expect(json[1].id).toBe(later);
    expect(headers.get('x-next-cursor')).toBeNull();
  });

  test('returns pages that neither miss nor repeat an event', async () => {
    const since = new Date(Date.now() - 60_000).toISOString();
    await log(api.practice, Array<EventName>(7).fill('payment.created'), new Date(Date.now() - 30_000));
    const path = `/api/events?event=payment.created&since=${since}`;
    const all = idsOf((await api.call('GET', path)).json);
    expect(all).toHaveLength(7);
    const seen: string[] = [];
    let next: string | null = `${path}&limit=3`;
    for (let pages = 0; next !== null; pages++) {
      expect(pages).toBeLessThan(3);
      const { json, headers }: Awaited<ReturnType<TestApi['call']>> = await api.call('GET', next);
      seen.push(...idsOf(json));
      next = /^<(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? null;
    }
    expect(seen).toEqual(all);
  });

  test('holds back the newest events, so that no event can appear before one that was read', async () => {
    const [id] = await log(api.practice, ['invoice.paid'], new Date());
    expect(idsOf((await api.call('GET', '/api/events?event=invoice.paid')).json)).not.toContain(id);
  });

  test('filters by clinic and by event', async () => {
    await log(api.practice, ['appointment.deleted', 'appointment.created']);
    const [north, south] = api.practice.clinicIds;
    const path = '/api/events?event=appointment.deleted&clinicId=';
    const { json } = await api.call('GET', path + north);
    expect(json.map(({ event }: { event: string }) => event)).toEqual(['appointment.deleted']);
    expect((await api.call('GET', path + south)).json).toEqual([]);
  });

  test('shows a key the events in its scopes, and returns 403 with the missing scope for others', async () => {
    await log(api.practice, ['patient.created', 'invoice.paid', 'payment.created']);
    const { secret } = await api.practice.store.apiKeys.create(
      { name: 'some', scopes: ['invoices:read', 'clinics:read'], rateLimit: 1000 },
      new Date(),
    );
    const { json } = await api.call('GET', '/api/events', { as: basic(secret) });
    expect(new Set(json.map(({ event }: { event: string }) => event))).toEqual(new Set(['invoice.paid']));
    const refused = await api.call('GET', '/api/events?event=patient.created', { as: basic(secret) });
    expect(refused.status).toBe(403);
    expect(refused.json.details.requiredScope).toBe('patients:read');
    const none = await api.practice.store.apiKeys.create(
      { name: 'none', scopes: ['clinics:read'], rateLimit: 1000 },
      new Date(),
    );
    expect((await api.call('GET', '/api/events', { as: basic(none.secret) })).status).toBe(403);
  });

  test('shows all events to staff, none to another organization, and tests to nobody', async () => {
    const [id] = await log(api.practice, ['patient.deleted']);
    const staff = await api.call('GET', '/api/events?limit=1000', { as: token(api.practice.staff.token) });
    expect(idsOf(staff.json)).toContain(id);
    const stranger = await api.call('GET', '/api/events', { as: basic(api.stranger.apiKey) });
    expect(stranger.json).toEqual([]);
    const subscription = { _id: 's', clinicId: api.practice.clinicIds[0] };
    const tested = await api.practice.store.events.createTest(subscription, new Date(Date.now() - 10_000));
    const again = await api.call('GET', '/api/events?limit=1000');
    expect(idsOf(again.json)).not.toContain(tested);
  });

  test('refuses a cursor of another query', async () => {
    await log(api.practice, ['invoice.voided', 'invoice.voided']);
    const path = '/api/events?event=invoice.voided&limit=1';
    const cursor = (await api.call('GET', path)).headers.get('x-next-cursor') ?? '';
    expect((await api.call('GET', `${path}&cursor=${cursor}`)).status).toBe(200);
    const forged = Buffer.from('["2030-01-01T00:00:00.000Z","x"]').toString('base64url');
    for (const refused of [
      `${path}&cursor=${forged}`,
      `${path}&cursor=`,
      `/api/events?event=invoice.paid&limit=1&cursor=${cursor}`,
    ]) {
      const { status, json } = await api.call('GET', refused);
      expect({ refused, status }).toEqual({ refused, status: 400 });
      expect(json.details.issues[0].path).toBe('cursor');
    }
    const stranger = await api.call('GET', `${path}&cursor=${cursor}`, { as: basic(api.stranger.apiKey) });
    expect(stranger.status).toBe(400);
  });

  test.each([
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=x', 'limit'],
    ['event=patient.*', 'event'],
    ['since=2030-01-01', 'since'],
  ])('refuses %s', async (query, path) => {
    const { status, json } = await api.call('GET', `/api/events?${query}`);
    expect(status).toBe(400);
    expect(json.details.issues[0].path).toBe(path);
  });
});
