import { step } from '@chairside/concurrency';
import {
  clock,
  inSchemaOrder,
  type NewEvent,
  newEvent,
  newId,
  nextEditTime,
  notFound,
  Refusal,
} from '@chairside/domain';
import {
  type Change,
  ExternalIdTakenError,
  type IdentifiedRecord,
  type OrganizationStore,
  type RecordName,
  type Records,
  type ReservedIds,
  type Store,
} from '@chairside/mongodb';
import type { EventProducer } from '@chairside/queue';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { authorOf } from '../audit/author.ts';
import { refOf } from '../audit/origin.ts';
import { auditRead } from '../audit/record-reads.ts';
import { acceptedRevisions, etagOf } from './entity-tags.ts';
import type { EventBytes } from './event-bytes.ts';
import { createdRecord, type OnceWrite, reserveWrite } from './idempotency.ts';
import { ifMatchOf, setHeader, type WriteCall } from './write-call.ts';
import { written } from './written.ts';

export type EventfulRecord = IdentifiedRecord & {
  clinicId: string;
  createdTime: string;
  lastEditTime: string;
};

/** The fields of a record that a caller sets. */
export type OwnFields<R> = Omit<R, '_id' | 'createdTime' | 'lastEditTime'>;

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
  store: Pick<Store, 'ciphers'>;
};

export type EditBy<R> = Records<R>['edit'];

const announce = <R extends EventfulRecord>(
  { kind, queue }: RecordWriter<R>,
  { principal: { organizationId } }: FastifyRequest,
  recordId: string,
  { _id: eventId, clinicIds }: NewEvent,
): void => queue.publish({ organizationId, kind, recordId, eventId, clinicIds });

/** Makes a new record and its event. */
const newRecord = <R extends EventfulRecord>(
  { kind, schema }: RecordWriter<R>,
  { request }: WriteCall,
  { recordId, eventId }: ReservedIds,
  fields: OwnFields<R>,
  ref: string | undefined,
): Change<R> => {
  const time = clock.now();
  const createdTime = nextEditTime(time);
  const record = inSchemaOrder(schema, {
    _id: recordId,
    ...fields,
    createdTime,
    lastEditTime: createdTime,
  } as R);
  const event = { _id: eventId, event: `${kind}.created` as const, time, author: authorOf(request), ref };
  return { record, event: newEvent(event, record) };
};

/** Stores a new record. @returns `exists` if another request with the same key has made the write */
type Insert<R> = (made: Change<R>, write: OnceWrite<R>) => Promise<'created' | 'exists'>;

/**
 * Creates a record, at most once for an `Idempotency-Key`.
 *
 * @param fieldsOf checks what the caller sent, and returns the fields of the record. It is not called for a repeated
 *   request, whose record is returned as it was created
 * @param insert stores it; by default, that is the `create` of the records
 */
export const createRecord = async <R extends EventfulRecord>(
  writer: RecordWriter<R>,
  call: WriteCall,
  fieldsOf: () => Promise<OwnFields<R>>,
  insert: Insert<R> = ({ record, event }) => writer.recordsOf(call.request.store).create(record, event),
): Promise<R> => {
  const { request } = call;
  await using write = await reserveWrite<R>(call, createdRecord(call, writer.kind));
  const earlier = await write.earlier();
  if (earlier !== undefined) return earlier;
  const ref = await refOf(writer.store, request.principal);
  const fields = await fieldsOf();
  const made = await step(() => newRecord(writer, call, write.ids, fields, ref));
  await writer.eventBytes.take(call, made.event.body);
  write.begin();
  const outcome = await insert(made, write).catch((error: unknown) => {
    if (error instanceof ExternalIdTakenError) write.refused();
    throw error;
  });
  if (outcome === 'exists') return write.finish(undefined);
  announce(writer, request, made.record._id, made.event);
  setHeader(call, 'ETag', etagOf(1));
  return write.finish(made.record);
};

