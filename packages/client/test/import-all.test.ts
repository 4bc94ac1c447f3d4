import { describe, expect, it } from 'vitest';
import type { BatchWrite, ImportedBatch, ImportOptions, WriteResult } from '../src/index.ts';
import { createStub, failure, type Reply } from './stub.ts';

type Row = BatchWrite & { externalId: string };

const rowsOf = (count: number, more: (index: number) => object = () => ({})): Row[] =>
  Array.from({ length: count }, (_, index) => ({
    method: 'upsert',
    kind: 'patient',
    externalId: `pms:${index}`,
    body: { clinicId: 'cli_1', ...more(index) },
  }));

const refused = (status: number, name: string, retryAfter?: number): WriteResult => {
  const { body } = failure(status, name);
  const error = body as NonNullable<WriteResult['error']>;
  return { status, error, ...(retryAfter !== undefined && { retryAfter }) };
};
const written = ({ externalId }: Row): WriteResult => ({
  status: 200,
  _id: `id of ${externalId}`,
  created: true,
  changed: true,
});

/** A service that writes each row, unless `refuse` returns something else for it. */
const openService = (refuse: (row: Row, count: number) => WriteResult | undefined = () => undefined) =>
  createStub(({ body }, count): Reply => {
    const results = body.writes.map((row: Row) => refuse(row, count) ?? written(row));
    return { body: { results } };
  });

type Service = ReturnType<typeof createStub>;
const importInto = async (
  { client }: Service,
  rows: Iterable<BatchWrite> | AsyncIterable<BatchWrite>,
  options?: ImportOptions,
): Promise<ImportedBatch[]> => {
  const batches: ImportedBatch[] = [];
  for await (const batch of client.importAll(rows, options)) batches.push(batch);
  return batches;
};
const idsIn = (batches: readonly ImportedBatch[]) =>
  batches.flatMap(({ results }) => results.map(({ _id }) => _id));
const keysOf = ({ seen }: Service) =>
  seen.map(({ init }) => (init.headers as Record<string, string>)['idempotency-key']);

