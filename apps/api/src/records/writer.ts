import {
  clock,
  inSchemaOrder,
  type NewEvent,
  newEvent,
  newId,
  nextEditTime,
  Refusal,
} from '@chairside/domain';
import type { Change, OrganizationStore, Records, ReservedIds } from '@chairside/mongodb';
import type { EventProducer } from '@chairside/queue';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { authorOf } from '../audit/author.ts';
import { acceptedRevisions, etagOf } from './entity-tags.ts';
import type { EventBytes } from './event-bytes.ts';
import type { OnceWrite } from './idempotency.ts';
import type { WriteCall } from './write-call.ts';
import { written } from './written.ts';

type EventfulRecord = { _id: string; clinicId: string; lastEditTime: string };

/**
 * How records of one kind are written. Each write stores an event with the record and announces it to the dispatcher. A
 * create or update also sets the entity tag.
 */
export type RecordWriter<R extends EventfulRecord> = {
  kind: 'patient' | 'appointment';
  schema: z.ZodObject;
  recordsOf(store: OrganizationStore): Records<R>;
  queue: Pick<EventProducer, 'publish'>;
  eventBytes: EventBytes;
};

export type EditBy<R> = Records<R>['edit'];

const announce = <R extends EventfulRecord>(
  { kind, queue }: RecordWriter<R>,
  { principal: { organizationId } }: FastifyRequest,
  recordId: string,
  { _id: eventId, clinicIds }: NewEvent,
): void => queue.publish({ organizationId, kind, recordId, eventId, clinicIds });

/** Makes a new record and its event. */
export const newRecord = <R extends EventfulRecord>(
  { kind, schema }: RecordWriter<R>,
  { request }: WriteCall,
  { recordId, eventId }: ReservedIds,
  fields: Omit<R, '_id' | 'lastEditTime'>,
): Change<R> => {
  const time = clock.now();
  const record = inSchemaOrder(schema, {
    _id: recordId,
    ...fields,
    lastEditTime: nextEditTime(time),
  } as R);
  const event = { _id: eventId, event: `${kind}.created` as const, time, author: authorOf(request) };
  return { record, event: newEvent(event, record) };
};

/**
 * Ends the write of a new record.
 *
 * @param outcome `exists` if another request with the same key has made the write
 * @returns the record as it was created
 */
export const endCreation = <R extends EventfulRecord>(
  writer: RecordWriter<R>,
  { request, reply }: WriteCall,
  write: OnceWrite<R>,
  { record, event }: Change<R>,
  outcome: 'created' | 'exists',
): Promise<R> => {
  if (outcome === 'exists') return write.finish(undefined);
  announce(writer, request, record._id, event);
  reply.header('ETag', etagOf(1));
  return write.finish(record);
};

const outboxFull = (): Refusal =>
  new Refusal(
    'ServiceUnavailable',
    'This record has too many unpublished events or too many concurrent changes. Try again later.',
    { retryAfter: 1, limit: 'outbox_of_record' },
  );

const edit = async <R extends EventfulRecord>(
  writer: RecordWriter<R>,
  { request, reply }: WriteCall,
  id: string,
  change: 'updated' | 'deleted',
  nextVersion: (current: R) => R | Promise<R>,
  by: EditBy<R> = writer.recordsOf(request.store).edit,
): Promise<R> => {
  const { kind, schema, eventBytes } = writer;
  const eventId = newId();
  let isCounted = false;
  const edited = await by(
    id,
    async ({ record: current }) => {
      const time = clock.now();
      const record = inSchemaOrder(schema, {
        ...(await nextVersion(current)),
        lastEditTime: nextEditTime(time, current.lastEditTime),
      });
      const event = newEvent(
        { _id: eventId, event: `${kind}.${change}`, time, author: authorOf(request) },
        record,
        current.clinicId,
      );
      // A further try writes this event again, so its bytes must be counted only once.
      if (!isCounted) await eventBytes.take({ request, reply }, event.body);
      isCounted = true;
      return { record, event, deleted: change === 'deleted' };
    },
    acceptedRevisions(request),
  );
  const result = written(edited, outboxFull);
  announce(writer, request, id, result.event);
  if (change === 'updated') reply.header('ETag', etagOf(result.revision));
  return result.record;
};

/**
 * Changes a record.
 *
 * @param nextVersion returns the next version of the stored record. It is called again for each try.
 * @param by writes the next version; by default, that is the `edit` of the records
 */
export const updateRecord = <R extends EventfulRecord>(
  writer: RecordWriter<R>,
  call: WriteCall,
  id: string,
  nextVersion: (current: R) => R | Promise<R>,
  by?: EditBy<R>,
): Promise<R> => edit(writer, call, id, 'updated', nextVersion, by);

/** Deletes a record. @returns the deleted record */
export const deleteRecord = <R extends EventfulRecord>(
  writer: RecordWriter<R>,
  call: WriteCall,
  id: string,
): Promise<R> => edit(writer, call, id, 'deleted', (current) => current);
