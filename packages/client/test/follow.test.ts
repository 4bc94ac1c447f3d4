import { describe, expect, it, vi } from 'vitest';
import type { ChairsideEvent, EventFollower, FollowOptions } from '../src/index.ts';
import { createClock, createStub, failure, networkError, type Reply, type Seen } from './stub.ts';

const START = Date.parse('2030-01-31T00:00:00Z');
const DAY = 86_400_000;
const iso = (time: number) => new Date(time).toISOString();

type Entry = { id: string; loggedTime: string };

/**
 * A log with the behaviour of the api: it is ordered by time and id. A cursor for the next page is bound to the filter
 * and to the scopes of the key. A resume cursor is not bound to `since` and the scopes.
 */
const createLog = ({ hasResumeCursor = true, hasDate = true, pageSize = 2, skew = 0 } = {}) => {
  const entries: Entry[] = [];
  const clock = createClock(START);
  /** The responses that the next requests get instead of a page. */
  const failures: Reply[] = [];
  let [scopes, keys] = [1, 1];
  const seal = (...parts: unknown[]) => btoa(JSON.stringify(parts));
  const read = ({ path, query }: Seen): Reply => {
    const failed = failures.shift();
    if (failed !== undefined) return failed;
    const date = new Date(clock.runtime.now() - skew).toUTCString();
    if (path === '/health/live') return { headers: hasDate ? { date } : {} };
    const { since = '', cursor, event } = query;
    const [ofResume, ofNext] = [seal(keys, event), seal(keys, event, scopes, since)];
    const [boundTo, time, id] = cursor === undefined ? [ofNext, since, ''] : JSON.parse(atob(cursor));
    if (boundTo !== ofNext && boundTo !== ofResume) {
      return failure(400, 'ValidationError', {}, { issues: [{ path: 'cursor', message: 'is not one' }] });
    }
    const isBehind = (each: Entry) =>
      cursor === undefined
        ? each.loggedTime >= time
        : each.loggedTime > time || (each.loggedTime === time && each.id > id);
    const behind = entries.filter(isBehind);
    const page = behind.slice(0, pageSize);
    const end = page.at(-1) ?? { loggedTime: time, id: cursor === undefined ? '' : id };
    const headers = {
      ...(hasDate && { date }),
      ...(behind.length > pageSize && { 'x-next-cursor': seal(ofNext, end.loggedTime, end.id) }),
      ...(hasResumeCursor && { 'x-resume-cursor': seal(ofResume, end.loggedTime, end.id) }),
    };
    return { headers, body: page };
  };
  const stub = createStub(read, { clock });
  let count = 0;
  return {
    ...stub,
    entries,
    failures,
    /** Adds events that enter the log at this time. */
    add(howMany: number, time: number = clock.runtime.now()): string[] {
      const added = Array.from({ length: howMany }, () => ({
        id: `evt_${String(++count).padStart(4, '0')}`,
        loggedTime: iso(time),
      }));
      entries.push(...added);
      return added.map(({ id }) => id);
    },
    widenScopes: () => void scopes++,
    changeKeys: () => void keys++,
    follow: (options: Partial<FollowOptions> = {}) =>
      stub.client.events.follow({ since: new Date(START), ...options }),
  };
};

/** Reads this many events, then stops the reader, as a loop with `break` does. */
const take = async (follower: EventFollower, howMany: number): Promise<string[]> => {
  const ids: string[] = [];
  for await (const { id } of follower) {
    ids.push(id);
    if (ids.length === howMany) break;
  }
  return ids;
};

