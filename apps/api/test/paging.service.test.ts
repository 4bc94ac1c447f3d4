import { newId } from '@chairside/domain';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiResponse, openTestApi, type TestApi } from './api.ts';

const RUNS = 8;
const _TIMEOUT = 60_000;
const HOUR = 3_600_000;
/** The overlap of two polls, as docs/guide.md recommends. */
const OVERLAP_MS = 60_000;

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());

/** One write by another caller; `of` chooses the record. */
const write = fc.record({
  verb: fc.constantFrom('insert', 'edit', 'move', 'delete'),
  of: fc.nat(),
  day: fc.integer({ min: 1, max: 28 }),
});
type Write = { verb: string; of: number; day: number };
/** The writes of other callers while the pages are read: one array for each page. */
const writes = fc.array(fc.array(write, { maxLength: 4 }), { minLength: 2, maxLength: 8 });
const list = fc.record({
  size: fc.integer({ min: 1, max: 30 }),
  limit: fc.integer({ min: 1, max: 7 }),
  writes,
});

const startOf = (day: number) => `2030-01-${String(day).padStart(2, '0')}T08:00:00.000Z`;

/** Creates a clinic with this many appointments, and a writer that changes them. */
const openList = async (size: number) => {
  const clinicId = newId();
  const lastEditTime = new Date(Date.now() - HOUR).toISOString();
  const { clinics, appointments } = api.practice.store;
  const clinic = { _id: clinicId, name: 'A clinic', currency: 'EUR', timezone: 'UTC', lastEditTime };
  await clinics.create(clinic);
  const ids: string[] = [];
  for (let index = 0; index < size; index++) {
    const _id = newId();
    const startTime = startOf(1 + (index % 28));
    const rest = {
      status: 'REQUESTED' as const,
      procedures: [],
      reminders: [],
      createdTime: lastEditTime,
      lastEditTime,
    };
    await appointments.create({ _id, clinicId, startTime, ...rest });
    ids.push(_id);
  }
  /** The records that were inserted or deleted, or whose place in the list may have changed. */
  const moved = new Set<string>();
  return {
    path: `/api/appointments?clinicId=${clinicId}`,
    ids,
    moved,
    async write({ verb, of, day }: Write) {
      const id = ids[of % ids.length] ?? '';
      if (verb === 'insert') {
        const { json } = await api.call('POST', '/api/appointments', {
          body: { clinicId, startTime: startOf(day) },
        });
        moved.add(json._id);
        return;
      }
      if (verb !== 'edit') moved.add(id);
      const body = verb === 'edit' ? { status: 'CANCELED' } : { startTime: startOf(day) };
      const path = `/api/appointments/${id}`;
      const { status } = await (verb === 'delete'
        ? api.call('DELETE', path)
        : api.call('PUT', path, { body }));
      // An earlier write may have deleted the record.
      expect([200, 404]).toContain(status);
    },
  };
};

/** Reads page after page, and runs `beside`, such as a write, concurrently with each read. */
const readPages = async (first: string, beside: () => Promise<unknown> = async () => {}) => {
  const rows: any[] = [];
  for (let path: string | undefined = first; path !== undefined; ) {
    const [response]: [ApiResponse, unknown] = await Promise.all([api.call('GET', path), beside()]);
    expect(response.status).toBe(200);
    rows.push(...response.json);
    path = /^<(.+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];
  }
  return rows;
};

test('pages return each unmoved record exactly once while others write', () =>
  fc.assert(
    fc.asyncProperty(list, async ({ size, limit, writes }) => {
      const { path, ids, moved, write } = await openList(size);
      const turns = writes.values();
      const rows = await readPages(`${path}&limit=${limit}`, () =>
        Promise.all((turns.next().value ?? []).map(write)),
      );
      const times = new Map<string, number>();
      for (const { _id } of rows) times.set(_id, (times.get(_id) ?? 0) + 1);
      const stayed = ids.filter((id) => !moved.has(id));
      expect(stayed.filter((id) => times.get(id) !== 1)).toEqual([]);
    }),
    { numRuns: RUNS },
  ));

test('two polls by updatedSince return the latest state of each record while others write', () =>
  fc.assert(
    fc.asyncProperty(list, async ({ size, limit, writes }) => {
      const { path, write } = await openList(size);
      const poll = (since: number, beside?: () => Promise<unknown>) =>
        readPages(`${path}&updatedSince=${new Date(since).toISOString()}&limit=${limit}`, beside);
      const turns = writes.values();
      const startedAt = Date.now();
      const seen = await poll(0, () => Promise.all((turns.next().value ?? []).map(write)));
      seen.push(...(await poll(startedAt - OVERLAP_MS)));
      const latest = new Map(seen.map((row) => [row._id, row]));
      const { json: whole } = await api.call('GET', path);
      expect(whole.map(({ _id }: { _id: string }) => latest.get(_id))).toEqual(whole);
    }),
    { numRuns: RUNS },
  ));