const outboxFull = (): Refusal =>
  new Refusal(
    'ServiceUnavailable',
    'This record has too many unpublished events or too many concurrent changes. Try again later.',
    { retryAfter: 1, limit: 'outbox_of_record' },
  );

type Edited<R> = { record: R; isChanged: boolean };
type Edit<R> = {
  change: 'updated' | 'deleted';
  /** Returns the next version of the stored record. It is called again for each try. */
  nextVersion: (current: R) => R | Promise<R>;
  /** Whether a version that differs in nothing is not written. */
  onlyIfChanged?: boolean;
  /** Writes the next version; by default, that is the `edit` of the records. */
  by?: EditBy<R> | undefined;
};

/** @returns the record, and whether it was written; undefined if there is none */
const edit = async <R extends EventfulRecord>(
  writer: RecordWriter<R>,
  call: WriteCall,
  name: RecordName,
  { change, nextVersion, onlyIfChanged, by = writer.recordsOf(call.request.store).edit }: Edit<R>,
): Promise<Edited<R> | undefined> => {
  const { kind, schema, eventBytes } = writer;
  const { request, row } = call;
  const eventId = row?.ids.eventId ?? newId();
  let isCounted = false;
  const ref = await refOf(writer.store, request.principal);
  const edited = await by(
    name,
    async ({ record: current }) => {
      const { lastEditTime } = current;
      const fields = { ...(await nextVersion(current)), lastEditTime };
      const made = await step(() => {
        const time = clock.now();
        const next = inSchemaOrder(schema, fields);
        if (onlyIfChanged && JSON.stringify(next) === JSON.stringify(current)) return undefined;
        const record = { ...next, lastEditTime: nextEditTime(time, lastEditTime) };
        const about = {
          _id: eventId,
          event: `${kind}.${change}` as const,
          time,
          author: authorOf(request),
          ref,
        };
        return { record, event: newEvent(about, record, current) };
      });
      if (made === undefined) return undefined;
      const { record, event } = made;
      // A further try writes this event again, so its bytes must be counted only once.
      if (!isCounted) await eventBytes.take(call, event.body);
      isCounted = true;
      return { record, event, deleted: change === 'deleted' };
    },
    acceptedRevisions(ifMatchOf(call)),
  );
  if (edited.outcome === 'missing') return undefined;
  const { record, revision, ...result } = written(edited, outboxFull);
  if ('event' in result) announce(writer, request, record._id, result.event);
  // Without an event, the caller has only read the record.
  else await auditRead(request, { action: 'read', kind, ids: [record._id] });
  if (change === 'updated') setHeader(call, 'ETag', etagOf(revision));
  return { record, isChanged: 'event' in result };
};

const found = <R>(edited: Edited<R> | undefined): R => {
  if (edited === undefined) throw notFound();
  return edited.record;
};

/**
 * Changes a record.
 *
 * @param nextVersion returns the next version of the stored record. It is called again for each try.
 * @param by writes the next version; by default, that is the `edit` of the records
 */
export const updateRecord = async <R extends EventfulRecord>(
  writer: RecordWriter<R>,
  call: WriteCall,
  name: RecordName,
  nextVersion: (current: R) => R | Promise<R>,
  by?: EditBy<R>,
): Promise<R> => found(await edit(writer, call, name, { change: 'updated', nextVersion, by }));

/** Deletes a record. @returns the deleted record */
export const deleteRecord = async <R extends EventfulRecord>(
  writer: RecordWriter<R>,
  call: WriteCall,
  name: RecordName,
): Promise<R> =>
  found(await edit(writer, call, name, { change: 'deleted', nextVersion: (current) => current }));

/**
 * Changes the record with an external id, unless the next version is the stored one.
 *
 * @returns undefined if there is no such record
 */
export const updateIfChanged = <R extends EventfulRecord>(
  writer: RecordWriter<R>,
  call: WriteCall,
  name: { externalId: string },
  nextVersion: (current: R) => R | Promise<R>,
  by?: EditBy<R>,
): Promise<Edited<R> | undefined> =>
  edit(writer, call, name, { change: 'updated', nextVersion, onlyIfChanged: true, by });
