import type { Call } from './call.ts';
import { ChairsideError, errorFrom, invalid, unexpectedResponse } from './errors.ts';
import { type CreateOptions, createOnce } from './groups.ts';
import type { BatchResult, BatchWrite, WriteResult } from './records.ts';
import { jsonOf, type Request, type Transport } from './transport.ts';

/**
 * The options of a batch.
 *
 * @example
 * const options: BatchOptions = { minimal: true, idempotencyKey: 'sync-2030-01-31-part-1' };
 */
export interface BatchOptions extends CreateOptions {
  /** Whether the results have no records. Default: false. */
  minimal?: boolean | undefined;
}

/**
 * The options of `importAll`. An `idempotencyKey` has at most 240 characters here.
 *
 * @example
 * const options: ImportOptions = { minimal: true, idempotencyKey: 'sync-2030-01-31', skip: 1000 };
 */
export interface ImportOptions extends BatchOptions {
  /**
   * The number of rows to leave out, to continue an earlier call with the same rows and the same `idempotencyKey`: the
   * `next` of the last batch that you got. Default: 0.
   */
  skip?: number | undefined;
}

/**
 * A batch of `importAll` that has been written.
 *
 * @example
 * const refusedIn = ({ writes, results }: ImportedBatch) => writes.filter((_, index) => results[index]?.error);
 */
export interface ImportedBatch {
  readonly writes: readonly BatchWrite[];
  /**
   * The results, in the order of the writes. Each is final: the row is written, or has an error that a repetition would not
   * change. 500 means that the service failed at the row.
   */
  readonly results: readonly WriteResult[];
  /** The number of rows up to the end of this batch, for `skip`. */
  readonly next: number;
}

/** The maximum number of writes of a batch. */
const MAX_WRITES = 500;
/** The maximum size of the writes of a batch, in bytes: 1 MiB, less the fields around them. */
const MAX_BYTES = 2 ** 20 - 100;

type Batch = { writes: BatchWrite[]; next: number };

/** Divides the rows. The same rows are always divided in the same way, so a repeated batch has the same writes. */
async function* batchesOf(
  rows: Iterable<BatchWrite> | AsyncIterable<BatchWrite>,
  skip: number,
): AsyncGenerator<Batch, void, undefined> {
  const encoder = new TextEncoder();
  let next = 0;
  let writes: BatchWrite[] = [];
  let bytes = 0;
  for await (const row of rows) {
    if (next >= skip) {
      const size = encoder.encode(jsonOf(row)).length + 1;
      if (writes.length > 0 && bytes + size > MAX_BYTES) {
        yield { writes, next };
        writes = [];
        bytes = 0;
      }
      writes.push(row);
      bytes += size;
    }
    next++;
    if (writes.length === MAX_WRITES) {
      yield { writes, next };
      writes = [];
      bytes = 0;
    }
  }
  if (writes.length > 0) yield { writes, next };
}

/** Statuses after which the row may be written later: of the credential, of a limit, or of the service. */
const NOT_FINAL: readonly number[] = [401, 403, 408, 429, 503];

/** The error of a write that may still be made. Of several, that with the longest wait. */
const problemOf = (writes: readonly BatchWrite[]) => (data: unknown) => {
  const { results } = Object(data) as Partial<BatchResult>;
  if (results?.length !== writes.length) return unexpectedResponse(200, undefined);
  const [worst] = results
    .filter(({ status }) => NOT_FINAL.includes(status))
    .sort((one, other) => (other.retryAfter ?? 0) - (one.retryAfter ?? 0));
  return worst?.error && errorFrom(worst.error, worst);
};

/** Sends one batch. @param unfinished returns the error for which it is repeated */
export const sendBatch = (
  transport: Transport,
  writes: readonly BatchWrite[],
  { minimal, ...options }: BatchOptions = {},
  unfinished?: Request['problemOf'],
): Call<BatchResult> => {
  const body = { writes, ...(minimal && { return: 'minimal' }) };
  return createOnce(transport, options, () => '/api/batch', body, unfinished);
};

/** Sends a batch until each result is final. */
const resultsOf = async (
  transport: Transport,
  writes: readonly BatchWrite[],
  options: BatchOptions,
): Promise<readonly WriteResult[]> => {
  try {
    return (await sendBatch(transport, writes, options, problemOf(writes))).results;
  } catch (error) {
    // Only the write itself can be too large here, and it stops no other one.
    if (!(error instanceof ChairsideError) || error.name !== 'PayloadTooLarge' || writes.length > 1)
      throw error;
    const { name, message, details } = error;
    return [
      {
        status: 413,
        error: { name, message, statusCode: 413, details } as NonNullable<WriteResult['error']>,
      },
    ];
  }
};

/** Makes any number of writes, one batch after the other. Its caller describes it. */
export async function* importAll(
  transport: Transport,
  rows: Iterable<BatchWrite> | AsyncIterable<BatchWrite>,
  { idempotencyKey = crypto.randomUUID(), skip = 0, ...options }: ImportOptions = {},
): AsyncGenerator<ImportedBatch, void, undefined> {
  if (!/^.{1,240}$/.test(idempotencyKey)) throw invalid('`idempotencyKey` must have 1 to 240 characters.');
  for await (const { writes, next } of batchesOf(rows, skip)) {
    const key = `${idempotencyKey}-${next - writes.length}`;
    const results = await resultsOf(transport, writes, { ...options, idempotencyKey: key });
    yield { writes, results, next };
  }
}
