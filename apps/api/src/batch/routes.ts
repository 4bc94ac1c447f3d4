import {
  batchResultSchema,
  batchSchema,
  clock,
  MAX_BATCH_BYTES,
  newId,
  Refusal,
  type ResourceLimit,
  ROWS_OF_ORGANIZATION,
  ROWS_OF_PRINCIPAL,
  type WriteResult,
} from '@chairside/domain';
import { closedSignal, errorBody } from '@chairside/http-server';
import type { ReservedIds } from '@chairside/mongodb';
import type { Limit, RateLimiter } from '@chairside/queue';
import { startSlice } from '@chairside/work';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App, Dependencies } from '../context.ts';
import { refusalOf } from '../http/error-handler.ts';
import { PRINCIPAL_LIFE_MS } from '../http/principal-cache.ts';
import { callLimit, tooManyRequests } from '../http/rate-limit-refusal.ts';
import { append } from '../records/event-bytes.ts';
import { withFewerIssues } from './issues.ts';
import { type KeyLease, leaseOf } from './key-lease.ts';
import { externalIdsIn, inOrder, type PlacedWrite } from './order.ts';
import { type ReadWrite, readWrites } from './read.ts';
import { earlierResults } from './replay.ts';
import { idsOfRow, type MakeWrite, openBatchWrites, type Written } from './run.ts';

/** How many writes of a batch are made at once, in one turn of its organization. */
const SLICE = 50;
/** How many of them begin together. A write computes a millisecond at most. */
const TOGETHER = 10;
/** The window of the limits of rows, in seconds. */
const WINDOW = 60;

const rowsIn = (calls: number): Limit => ({ calls, seconds: WINDOW });
export const batchRateLimits: readonly ResourceLimit[] = [
  callLimit(
    'rows_of_key',
    'Writing',
    'Writes in batches of one API key, or of one operator',
    rowsIn(ROWS_OF_PRINCIPAL),
  ),
  callLimit(
    'rows_of_organization',
    'Writing',
    'Writes in batches of one organization',
    rowsIn(ROWS_OF_ORGANIZATION),
  ),
];

/** Counts the rows of a batch. @throws {Refusal} TooManyRequests; then nothing was written */
const takeRows = async (
  limiter: Pick<RateLimiter, 'take'>,
  { principal: { kind, id, organizationId } }: FastifyRequest,
  reply: FastifyReply,
  rows: number,
): Promise<void> => {
  for (const [limit, key, calls, who] of [
    ['rows_of_organization', organizationId, ROWS_OF_ORGANIZATION, 'Your organization'],
    ['rows_of_key', `${kind}:${id}`, ROWS_OF_PRINCIPAL, 'You'],
  ] as const) {
    const state = await limiter.take(`${limit}:${key}`, rowsIn(calls), rows);
    append(reply, 'RateLimit-Policy', `"${limit}";q=${calls};w=${WINDOW};qu="rows"`);
    append(reply, 'RateLimit', `"${limit}";r=${state.remaining};t=${state.resetSeconds}`);
    if (!state.isAllowed)
      throw tooManyRequests(
        limit,
        `${who} may send at most ${calls} writes in batches in ${WINDOW} s.`,
        state,
      );
  }
};

const ended = (): Refusal =>
  new Refusal(
    'ServiceUnavailable',
    'The batch has ended before this write. Send it again, with the same Idempotency-Key.',
    { retryAfter: 1 },
  );

type Run = {
  request: FastifyRequest;
  reply: FastifyReply;
  ids: ReservedIds;
  isMinimal: boolean;
  /** Ends the batch before its next slice. */
  signal: AbortSignal;
  /** Undefined without a key. */
  lease: KeyLease | undefined;
};

