import type { EventName } from '@chairside/domain';
import { basic, createKey, createPractice, type Practice } from '@chairside/test-support';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openTestApi, type TestApi, token } from '../../test/api.ts';
import { logEvents } from '../../test/logged-events.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());

const log = (practice: Practice, names: readonly EventName[], insertedAt?: Date) =>
  logEvents(api, practice, names, insertedAt);

const idsOf = (json: { id: string }[]) => json.map(({ id }) => id);

describe('GET /api/events', () => {
  test.each([
    ['ten milliseconds', 10],
    ['a second', 1000],
    ['a minute', 60_000],
    ['almost five minutes', 290_000],
  ])(
    '`since` that is ahead by %s means the end of the log, and its cursor skips nothing',
    async (_name, ahead) => {
      const since = new Date(Date.now() + ahead).toISOString();
      const path = '/api/events?event=payment.updated';
      const cursors: (string | null)[] = [];
      for (const query of [`&since=${since}`, `&since=${since}&limit=1`, `&since=${since}&order=desc`]) {
        const { status, json, headers } = await api.call('GET', path + query);
        expect({ status, json }).toEqual({ status: 200, json: [] });
        cursors.push(headers.get('x-resume-cursor'));
      }
      const ids = await log(api.practice, ['payment.updated'], new Date());
      for (const cursor of cursors)
        await expect
          .poll(async () =>
            idsOf((await api.call('GET', `/api/events?event=payment.updated&cursor=${cursor}`)).json),
          )
          .toEqual(ids);
      await api.database.collection('events').deleteMany({ _id: { $in: ids as never[] } });
    },
  );

  test.each([301_000, 3_600_000, 86_400_000])('refuses `since` that is ahead by %i ms', async (ahead) => {
    for (const query of ['', '&order=desc', '&limit=1']) {
      const since = new Date(Date.now() + ahead).toISOString();
      const { status, json } = await api.call('GET', `/api/events?since=${since}${query}`);
      expect(status).toBe(400);
      expect(json.details.issues).toMatchObject([
        {
          path: 'since',
          message: expect.stringMatching(/^must be at most five minutes ahead of the service/),
        },
      ]);
    }
  });

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
      data: {
        _id: 'record',
        clinicId,
        createdTime: '2030-01-31T09:30:00.000Z',
        lastEditTime: '2030-01-31T09:30:00.000Z',
      },
      origin: { kind: 'import', requestId: 'r' },
      clinicIds: [clinicId],
      loggedTime: at.toISOString(),
    });
    expect(json[1]).toMatchObject({ id: later, changed: [] });
    expect(headers.get('x-next-cursor')).toBeNull();
  });

  test('filters by record and end, and begins with the newest event on request', async () => {
    const at = Date.now() - 50_000;
    const ids: string[] = [];
    for (let index = 0; index < 4; index++)
      ids.push(...(await log(api.practice, ['payment.refunded'], new Date(at + index))));
    await api.database
      .collection('events')
      .updateMany({ _id: { $in: ids.slice(1) } }, { $set: { about: ['another'] } });
    const path = '/api/events?event=payment.refunded&recordId=another';
    const until = new Date(at + 2).toISOString();
    expect(idsOf((await api.call('GET', path)).json)).toEqual(ids.slice(1));
    expect(idsOf((await api.call('GET', `${path}&until=${until}`)).json)).toEqual(ids.slice(1, 3));
    const newest = await api.call('GET', `${path}&order=desc&limit=2`);
    expect(idsOf(newest.json)).toEqual([ids[3], ids[2]]);
    const cursor = newest.headers.get('x-next-cursor');
    const older = await api.call('GET', `${path}&order=desc&limit=2&cursor=${cursor}`);
    expect(idsOf(older.json)).toEqual([ids[1]]);
    expect((await api.call('GET', `${path}&limit=2&cursor=${cursor}`)).status).toBe(400);
  });

  test('each page has the cursor with which a follower continues', async () => {
    const resumeFrom = async (query: string) => {
      const { json, headers } = await api.call('GET', `/api/events?event=invoice.updated${query}`);
      return { ids: idsOf(json), cursor: headers.get('x-resume-cursor') ?? '' };
    };
    const since = new Date(Date.now() - 40_000).toISOString();
    const empty = await resumeFrom(`&since=${since}`);
    expect(empty.ids).toEqual([]);
    const ids = await log(api.practice, Array<EventName>(3).fill('invoice.updated'));
    const sorted = ids.toSorted();
    // Continue after an empty page: without `since`, then with the same `since`.
    expect((await resumeFrom(`&cursor=${empty.cursor}`)).ids).toEqual(sorted);
    expect((await resumeFrom(`&since=${since}&cursor=${empty.cursor}`)).ids).toEqual(sorted);
    // Continue after a page that has a next one, and after the last page.
    const page = await resumeFrom(`&since=${since}&limit=2`);
    const last = await resumeFrom(`&limit=2&cursor=${page.cursor}`);
    expect([...page.ids, ...last.ids]).toEqual(sorted);
    const none = await resumeFrom(`&cursor=${last.cursor}`);
    expect(none.ids).toEqual([]);
    const newest = await resumeFrom('&order=desc&limit=2');
    const more = await log(api.practice, ['invoice.updated'], new Date(Date.now() - 5_000));
    for (const { cursor } of [last, none, newest])
      expect((await resumeFrom(`&cursor=${cursor}`)).ids).toEqual(more);
    const other = await api.call('GET', `/api/events?event=invoice.paid&cursor=${last.cursor}`);
    expect(other.status).toBe(400);
  });

  test('after an empty page, a follower reads only the last minute again', async () => {
    await log(api.practice, ['invoice.created'], new Date(Date.now() - 90_000));
    const path = '/api/events?event=invoice.created';
    const { headers } = await api.call('GET', path);
    const cursor = headers.get('x-resume-cursor');
    await log(api.practice, ['invoice.created'], new Date(Date.now() - 80_000));
    const [recent] = await log(api.practice, ['invoice.created'], new Date(Date.now() - 30_000));
    expect(idsOf((await api.call('GET', `${path}&cursor=${cursor}`)).json)).toEqual([recent]);
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
    const { secret } = await createKey(
      api.practice.store,
      { name: 'some', scopes: ['invoices:read', 'clinics:read'], rateLimit: 1000 },
      new Date(),
    );
    const { json } = await api.call('GET', '/api/events', { as: basic(secret) });
    const seen = new Set<string>(json.map(({ event }: { event: string }) => event));
    expect(seen).toContain('invoice.paid');
    expect([...seen].filter((event) => !event.startsWith('invoice.'))).toEqual([]);
    const refused = await api.call('GET', '/api/events?event=patient.created', { as: basic(secret) });
    expect(refused.status).toBe(403);
    expect(refused.json.details.requiredScope).toBe('patients:read');
    const none = await createKey(
      api.practice.store,
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
    const tested = await api.practice.store.events.createTest(
      subscription,
      { kind: 'operator' },
      new Date(Date.now() - 10_000),
    );
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
    ['until=tomorrow', 'until'],
    ['order=newest', 'order'],
  ])('refuses %s', async (query, path) => {
    const { status, json } = await api.call('GET', `/api/events?${query}`);
    expect(status).toBe(400);
    expect(json.details.issues[0].path).toBe(path);
  });
});

