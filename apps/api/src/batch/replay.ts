import type { ReservedIds } from '@chairside/mongodb';
import type { FastifyRequest } from 'fastify';
import { auditRead } from '../audit/record-reads.ts';
import type { Known, PlacedWrite } from './order.ts';
import type { Written } from './run.ts';

/**
 * What earlier batches with the same key have written, by the places of the writes. An event that a row has stored has an
 * id that is made from the key and the place of the row, so it tells that the row was written, and with which result.
 */
export const earlierResults = async (
  request: FastifyRequest,
  placed: readonly PlacedWrite[],
  known: Known,
  idsOf: (index: number) => ReservedIds,
): Promise<Map<number, Written>> => {
  const rows = placed.map(({ index, write: { kind, _id, externalId } }) => {
    const { recordId, eventId } = idsOf(index);
    const existing = externalId === undefined ? undefined : known[kind].get(externalId);
    const recordIds = [recordId, _id, existing].filter((id) => id !== undefined);
    return { index, kind, eventId, recordIds, externalId };
  });
  const bodies = await request.store.idempotency.eventBodies(rows);
  const found = rows.flatMap(({ index, kind, eventId }) => {
    const body = bodies.get(eventId);
    if (body === undefined) return [];
    const { event, data } = JSON.parse(body) as { event: string; data: { _id: string } };
    const isCreated = event.endsWith('.created');
    return [{ index, kind, result: { record: data, isCreated, isChanged: true } }];
  });
  for (const [kind, ofKind] of Map.groupBy(found, (each) => each.kind))
    await auditRead(request, { action: 'read', kind, ids: ofKind.map(({ result }) => result.record._id) });
  return new Map(found.map(({ index, result }) => [index, result]));
};