describe.each([
  ['with X-Resume-Cursor', true],
  ['with an api that has no X-Resume-Cursor', false],
])('following the log %s', (_, hasResumeCursor) => {
  it('yields every event once, in the order of the log, across pages and waits', async () => {
    const log = createLog({ hasResumeCursor });
    const first = log.add(5);
    const iterator = log.follow()[Symbol.asyncIterator]();
    const ids: string[] = [];
    const next = async () => ids.push((await iterator.next()).value?.id ?? '');
    for (const _id of first) await next();
    log.pass(1000);
    const second = log.add(3);
    for (const _id of second) await next();
    // This event has the same millisecond as the last one that the reader has seen.
    const third = log.add(2, Date.parse(log.entries.at(-1)?.loggedTime ?? ''));
    for (const _id of third) await next();
    expect(ids).toEqual([...first, ...second, ...third]);
    await iterator.return(undefined);
  });

  it('continues after any event, even in the middle of a page', async () => {
    for (let stop = 1; stop < 8; stop++) {
      const log = createLog({ hasResumeCursor, pageSize: 3 });
      const all = [...log.add(4), ...log.add(4, START + 1)];
      const follower = log.follow();
      const before = await take(follower, stop);
      const after = await take(log.client.events.follow({ cursor: follower.cursor }), 8 - stop);
      expect([...before, ...after]).toEqual(all);
    }
  });

  it('continues when the events before the cursor have left the log', async () => {
    const log = createLog({ hasResumeCursor, pageSize: 4 });
    const all = log.add(4);
    const follower = log.follow();
    await take(follower, 2);
    log.entries.splice(0, 2);
    expect(await take(log.client.events.follow({ cursor: follower.cursor }), 2)).toEqual(all.slice(2));
  });

  it('continues after temporary failures, and reports each', async () => {
    const log = createLog({ hasResumeCursor });
    const all = log.add(3);
    log.failures.push(
      networkError('ECONNREFUSED'),
      failure(503, 'ServiceUnavailable', { 'retry-after': '2' }),
      failure(429, 'TooManyRequests', { 'retry-after': '90' }),
      failure(500, 'InternalServerError'),
      { status: 502, body: '<html>' },
    );
    const failures: unknown[] = [];
    const follower = log.follow({ onFailure: ({ name }) => failures.push(name) });
    expect(await take(follower, 3)).toEqual(all);
    expect(failures).toEqual([
      ...['ConnectionError', 'ServiceUnavailable', 'TooManyRequests', 'InternalServerError'],
      'UnexpectedResponse',
    ]);
    expect(log.waits).toEqual([250, 2000, 90_000, 2000, 4000]);
  });

  it.each([
    ['the key gets other scopes', 'widenScopes'],
    ['the service gets other encryption keys', 'changeKeys'],
  ] as const)('finds its position again when %s', async (_, happen) => {
    const log = createLog({ hasResumeCursor });
    const first = log.add(5);
    const iterator = log.follow()[Symbol.asyncIterator]();
    const ids: string[] = [];
    for (const _id of first) {
      ids.push((await iterator.next()).value?.id ?? '');
      log[happen]();
    }
    log.pass(1000);
    const second = log.add(1);
    ids.push((await iterator.next()).value?.id ?? '');
    expect(ids).toEqual([...first, ...second]);
    await iterator.return(undefined);
  });
});

