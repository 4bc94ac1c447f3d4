import { counted, inSlices, startSlice } from '@chairside/concurrency';
import { Refusal, type ResourceLimit, type WriteResult } from '@chairside/domain';
import { closedSignal, errorBody } from '@chairside/http-server';
import type { ReservedIds } from '@chairside/mongodb';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Dependencies } from '../context.ts';
import { countFailure, refusalOf } from '../http/error-handler.ts';
import { PRINCIPAL_LIFE_MS } from '../http/principal-cache.ts';
import { newIds } from '../records/idempotency.ts';
import { withFewerIssues } from './issues.ts';
import type { KeyLease } from './key-lease.ts';
import { externalIdsIn, inOrder, type Known, type PlacedWrite } from './order.ts';
import type { ReadWrite } from './read.ts';
import { earlierResults } from './replay.ts';
import { idsOfRow, type MakeWrite, openBatchWrites, type Written } from './run.ts';

/** How many writes of a batch are made at once, in one turn of its organization. */
const SLICE = 50;
/** How many of them begin together. What each computes waits for a slice. */
const TOGETHER = 10;
/** How long a batch writes before it notes what it has written, and renews its lease of 30 s, in milliseconds. */
const NOTED_EVERY_MS = 1000;
/** The records in the response to a batch, in bytes of their JSON. A record can have 171 kB. */
const MAX_RECORD_BYTES = 4 * 2 ** 20;

export const batchResultLimits: readonly ResourceLimit[] = [
  {
    id: 'batch_records',
    part: 'Writing',
    resource: 'Records in the response to a batch, together',
    value: MAX_RECORD_BYTES / 2 ** 20,
    unit: 'MiB',
    beyond: 'the other results have no `record`',
  },
];

const ended = (): Refusal =>
  new Refusal(
    'ServiceUnavailable',
    'The batch has ended before this write. Send it again, with the same Idempotency-Key.',
    { retryAfter: 1 },
  );

export type Batch = {
  request: FastifyRequest;
  reply: FastifyReply;
  writes: readonly ReadWrite[];
  /** Whether the results have no records. */
  isMinimal: boolean;
  /** Undefined without a key. */
  lease: KeyLease | undefined;
};

/** A batch in progress. */
type Run = Batch & {
  /** The ids from which those of the rows are made. */
  ids: ReservedIds;
  /** Ends the batch before its next slice. */
  signal: AbortSignal;
  makeWrite: MakeWrite;
  /** The error that a single call would respond with. */
  refused(error: unknown): WriteResult;
  results: WriteResult[];
  /** The bytes of the records in the results. */
  bytes: number;
  written: Set<number>;
  /** The rows that changed nothing. */
  unchanged: Set<number>;
  notedAt: number;
};

const tell = (run: Run, index: number, { record, isCreated, isChanged }: Written): void => {
  const { isMinimal, results } = run;
  if (!isMinimal) run.bytes += counted(() => Buffer.byteLength(JSON.stringify(record)));
  results[index] = {
    ...{ status: 200, _id: record._id, created: isCreated, changed: isChanged },
    ...(!isMinimal && run.bytes <= MAX_RECORD_BYTES && { record: record as WriteResult['record'] }),
  };
};

const writeOne = async (run: Run, { index, write }: PlacedWrite): Promise<void> => {
  const { request, reply, ids, makeWrite, written, unchanged, results } = run;
  try {
    request.requireScope(`${write.kind}s:write`);
    const row = { ids: idsOfRow(ids, index), ifMatch: write.ifMatch };
    const made = await makeWrite({ request, reply, row }, write);
    (made.isChanged ? written : unchanged).add(index);
    tell(run, index, made);
  } catch (error) {
    results[index] = run.refused(error);
  }
};

/** @returns whether the batch goes on: no other caller has taken its key over */
const noteWritten = async (run: Run): Promise<boolean> => {
  run.notedAt = performance.now();
  const notes = { written: [...run.written], unchanged: [...run.unchanged] };
  return !(await run.lease?.note(notes));
};