describe('a log from which events have expired', () => {
  const begin = Date.now() - 40 * 86_400_000;
  const timeOf = (offset: number) => new Date(begin + offset).toISOString();
  let practice: Practice;
  let ids: string[];
  const get = (query: string) => api.call('GET', `/api/events?${query}`, { as: basic(practice.apiKey) });
  const cursorAfter = async (count: number) =>
    (await get(`limit=${count}`)).headers.get('x-next-cursor') ?? '';
  const expire = async (count: number) => {
    await api.database
      .collection('events')
      .updateMany({ _id: { $in: ids.slice(0, count) } }, { $set: { retainUntil: new Date(0) } });
    expect(await api.store.everyOrganization.events.expire(new Date(), 100)).toBe(count);
  };
  beforeEach(async () => {
    practice = await createPractice(api.store);
    ids = [];
    for (const offset of [0, 1, 1, 2, 3])
      ids.push(...(await log(practice, ['patient.updated'], new Date(begin + offset))));
    ids = [ids[0], ...ids.slice(1, 3).toSorted(), ...ids.slice(3)] as string[];
  });

  test('refuses an older `since`, and says from when on it is complete', async () => {
    expect((await get(`since=${timeOf(-1000)}`)).json).toHaveLength(5);
    await expire(3);
    for (const query of [`since=${timeOf(-1000)}`, `since=${timeOf(1)}`, `since=${timeOf(0)}&order=desc`]) {
      const { status, json } = await get(query);
      expect({ query, status, name: json.name }).toEqual({ query, status: 410, name: 'LogExpired' });
      expect(json.details.earliestTime).toBe(timeOf(2));
    }
    expect(idsOf((await get(`since=${timeOf(2)}`)).json)).toEqual(ids.slice(3));
    expect(idsOf((await get('')).json)).toEqual(ids.slice(3));
    expect(idsOf((await get('order=desc')).json)).toEqual(ids.slice(3).toReversed());
  });

  test('refuses a cursor only if an event after it has expired', async () => {
    const [early, middle, late] = [await cursorAfter(1), await cursorAfter(2), await cursorAfter(3)];
    await expire(3);
    expect((await get(`cursor=${early}`)).status).toBe(410);
    // The next event has the same time as the last one before this cursor.
    expect((await get(`cursor=${middle}`)).status).toBe(410);
    expect(idsOf((await get(`cursor=${late}`)).json)).toEqual(ids.slice(3));
  });

  test('continues a list whose `since` has become too old in the meantime', async () => {
    const since = `since=${timeOf(-1000)}`;
    const cursor = (await get(`${since}&limit=3`)).headers.get('x-next-cursor');
    await expire(3);
    expect(idsOf((await get(`${since}&cursor=${cursor}`)).json)).toEqual(ids.slice(3));
    const newest = await get(`${since}&order=desc&limit=1&until=${timeOf(3)}`);
    expect(newest.status).toBe(410);
  });

  test('tells nothing to another organization, and audits no refused page', async () => {
    await expire(3);
    const { audit } = practice.store;
    const refused = await get(`since=${timeOf(-1000)}`);
    const requestId = refused.headers.get('x-request-id') ?? '';
    expect(await Array.fromAsync(audit.page({ requestId }, {}, 10))).toEqual([]);
    const stranger = await api.call('GET', `/api/events?since=${timeOf(-1000)}`, {
      as: basic(api.stranger.apiKey),
    });
    expect(stranger.status).toBe(200);
  });
});