describe('importAll', () => {
  it('fills batches of 500 rows, one after the other, and yields the results in the order of the rows', async () => {
    const service = openService();
    const rows = rowsOf(1201);
    const batches = await importInto(service, rows, { idempotencyKey: 'run', minimal: true });
    expect(batches.map(({ writes, next }) => [writes.length, next])).toEqual([
      [500, 500],
      [500, 1000],
      [201, 1201],
    ]);
    expect(idsIn(batches)).toEqual(rows.map(({ externalId }) => `id of ${externalId}`));
    expect(keysOf(service)).toEqual(['run-0', 'run-500', 'run-1000']);
    expect(service.seen.map(({ body }) => body.return)).toEqual(Array(3).fill('minimal'));
  });

  it('fills no batch beyond 1 MiB, in bytes', async () => {
    const service = openService();
    const rows = rowsOf(12, () => ({ name: 'ä'.repeat(100_000) }));
    expect(idsIn(await importInto(service, rows))).toHaveLength(12);
    const sizes = service.seen.map(({ init }) => new TextEncoder().encode(init.body as string).length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(2 ** 20);
    expect(sizes).toHaveLength(3);
  });

  it('reads rows that arrive only when the batch before them has been written', async () => {
    const service = openService();
    let read = 0;
    async function* rows() {
      for (const row of rowsOf(1500)) {
        read++;
        yield row;
      }
    }
    const batches = service.client.importAll(rows());
    await batches.next();
    expect(read).toBe(500);
  });

  it('repeats a batch with the same key until each result is final, and waits as long as its rows ask', async () => {
    const service = openService((row, count) => {
      if (row.externalId === 'pms:7' && count === 1) return refused(503, 'ServiceUnavailable', 2);
      if (row.externalId === 'pms:8' && count < 3) return refused(429, 'TooManyRequests', 5);
      return row.externalId === 'pms:9' ? refused(409, 'Conflict') : undefined;
    });
    const [batch] = await importInto(service, rowsOf(10));
    expect(batch?.results.map(({ status }) => status)).toEqual([...Array(9).fill(200), 409]);
    expect(new Set(keysOf(service)).size).toBe(1);
    expect(service.waits).toEqual([5000, 5000]);
  });

  it.each([
    ['a row that lacks a scope', 403, 1],
    ['a row whose session has ended', 401, 1],
    ['a row that is never written', 503, 5],
  ])('ends with the error of %s, after the batches before it', async (_, status, requests) => {
    const service = openService(({ externalId }) =>
      externalId === 'pms:500' ? refused(status, 'Refused') : undefined,
    );
    const batches = service.client.importAll(rowsOf(501));
    expect((await batches.next()).value?.next).toBe(500);
    await expect(batches.next()).rejects.toMatchObject({ status, requestId: 'req_1' });
    expect(service.seen).toHaveLength(1 + requests);
  });

  it('continues where an earlier call has stopped, with the same key for the same rows', async () => {
    const first = openService();
    const rows = rowsOf(1300, (index) => ({ name: 'x'.repeat((index * 37) % 3000) }));
    const batches = await importInto(first, rows, { idempotencyKey: 'run' });
    for (const { next: skip } of batches) {
      const again = openService();
      await importInto(again, rows, { idempotencyKey: 'run', skip });
      const sent = first.seen.slice(first.seen.length - again.seen.length).map(({ body }) => body);
      expect(again.seen.map(({ body }) => body)).toEqual(sent);
      expect(keysOf(again)).toEqual(keysOf(first).slice(first.seen.length - again.seen.length));
    }
  });

  it('refuses a row alone that is larger than a batch may be', async () => {
    const { client } = createStub(({ body }) =>
      JSON.stringify(body).length > 2 ** 20
        ? failure(413, 'PayloadTooLarge')
        : { body: { results: body.writes.map(written) } },
    );
    const rows = rowsOf(3, (index) => (index === 1 ? { name: 'x'.repeat(2 ** 20) } : {}));
    const results: WriteResult[] = [];
    for await (const batch of client.importAll(rows)) results.push(...batch.results);
    expect(results.map(({ status }) => status)).toEqual([200, 413, 200]);
    expect(results[1]?.error?.message).toBe('refused with 413');
  });

  it('returns the 500 of a row as its result, and goes on', async () => {
    const service = openService(({ externalId }) =>
      externalId === 'pms:7' ? refused(500, 'InternalServerError') : undefined,
    );
    const batches = await importInto(service, rowsOf(600));
    expect(batches.flatMap(({ results }) => results).filter(({ status }) => status !== 200)).toHaveLength(1);
    expect(service.seen).toHaveLength(2);
  });

  it.each([{}, [], null, { results: null }, { results: [] }])(
    'refuses a response that does not have the results: %j',
    async (body) => {
      const { client } = createStub(() => ({ body }), { retry: false });
      await expect(client.importAll(rowsOf(2)).next()).rejects.toMatchObject({ name: 'UnexpectedResponse' });
    },
  );

  it.each(['', 'x'.repeat(241)])(
    'refuses a key that leaves no place for the number of the row',
    async (key) => {
      const service = openService();
      const rejected = importInto(service, rowsOf(1), { idempotencyKey: key });
      await expect(rejected).rejects.toMatchObject({ name: 'InvalidArgument' });
      expect(service.seen).toEqual([]);
    },
  );

  it('sends nothing for no rows, and refuses what is not JSON before it is sent', async () => {
    const service = openService();
    expect(await importInto(service, [])).toEqual([]);
    const wrong = { method: 'create', kind: 'patient', body: { name: 1n } } as unknown as BatchWrite;
    await expect(importInto(service, [wrong])).rejects.toMatchObject({ name: 'InvalidArgument' });
    expect(service.seen).toEqual([]);
  });
});