export const batchRoutes = (app: App, dependencies: Dependencies): void => {
  const { limiter, metrics } = dependencies;
  const makeWrite: MakeWrite = openBatchWrites(dependencies);
  const stopping = new AbortController();
  app.addHook('preClose', async () => stopping.abort());

  const resultOf = ({ record, isCreated, isChanged }: Written, isMinimal: boolean): WriteResult => ({
    status: 200,
    _id: record._id,
    created: isCreated,
    changed: isChanged,
    ...(isMinimal ? {} : { record: record as WriteResult['record'] }),
  });
  /** The error that a single call would respond with. */
  const refused = (request: FastifyRequest, error: unknown): WriteResult => {
    const refusal = refusalOf(error as Error, request);
    if (refusal === undefined) request.log.error({ err: error }, 'a write of a batch failed');
    else metrics.refused({ name: refusal.name, limit: refusal.limit ?? 'none' });
    const body = errorBody(refusal, request.id);
    return { status: body.statusCode, error: body };
  };

  const writeOne = async (run: Run, { index, write }: PlacedWrite): Promise<WriteResult> => {
    const { request, reply, ids, isMinimal } = run;
    try {
      request.requireScope(`${write.kind}s:write`);
      const row = { ids: idsOfRow(ids, index), ifMatch: write.ifMatch };
      return resultOf(await makeWrite({ request, reply, row }, write), isMinimal);
    } catch (error) {
      return refused(request, error);
    }
  };

  /** Makes the writes of a group. @returns whether the batch goes on */
  const writeGroup = async (run: Run, group: PlacedWrite[], results: WriteResult[]): Promise<boolean> => {
    const { request, signal, lease } = run;
    for (let from = 0; from < group.length; from += SLICE) {
      if (signal.aborted || (await lease?.hasEnded())) return false;
      await request.authorizeAgain(PRINCIPAL_LIFE_MS);
      const slice = group.slice(from, from + SLICE);
      await request.inTurn(async () => {
        const made: Promise<void>[] = [];
        const pace = startSlice();
        for (const [place, placed] of slice.entries()) {
          // Writes that begin together share their statements, and what they compute together is a slice.
          if (place > 0 && place % TOGETHER === 0) await pace.pause();
          made.push(
            writeOne(run, placed).then((result) => {
              results[placed.index] = result;
            }),
          );
        }
        await Promise.all(made);
      }, slice.length);
    }
    return true;
  };

  const writeAll = async (run: Run, writes: readonly ReadWrite[]): Promise<WriteResult[]> => {
    const { request, lease, ids, isMinimal } = run;
    const { store } = request;
    const results: WriteResult[] = [];
    const placed: PlacedWrite[] = [];
    for (const [index, read] of writes.entries()) {
      if ('refusal' in read) results[index] = refused(request, read.refusal);
      else placed.push({ index, write: read.write });
    }
    const named = externalIdsIn(placed);
    const known = {
      patient: await store.patients.idsOf(named.patient),
      appointment: await store.appointments.idsOf(named.appointment),
    };
    const earlier = lease?.mayHaveWritten
      ? await earlierResults(request, placed, known, (index) => idsOfRow(ids, index))
      : new Map<number, Written>();
    for (const [index, result] of earlier) results[index] = resultOf(result, isMinimal);
    const left = placed.filter(({ index }) => !earlier.has(index));
    try {
      for (const group of inOrder(left, known)) if (!(await writeGroup(run, group, results))) break;
    } catch (error) {
      // The caller has lost its access, or too many requests wait. What was written so far is told.
      const refusal = refused(request, error);
      for (const { index } of left) results[index] ??= refusal;
    }
    for (const { index } of left) results[index] ??= refused(request, ended());
    return results;
  };

  app.post(
    '/api/batch',
    {
      bodyLimit: MAX_BATCH_BYTES,
      config: { access: { anyScope: [] }, idempotent: true, isLarge: true },
      schema: {
        tags: ['Batches'],
        operationId: 'writeBatch',
        summary: 'Make many writes',
        description:
          'Makes the writes, each like its single call, and responds with a result for each, in the same order. A refused write stops no other one. Writes of one record are made in their order, and a write that names the external id of an earlier one waits for it. With an `Idempotency-Key`, a repeated batch returns what was written, and makes the other writes. Each write needs its own scope.',
        body: batchSchema,
        response: { 200: batchResultSchema },
      },
    },
    async (request, reply) => {
      const { writes: sent, return: form } = request.body;
      const { writes, text } = await readWrites(sent);
      await using lease = await leaseOf(request, text);
      await takeRows(limiter, request, reply, writes.length);
      // Each slice has a turn of its own, so that a batch does not delay what others send meanwhile.
      request.endTurn();
      const ids = lease?.ids ?? { recordId: newId(clock.now()), eventId: newId(clock.now()) };
      const signal = AbortSignal.any([closedSignal(reply.raw), stopping.signal]);
      const run = { request, reply, ids, isMinimal: form === 'minimal', signal, lease };
      lease?.begin();
      const results = withFewerIssues(await writeAll(run, writes));
      // The results have the form of the schema. The serializer of a schema is slow for either of two kinds of records.
      reply.type('application/json; charset=utf-8').serializer(JSON.stringify);
      return { results };
    },
  );
};
