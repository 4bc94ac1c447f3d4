import { startSlice } from '@chairside/concurrency';
import { conflict, type Refusal } from '@chairside/domain';
import type { BatchNotes, ReservedIds } from '@chairside/mongodb';
import type { FastifyRequest } from 'fastify';
import { auditRead } from '../audit/record-reads.ts';
import { type Known, overtaken, type PlacedWrite } from './order.ts';
import type { Written } from './run.ts';

/** How a record is named. */
type Names = { _id: string; externalId?: string | undefined };

/** How many rows are read together. The body of an event can have 171 kB. */
const PAGE = 10;

const deleted = (): Refusal =>
  conflict(
    'idempotency_record_deleted',
    'What this write has made has been deleted since. Use a new key for a new batch.',
  );
const later = (): Refusal =>
  conflict(
    'later_write_made',
    'A later write of this batch has changed the record, so this one is not made again. It was refused, or the service has ended before it noted that nothing changed.',
  );

/** The records that a row names when a batch begins, and those that earlier rows create under its external id. */
const recordIdsOf = (
  placed: readonly PlacedWrite[],
  known: Known,
  idsOf: (index: number) => ReservedIds,
): Map<number, string[]> => {
  const created = new Map<string, string[]>();
  return new Map(
    placed.map(({ index, write: { kind, method, _id, externalId, body } }) => {
      const named = externalId ?? (method === 'create' ? body?.externalId : undefined);
      const { recordId } = idsOf(index);
      const name = `${kind} ${named}`;
      const ofBatch = named === undefined ? [] : (created.get(name) ?? []);
      if (typeof named === 'string' && method !== 'update') created.set(name, [...ofBatch, recordId]);
      const existing = externalId === undefined ? _id : known[kind].get(externalId);
      return [index, [recordId, ...(existing === undefined ? [] : [existing]), ...ofBatch]];
    }),
  );
};

type Earlier = {
  /** Called with what a write has made, in the order of the writes. Only its names are kept: a record can have 171 kB. */
  tell: (index: number, made: Written) => void;
  known: Known;
  idsOf: (index: number) => ReservedIds;
  notes: BatchNotes;
  /** Whether the records are not returned. */
  isMinimal: boolean;
};

/**
 * What earlier batches with the same key have made of the writes. An event that a row has stored has an id that is made
 * from the key and the place of the row, so it tells that the row was written, and with which result.
 *
 * @returns the records of writes that changed nothing before a later one did, and refusals, by place. Every other
 *   write must be made
 */
export const earlierResults = async (
  request: FastifyRequest,
  placed: readonly PlacedWrite[],
  { tell, known, idsOf, notes: { recordIds = [], written = [], unchanged = [] }, isMinimal }: Earlier,
): Promise<{ unchanged: Map<number, string>; refused: Map<number, Refusal> }> => {
  const made = new Map<number, { record: Names }>();
  const named = recordIdsOf(placed, known, idsOf);
  const slice = startSlice();
  for (let from = 0; from < placed.length; from += PAGE) {
    const page = placed.slice(from, from + PAGE).map(({ index, write: { kind } }) => {
      const noted = recordIds[index] ?? undefined;
      return {
        ...{ index, kind, eventId: idsOf(index).eventId },
        recordIds: [...(named.get(index) ?? []), ...(noted === undefined ? [] : [noted])],
      };
    });
    const bodies = await request.store.idempotency.eventBodies(page);
    for (const { index, eventId } of page) {
      const body = bodies.get(eventId);
      if (body === undefined) continue;
      const { event, data } = JSON.parse(body) as { event: string; data: Names };
      const { _id, externalId } = data;
      made.set(index, { record: { _id, externalId } });
      tell(index, { record: data, isCreated: event.endsWith('.created'), isChanged: true });
    }
    if (slice.isOver()) await slice.pause();
  }
  const kinds = Map.groupBy(placed, ({ write }) => write.kind);
  for (const [kind, writes] of isMinimal ? [] : kinds) {
    const ids = writes.flatMap(({ index }) => made.get(index)?.record._id ?? []);
    if (ids.length > 0) await auditRead(request, { action: 'read', kind, ids });
  }
  const late = [...overtaken(placed, known, made)];
  const wasUnchanged = new Set(unchanged);
  const wasWritten = new Set(written);
  const gone = placed.flatMap(({ index }) => (wasWritten.has(index) && !made.has(index) ? [index] : []));
  return {
    unchanged: new Map(
      late
        .filter((index) => wasUnchanged.has(index))
        .map((index) => [index, recordIds[index] ?? named.get(index)?.at(-1) ?? '']),
    ),
    refused: new Map([
      ...late.filter((index) => !wasUnchanged.has(index)).map((index) => [index, later()] as const),
      ...gone.map((index) => [index, deleted()] as const),
    ]),
  };
};