describe('GET /api/events/{eventId}', () => {
  test('returns the event as the list does, once it has entered the log', async () => {
    const [id] = await log(api.practice, ['patient.created'], new Date());
    const { status, json } = await api.call('GET', `/api/events/${id}`);
    expect(status).toBe(200);
    expect(json).toMatchObject({ id, event: 'patient.created', clinicIds: [api.practice.clinicIds[0]] });
    await api.database.collection('events').updateOne({ _id: id ?? '' }, { $unset: { insertedAt: '' } });
    expect((await api.call('GET', `/api/events/${id}`)).status).toBe(404);
  });

  test('refuses a key without the scope, and hides the events of other organizations', async () => {
    const [id] = await log(api.practice, ['patient.deleted']);
    const { secret } = await createKey(
      api.practice.store,
      { name: 'invoices', scopes: ['invoices:read'], rateLimit: 1000 },
      new Date(),
    );
    const refused = await api.call('GET', `/api/events/${id}`, { as: basic(secret) });
    expect(refused.status).toBe(403);
    expect(refused.json.details.requiredScope).toBe('patients:read');
    const stranger = await api.call('GET', `/api/events/${id}`, { as: basic(api.stranger.apiKey) });
    expect(stranger.status).toBe(404);
  });

  test('leaves an audit entry for the record', async () => {
    const [id] = await log(api.practice, ['appointment.updated']);
    const { headers } = await api.call('GET', `/api/events/${id}`);
    const requestId = headers.get('x-request-id');
    const { json } = await api.call('GET', `/api/auditentries?requestId=${requestId}`, {
      as: token(api.practice.administrator.token),
    });
    expect(json).toMatchObject([{ action: 'events_read', kind: 'appointment', ids: ['record'] }]);
  });
});
