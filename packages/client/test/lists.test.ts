import { describe, expect, it } from 'vitest';
import { createClock, createStub, failure, inOrder, type Reply } from './stub.ts';

const page = (rows: number[], nextCursor?: string, headers: Record<string, string> = {}): Reply => ({
  headers: { ...headers, ...(nextCursor !== undefined && { 'x-next-cursor': nextCursor }) },
  body: rows.map((_id) => ({ _id })),
});
const limits = (remaining: number, seconds: number, quota = 600) => ({
  'ratelimit-policy': `"key";q=${quota};w=60, "event-bytes";q=67108864;w=60;qu="content-bytes"`,
  ratelimit: `"key";r=${remaining};t=${seconds}, "event-bytes";r=0;t=41`,
});

describe('a list', () => {
  it('sends no request until it is read, and starts from the beginning each time', async () => {
    const { client, seen } = createStub(() => page([1]));
    const list = client.patients.list();
    expect(seen).toHaveLength(0);
    await list.toArray();
    await list.toArray();
    expect(seen.map(({ query }) => query)).toEqual([{ limit: '1000' }, { limit: '1000' }]);
  });

  it('reads all pages, with the filter in each of them', async () => {
    const { client, seen } = createStub(inOrder(page([1, 2], 'b'), page([3], 'c'), page([])));
    const rows: unknown[] = [];
    for await (const { _id } of client.patients.list({ clinicId: 'x', email: undefined })) rows.push(_id);
    expect(rows).toEqual([1, 2, 3]);
    expect(seen.map(({ query }) => query)).toEqual([
      { clinicId: 'x', limit: '1000' },
      { clinicId: 'x', limit: '1000', cursor: 'b' },
      { clinicId: 'x', limit: '1000', cursor: 'c' },
    ]);
  });

  it('requests one page ahead, and not two', async () => {
    const { client, seen } = createStub(inOrder(page([1], 'b'), page([2], 'c'), page([3])));
    const pages = client.patients.list().pages();
    expect((await pages.next()).value?.data).toEqual([{ _id: 1 }]);
    expect(seen).toHaveLength(2);
    expect((await pages.next()).value?.data).toEqual([{ _id: 2 }]);
    expect(seen).toHaveLength(3);
    expect((await pages.next()).value?.nextCursor).toBeUndefined();
    expect((await pages.next()).done).toBe(true);
  });

  it('aborts the request for the next page when its reader stops', async () => {
    const { client, seen } = createStub((_, count) => (count === 1 ? page([1], 'b') : new Promise(() => {})));
    for await (const row of client.patients.list()) {
      expect(row._id).toBe(1);
      break;
    }
    expect(seen[1]?.init.signal.aborted).toBe(true);
  });

  it('reports the failure of a page when the caller asks for this page', async () => {
    const { client } = createStub(inOrder(page([1, 2], 'b'), failure(401, 'Unauthorized')));
    const rows: unknown[] = [];
    const reading = (async () => {
      for await (const { _id } of client.patients.list()) rows.push(_id);
    })();
    await expect(reading).rejects.toMatchObject({ status: 401 });
    expect(rows).toEqual([1, 2]);
  });

  it('retries a page whose connection breaks', async () => {
    const { client, seen } = createStub(inOrder(page([1], 'b'), new TypeError('terminated'), page([2])));
    expect(await client.patients.list().toArray()).toHaveLength(2);
    expect(seen.map(({ query }) => query.cursor)).toEqual([undefined, 'b', 'b']);
  });

  it('reads one page and no other', async () => {
    const { client, seen } = createStub(inOrder(page([1], 'b', { date: 'x' }), page([2])));
    const list = client.patients.list({}, { pageSize: 1 });
    const first = await list.page();
    expect(first).toMatchObject({ data: [{ _id: 1 }], nextCursor: 'b' });
    expect(first.response.headers.get('date')).toBe('x');
    expect(await list.page(first.nextCursor)).toMatchObject({ data: [{ _id: 2 }], nextCursor: undefined });
    expect(seen.map(({ query }) => query)).toEqual([{ limit: '1' }, { limit: '1', cursor: 'b' }]);
  });

  it('reads the first rows into memory', async () => {
    const { client, seen } = createStub(() => page([1, 2], 'b'));
    expect(await client.patients.list().toArray({ limit: 3 })).toHaveLength(3);
    expect(await client.patients.list().toArray({ limit: 0 })).toEqual([]);
    expect(seen.length).toBeLessThan(5);
  });

  it('of a route without pages sends one request without `limit`', async () => {
    const { client, seen } = createStub(() => page([1, 2]));
    expect(await client.operators.list().toArray()).toHaveLength(2);
    expect(seen.map(({ query }) => query)).toEqual([{}]);
  });

  it('ends when its signal is aborted', async () => {
    const reason = new Error('enough');
    const controller = new AbortController();
    const { client, seen } = createStub(() => page([1], 'b'));
    const reading = (async () => {
      for await (const _ of client.patients.list({}, { signal: controller.signal })) controller.abort(reason);
    })();
    await expect(reading).rejects.toBe(reason);
    expect(seen.length).toBeLessThan(3);
  });

  it.each([0, 1001, 1.5, Number.NaN])('of pages of %d rows is refused', (pageSize) => {
    const { client } = createStub(() => page([]));
    expect(() => client.patients.list({}, { pageSize })).toThrow('`pageSize`');
  });
});

describe('the rate limit', () => {
  const readWith = async (...headers: Record<string, string>[]) => {
    const replies = headers.map((each, index) =>
      page([index], index < headers.length - 1 ? 'next' : undefined, each),
    );
    const stub = createStub(inOrder(...replies));
    await stub.client.patients.list().toArray();
    return stub.waits;
  };

  it('delays the next page when a twentieth of it or less is left', async () => {
    expect(await readWith(limits(31, 41), limits(30, 41), limits(29, 10), {})).toEqual([41_000, 10_000]);
  });

  it('delays the next page only when it is used up, if the limit is small', async () => {
    expect(await readWith(limits(1, 41, 10), limits(0, 7, 10), {})).toEqual([7000]);
  });

  it('of an access token delays the next page as well', async () => {
    const ofToken = { 'ratelimit-policy': '"token";q=3000;w=60', ratelimit: '"token";r=150;t=9' };
    expect(await readWith(ofToken, {})).toEqual([9000]);
  });

  it.each([{}, { ratelimit: 'x' }, { ratelimit: '"other";r=0;t=9' }, { ratelimit: '"key";r=5;t=9' }])(
    'delays no page without valid headers for a nearly used limit: %o',
    async (headers) => {
      expect(await readWith(headers, {})).toEqual([]);
    },
  );

  it('of an earlier call counts, until its window has ended', async () => {
    const clock = createClock();
    const { client, waits, pass } = createStub(() => page([], undefined, limits(0, 20)), { clock });
    await client.patients.get('a');
    expect(waits).toEqual([]);
    pass(15_000);
    await client.patients.list().page();
    expect(waits).toEqual([5000]);
    pass(20_000);
    await client.patients.list().page();
    expect(waits).toEqual([5000]);
  });
});