describe('following the log', () => {
  it('waits longer while there are no events, up to a limit, and shorter after an event', async () => {
    const log = createLog();
    const iterator = log.follow()[Symbol.asyncIterator]();
    const { sleep } = log.runtime;
    log.runtime.sleep = async (milliseconds, signal) => {
      await sleep(milliseconds, signal);
      if (log.waits.length === 7) log.add(1);
    };
    await iterator.next();
    expect(log.waits).toEqual([500, 1000, 2000, 4000, 5000, 5000, 5000]);
    log.runtime.sleep = async (milliseconds, signal) => {
      await sleep(milliseconds, signal);
      log.add(1);
    };
    await iterator.next();
    expect(log.waits.at(-1)).toBe(500);
  });

  it('uses the waits that the caller sets', async () => {
    const log = createLog();
    const controller = new AbortController();
    const { sleep } = log.runtime;
    log.runtime.sleep = async (milliseconds, signal) => {
      if (log.waits.length === 3) controller.abort();
      await sleep(milliseconds, signal);
    };
    const follower = log.follow({ minWait: 100, maxWait: 150, signal: controller.signal });
    await expect(take(follower, 1)).rejects.toMatchObject({ name: 'AbortError' });
    expect(log.waits).toEqual([50, 75, 75]);
  });

  it('sends the filter with each page', async () => {
    const log = createLog();
    log.add(3);
    await take(log.follow({ event: 'patient.created', clinicId: 'c', timeout: 5000 }), 3);
    expect(log.seen.slice(1).map(({ query }) => [query.event, query.clinicId, query.limit])).toEqual([
      ['patient.created', 'c', '1000'],
      ['patient.created', 'c', '1000'],
    ]);
    expect(log.seen[0]?.query).not.toHaveProperty('minWait');
  });

  it.each([
    [401, 'Unauthorized'],
    [403, 'Forbidden'],
    [400, 'ValidationError'],
    [404, 'NotFound'],
  ])('ends with a %i', async (status, name) => {
    const log = createLog();
    log.add(2);
    log.failures.push(failure(status, name));
    await expect(take(log.follow(), 1)).rejects.toMatchObject({ status, name });
    expect(log.seen).toHaveLength(1);
  });

  it('ends with the reason of its signal: in a wait, in a request, and between two events', async () => {
    const reason = new Error('enough');
    const log = createLog();
    const all = log.add(2);
    const controller = new AbortController();
    const ids: string[] = [];
    const reading = async () => {
      for await (const { id } of log.follow({ signal: controller.signal })) {
        ids.push(id);
        controller.abort(reason);
      }
    };
    await expect(reading()).rejects.toBe(reason);
    expect(ids).toEqual(all.slice(0, 1));
    await expect(take(log.follow({ signal: AbortSignal.abort(reason) }), 1)).rejects.toBe(reason);
  });

  it('sends one request at a time', async () => {
    const log = createLog();
    log.add(2);
    await take(log.follow(), 1);
    expect(log.seen.map(({ path }) => path)).toEqual(['/health/live', '/api/events']);
  });

  it('accepts a resume cursor of the API, and a next cursor with the `since` that it came from', async () => {
    const log = createLog();
    const all = log.add(4);
    const since = iso(START);
    const { resumeCursor, nextCursor = '' } = await log.client.events.list({ since }).page();
    expect(await take(log.client.events.follow({ cursor: resumeCursor }), 2)).toEqual(all.slice(2));
    expect(await take(log.client.events.follow({ since, cursor: nextCursor }), 2)).toEqual(all.slice(2));
  });

  it('ends if the api refuses a cursor that it has issued and the position is unknown', async () => {
    const log = createLog();
    await expect(take(log.client.events.follow({ cursor: btoa('["x"]') }), 1)).rejects.toMatchObject({
      status: 400,
    });
  });

  it('stores only the position of an event in its cursor', async () => {
    const log = createLog();
    log.entries.push({ id: 'evt_1', loggedTime: iso(START), data: { name: 'Ada' } } as Entry);
    const follower = log.follow();
    await take(follower, 1);
    expect(follower.cursor).toMatch(/^v1\.[\w-]+$/);
    expect(atob(follower.cursor.slice(3).replaceAll('-', '+').replaceAll('_', '/'))).not.toContain('Ada');
  });

  it.each([
    [{}, 'Set `since` or `cursor`'],
    [{ cursor: '' }, 'Set `since` or `cursor`'],
    [{ since: 'yesterday' }, '`since` must be'],
    [{ since: new Date('x') }, '`since` must be'],
    [{ cursor: 'v1.x' }, '`cursor` must be complete'],
    [{ cursor: 'v1.' }, '`cursor` must be complete'],
  ])('refuses %o at once', (options, message) => {
    const { client } = createLog();
    expect(() => client.events.follow(options)).toThrow(message);
  });

  it('yields events whose name determines the type of their data', () => {
    const check = (event: ChairsideEvent) =>
      event.event === 'patient.created' ? event.data.email : undefined;
    expect(check).toBeTypeOf('function');
  });
});