/** Makes some writes in a turn. @returns whether the batch goes on */
const writeSlice = async (run: Run, slice: readonly PlacedWrite[]): Promise<boolean> => {
  // Much may have happened while the slice waited for its turn.
  if (run.signal.aborted) return false;
  await run.request.authorizeAgain(PRINCIPAL_LIFE_MS);
  if (performance.now() - run.notedAt > NOTED_EVERY_MS && !(await noteWritten(run))) return false;
  const made: Promise<void>[] = [];
  const pace = startSlice();
  for (const [place, placed] of slice.entries()) {
    // Writes that begin together share their statements, and what they compute together is a slice.
    if (place > 0 && place % TOGETHER === 0) await pace.pause();
    made.push(writeOne(run, placed));
  }
  await Promise.all(made);
  return true;
};

const writeInOrder = async (run: Run, left: readonly PlacedWrite[], known: Known): Promise<void> => {
  for (const group of inOrder(left, known))
    for (let from = 0; from < group.length; from += SLICE) {
      const slice = group.slice(from, from + SLICE);
      if (!(await run.request.inTurn(() => writeSlice(run, slice), slice.length))) return;
    }
};

/** The writes that are well formed and in the scopes of the caller. The others get their results. */
const placedWrites = ({ request, writes, results, refused }: Run): PlacedWrite[] => {
  const placed: PlacedWrite[] = [];
  for (const [index, read] of writes.entries()) {
    try {
      if ('refusal' in read) throw read.refusal;
      request.requireScope(`${read.write.kind}s:write`);
      placed.push({ index, write: read.write });
    } catch (error) {
      results[index] = refused(error);
    }
  }
  return placed;
};

/** Tells what earlier batches with the same key have written. The first one notes which records it may change. */
const recallEarlier = async (run: Run, placed: readonly PlacedWrite[], known: Known): Promise<void> => {
  const { request, ids, lease, isMinimal } = run;
  if (lease === undefined) return;
  if (lease.notes !== undefined) {
    const idsOf = (index: number) => idsOfRow(ids, index);
    const earlier = await earlierResults(request, placed, {
      ...{ known, idsOf, notes: lease.notes, isMinimal },
      tell: (index, made) => tell(run, index, made),
    });
    for (const [index, _id] of earlier.unchanged)
      run.results[index] = { status: 200, _id, created: false, changed: false };
    for (const [index, refusal] of earlier.refused) run.results[index] = run.refused(refusal);
    return;
  }
  const recordIds = run.writes.map((): string | null => null);
  for (const { index, write } of placed)
    recordIds[index] = known[write.kind].get(write.externalId ?? '') ?? null;
  await lease.note({ recordIds });
};

/**
 * Returns a function that makes the writes of a batch.
 *
 * @param stopping ends all batches before their next slice
 */
export const openBatches = (dependencies: Dependencies, stopping: AbortSignal) => {
  const { metrics } = dependencies;
  const makeWrite = openBatchWrites(dependencies);
  const refusedFor = (request: FastifyRequest) => (error: unknown) => {
    const refusal = refusalOf(error as Error, request);
    if (refusal === undefined) request.log.error({ err: error }, 'a write of a batch failed');
    countFailure(metrics, refusal);
    const body = errorBody(refusal, request.id);
    const retryAfter = refusal?.retryAfter;
    return { status: body.statusCode, error: body, ...(retryAfter !== undefined && { retryAfter }) };
  };

  return async (batch: Batch): Promise<WriteResult[]> => {
    const { request, reply, lease } = batch;
    const run: Run = {
      ...batch,
      ids: lease?.ids ?? newIds(),
      signal: AbortSignal.any([closedSignal(reply.raw), stopping]),
      makeWrite,
      refused: refusedFor(request),
      results: [],
      bytes: 0,
      written: new Set(lease?.notes?.written),
      unchanged: new Set(lease?.notes?.unchanged),
      notedAt: performance.now(),
    };
    const { results, refused } = run;
    inSlices();
    const placed = placedWrites(run);
    const named = externalIdsIn(placed);
    const known = {
      patient: await request.store.patients.idsOf(named.patient),
      appointment: await request.store.appointments.idsOf(named.appointment),
    };
    await recallEarlier(run, placed, known);
    const left = placed.filter(({ index }) => results[index] === undefined);
    const endWith = (error: unknown): void => {
      for (const { index } of left) results[index] ??= refused(error);
    };
    // The caller may lose its access, or too many requests may wait. What was written so far is told.
    await writeInOrder(run, left, known).catch(endWith);
    endWith(ended());
    await noteWritten(run);
    return withFewerIssues(results);
  };
};
