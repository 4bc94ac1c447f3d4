import {
  BYTES_OF_ROW,
  batchResultSchema,
  batchSchema,
  isOfClinics,
  MAX_BATCH_BYTES,
  type Refusal,
  type ResourceLimit,
  ROWS_OF_ORGANIZATION,
  ROWS_OF_PRINCIPAL,
} from '@chairside/domain';
import type { Limit, LimitState, RateLimiter } from '@chairside/queue';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App, Dependencies } from '../context.ts';
import { PRINCIPAL_LIFE_MS } from '../http/principal-cache.ts';
import { callLimit, tooManyRequests } from '../http/rate-limit-refusal.ts';
import { append } from '../records/event-bytes.ts';
import { openBatches } from './batch.ts';
import { leaseOf } from './key-lease.ts';
import { readWrites } from './read.ts';
import { openBatchTurns } from './turns.ts';

/** The window of the limits of rows, in seconds. */
const WINDOW = 60;

const rowsIn = (calls: number): Limit => ({ calls, seconds: WINDOW });
export const batchRateLimits: readonly ResourceLimit[] = [
  callLimit(
    'rows_of_key',
    'Writing',
    `Writes in batches of one API key, or of one operator; ${BYTES_OF_ROW / 1024} KiB of a body count as one`,
    rowsIn(ROWS_OF_PRINCIPAL),
  ),
  callLimit(
    'rows_of_organization',
    'Writing',
    `Writes in batches of one organization; ${BYTES_OF_ROW / 1024} KiB of a body count as one`,
    rowsIn(ROWS_OF_ORGANIZATION),
  ),
];

/** The limits of the rows of a caller. First that of the key: what is beyond it does not count for the organization. */
const limitsOf = ({ principal: { kind, id, organizationId } }: FastifyRequest) =>
  [
    { id: 'rows_of_key', key: `${kind}:${id}`, calls: ROWS_OF_PRINCIPAL, who: 'You' },
    {
      id: 'rows_of_organization',
      key: organizationId,
      calls: ROWS_OF_ORGANIZATION,
      who: 'Your organization',
    },
  ].map((limit) => ({
    ...limit,
    counter: `${limit.id}:${limit.key}`,
    refusal: (state: LimitState): Refusal =>
      tooManyRequests(
        limit.id,
        `${limit.who} may send at most ${limit.calls} writes in batches in ${WINDOW} s.`,
        state,
      ),
  }));

/**
 * Refuses a batch before its body is read, if no row is left: reading it computes.
 *
 * @throws {Refusal} TooManyRequests
 */
const requireRowsLeft = async (
  limiter: Pick<RateLimiter, 'look'>,
  request: FastifyRequest,
): Promise<void> => {
  for (const { counter, calls, refusal } of limitsOf(request)) {
    const state = await limiter.look(counter, rowsIn(calls));
    if (!state.isAllowed) throw refusal(state);
  }
};

/** Counts the rows of a batch. @throws {Refusal} TooManyRequests; then nothing was written */
const takeRows = async (
  limiter: Pick<RateLimiter, 'take'>,
  request: FastifyRequest,
  reply: FastifyReply,
  rows: number,
): Promise<void> => {
  for (const { id, counter, calls, refusal } of limitsOf(request)) {
    const state = await limiter.take(counter, rowsIn(calls), rows);
    // What is left for the organization tells what other clinics write.
    if (id === 'rows_of_key' || !isOfClinics(request.principal)) {
      append(reply, 'RateLimit-Policy', `"${id}";q=${calls};w=${WINDOW};qu="rows"`);
      append(reply, 'RateLimit', `"${id}";r=${state.remaining};t=${state.resetSeconds}`);
    }
    if (!state.isAllowed) throw refusal(state);
  }
};

export const batchRoutes = (app: App, dependencies: Dependencies): void => {
  const stopping = new AbortController();
  app.addHook('preClose', async () => stopping.abort());
  const makeBatch = openBatches(dependencies, stopping.signal);
  const takeTurn = openBatchTurns();

  app.post(
    '/api/batch',
    {
      onRequest: (request) => requireRowsLeft(dependencies.limiter, request),
      bodyLimit: MAX_BATCH_BYTES,
      config: { access: { anyScope: [] }, idempotent: true, isLarge: true },
      schema: {
        tags: ['Batches'],
        operationId: 'writeBatch',
        summary: 'Make many writes',
        description:
          'Makes the writes, each like its single call, and responds with a result for each, in the same order. A refused write stops no other one. Writes of one record are made in their order, and a write that names the external id of an earlier one waits for it. With an `Idempotency-Key`, a repeated batch returns what was written, and makes the other writes, unless a later one of the same record was made. Each write needs its own scope.',
        body: batchSchema,
        response: { 200: batchResultSchema },
      },
    },
    async (request, reply) => {
      const { writes: sent, return: form } = request.body;
      // First the limit: reading the rows computes.
      const rows = Math.max(sent.length, Math.ceil(request.bodyBytes / BYTES_OF_ROW));
      await takeRows(dependencies.limiter, request, reply, rows);
      const { writes, text } = await readWrites(sent);
      // Each slice has a turn of its own, so that a batch does not delay what others send meanwhile.
      request.endTurn();
      await takeTurn(request, reply);
      // Others hold their turns until they have read their responses.
      await request.authorizeAgain(PRINCIPAL_LIFE_MS);
      await using lease = await leaseOf(request, text);
      const results = await makeBatch({ request, reply, writes, isMinimal: form === 'minimal', lease });
      // The results have the form of the schema. The serializer of a schema is slow for either of two kinds of records.
      reply.type('application/json; charset=utf-8').serializer(JSON.stringify);
      return { results };
    },
  );
};