describe('a beginning now', () => {
  it.each([
    ['ahead by a day', DAY],
    ['ahead by ten minutes', 600_000],
    ['ahead by a second', 1000],
    ['behind by a second', -1000],
    ['behind by ten minutes', -600_000],
    ['behind by a day', -DAY],
  ])('is the time of the service if the clock of this computer is %s', async (_name, skew) => {
    const log = createLog({ skew });
    const ofService = START - skew;
    log.add(1, ofService - 1);
    const [first] = log.add(1, ofService);
    for (const since of [new Date(START), iso(START)])
      expect(await take(log.client.events.follow({ since }), 1)).toEqual([first]);
  });

  it('stays the same moment while the service does not respond', async () => {
    const log = createLog({ skew: 600_000 });
    const follower = log.follow();
    const [first] = log.add(1, START - 600_000);
    log.failures.push(networkError('ECONNREFUSED'), failure(503, 'ServiceUnavailable'));
    expect(await take(follower, 1)).toEqual([first]);
  });

  it('is the time of this computer if the response does not show the clock of the service', async () => {
    const log = createLog({ skew: 600_000, hasDate: false });
    log.add(1, START - 1);
    const [first] = log.add(1, START);
    expect(await take(log.follow(), 1)).toEqual([first]);
  });

  it('is asked for only once, and not for an earlier time, a much later time or a cursor', async () => {
    const log = createLog();
    log.add(3, START + DAY);
    const follower = log.follow();
    await take(follower, 3);
    const asked = () => log.seen.filter(({ path }) => path === '/health/live').length;
    expect(asked()).toBe(1);
    for (const since of [new Date(START - 60_000), new Date(START + DAY)])
      await take(log.client.events.follow({ since }), 1);
    log.add(1, START + DAY + 1);
    await take(log.client.events.follow({ since: new Date(START), cursor: follower.cursor }), 1);
    expect(asked()).toBe(1);
  });
});

describe('the 30 days of the log', () => {
  it('exclude an earlier `since`, by the clock of the service', async () => {
    const log = createLog();
    log.add(1);
    log.pass(30 * DAY + 1000);
    const now = vi.spyOn(Date, 'now').mockReturnValue(START);
    await expect(take(log.follow(), 1)).rejects.toMatchObject({
      name: 'LogExpired',
      status: undefined,
      message: expect.stringContaining('2030-01-31T00:00:00.000Z'),
    });
    now.mockRestore();
  });

  it('are measured by the local clock if the response does not show the clock of the service, as in browsers', async () => {
    const log = createLog({ hasDate: false });
    log.add(1);
    log.pass(30 * DAY + 1000);
    await expect(take(log.follow(), 1)).rejects.toMatchObject({ name: 'LogExpired' });
  });

  it('include a later `since`', async () => {
    const log = createLog();
    const all = log.add(1);
    log.pass(30 * DAY);
    expect(await take(log.follow(), 1)).toEqual(all);
  });

  it('exclude an older cursor', async () => {
    const log = createLog();
    log.add(2);
    const follower = log.follow();
    await take(follower, 1);
    log.pass(31 * DAY);
    const again = log.client.events.follow({ cursor: follower.cursor });
    await expect(take(again, 1)).rejects.toMatchObject({ name: 'LogExpired' });
  });

  it('cause an error if the caller works on one page for more than 30 days', async () => {
    const log = createLog();
    log.add(3);
    const iterator = log.follow()[Symbol.asyncIterator]();
    await iterator.next();
    await iterator.next();
    log.pass(31 * DAY);
    await expect(iterator.next()).rejects.toMatchObject({ name: 'LogExpired' });
  });

  it('cause no error for a follower that keeps reading while there are no events', async () => {
    const log = createLog();
    log.add(1);
    const follower = log.follow();
    const iterator = follower[Symbol.asyncIterator]();
    await iterator.next();
    const { sleep } = log.runtime;
    let days = 0;
    log.runtime.sleep = async (milliseconds, signal) => {
      await sleep(milliseconds, signal);
      log.pass(DAY);
      if (++days === 40) log.add(1);
    };
    expect((await iterator.next()).value?.id).toBe('evt_0002');
    // While there are no events, a stored cursor is as recent as the last read.
    log.runtime.sleep = sleep;
    const again = log.client.events.follow({ cursor: follower.cursor });
    log.add(1);
    expect(await take(again, 1)).toEqual(['evt_0003']);
  });
});
