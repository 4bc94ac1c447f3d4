import {
  type BatchWrite,
  type BookingOptions,
  type Chairside,
  ChairsideError,
  type WriteResult,
} from '@chairside/client';
import { FLAGS } from '../flags/flag-table.ts';
import type { Flag } from '../flags/flags.ts';
import type { Noun } from '../nouns.ts';

/** What is done with each row of a file. */
export type Verb = 'create' | 'update' | 'upsert';

export type WriteOptions = {
  /** The part of the idempotency keys that is the same for the whole run. */
  idempotencyKey: string;
  /** The number of rows that earlier runs have ended. */
  skip: number;
  signal: AbortSignal;
};

/** How the rows of a file are written. */
export type Writes = {
  verb: Verb;
  flags: readonly Flag[];
  /** What each row needs: of each group of fields, one. */
  needed: readonly (readonly string[])[];
  /** Writes rows in their order. @returns the results of the next rows, in their order, each time some have ended */
  write(
    client: Chairside,
    rows: AsyncIterable<Record<string, unknown>>,
    options: WriteOptions,
  ): AsyncIterable<{ results: readonly WriteResult[] }>;
};

type Row = Record<string, unknown>;
type Kind = BatchWrite['kind'];

const writeOf = (kind: Kind, verb: Verb, row: Row): BatchWrite => {
  if (verb === 'create') return { method: verb, kind, body: row };
  const { _id, ...fields } = row as { _id?: string | null };
  if (verb === 'update' && _id !== undefined && _id !== null)
    return { method: verb, kind, _id, body: fields };
  const { externalId, ...body } = (verb === 'update' ? fields : row) as { externalId?: string };
  return { method: verb, kind, ...(externalId !== undefined && { externalId }), body };
};

async function* writesOf(
  kind: Kind,
  verb: Verb,
  rows: AsyncIterable<Row>,
): AsyncGenerator<BatchWrite, void, undefined> {
  for await (const row of rows) yield writeOf(kind, verb, row);
}

/** Maximum number of single calls at the same time. */
const MAX_AT_ONCE = 8;

/** Statuses that refuse only one row. The next row may succeed. */
const ROW_REFUSALS: readonly unknown[] = [400, 409, 412, 413, 415];

/**
 * The result of a row that the service refuses. A response with `Retry-After` says nothing about the row: its first request
 * is still running, and may yet create it.
 */
const refusedRow = (error: unknown): WriteResult => {
  if (!(error instanceof ChairsideError) || !ROW_REFUSALS.includes(error.status)) throw error;
  const { name, message, status = 0, details, retryAfter } = error;
  if (retryAfter !== undefined) throw error;
  const body = { name, message, statusCode: status, details };
  return { status, error: body as NonNullable<WriteResult['error']> };
};

type Send = (row: Row, idempotencyKey: string) => PromiseLike<object>;

/** Writes rows with single calls, some of them at the same time. The order of these is not defined. */
async function* writeEach(
  send: Send,
  rows: AsyncIterable<Row>,
  { idempotencyKey, skip, signal }: WriteOptions,
): AsyncGenerator<{ results: readonly WriteResult[] }, void, undefined> {
  const writeOne = async (row: Row, index: number): Promise<WriteResult> => {
    try {
      const { _id } = (await send(row, `${idempotencyKey}-${index}`)) as { _id: string };
      return { status: 200, _id, created: true, changed: true };
    } catch (error) {
      return refusedRow(error);
    }
  };
  let index = 0;
  let group: Promise<WriteResult>[] = [];
  // All calls of a group end before a failure is reported.
  const endGroup = async () => {
    await Promise.allSettled(group);
    signal.throwIfAborted();
    const results = await Promise.all(group);
    group = [];
    return { results };
  };
  for await (const row of rows) {
    if (index >= skip) {
      const result = writeOne(row, index);
      // A failure is reported at the end of the group.
      result.catch(() => {});
      group.push(result);
    }
    index++;
    if (group.length >= MAX_AT_ONCE) yield await endGroup();
  }
  if (group.length > 0) yield await endGroup();
}

const ID: Flag = { name: '_id', type: 'string', description: 'The record' };

/** How a noun writes the rows of a file; undefined if it does not. */
export const writesOfNoun = (noun: Noun, verb: Verb, booking: BookingOptions): Writes | undefined => {
  const operation = noun[verb]?.operation;
  if (operation === undefined) return undefined;
  const flags = FLAGS[operation] ?? [];
  const { kind, create } = noun;
  if (kind !== undefined && booking.onlyIfFree !== true)
    return {
      verb,
      flags: verb === 'update' ? [ID, ...flags] : flags,
      needed: { create: requiredIn(flags), update: [['_id', 'externalId']], upsert: [['externalId']] }[verb],
      write: (client, rows, options) =>
        client.importAll(writesOf(kind, verb, rows), { ...options, minimal: true }),
    };
  if (verb !== 'create' || create === undefined) return undefined;
  return {
    ...{ verb, flags, needed: requiredIn(flags) },
    write: (client, rows, options) =>
      writeEach((row, key) => create.send(client, row, key, booking), rows, options),
  };
};

const requiredIn = (flags: readonly Flag[]): string[][] =>
  flags.filter(({ isRequired }) => isRequired).map(({ name }) => [name]);
