import {
  clock,
  type EventName,
  inSchemaOrder,
  newEvent,
  newId,
  nextEditTime,
  notFound,
  Refusal,
} from '@chairside/domain';
import type { Change, OrganizationStore, Records, ReservedIds } from '@chairside/mongodb';
import type { EventProducer } from '@chairside/queue';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { authorOf } from '../audit/author.ts';
import { acceptedRevisions, etagOf, staleRevision } from './entity-tags.ts';
import type { EventBytes } from './event-bytes.ts';

type EventfulRecord = { _id: string; clinicId: string; lastEditTime: string };

/** A writing request, and the reply whose headers the write sets. */
export type WriteCall = { request: FastifyRequest; reply: FastifyReply };

/**
 * Writes records of one kind. Each write stores an event with the record and announces it to the dispatcher. A create
 * or update also sets the entity tag.
 */
export type RecordWriter<R extends EventfulRecord> = {
  /**
   * @param by stores the record; by default, it is inserted
   * @returns undefined if a record with this id exists, which means that the write has been made before
   */
  create(
    call: WriteCall,
    ids: ReservedIds,
    fields: Omit<R, '_id' | 'lastEditTime'>,
    by?: CreateBy<R>,
  ): Promise<R | undefined>;
  /**
   * @param change returns the next version of the stored record. It is called again for each try.
   * @param by writes the next version; by default, that is the `edit` of the records
   */
  update(call: WriteCall, id: string, change: (current: R) => R | Promise<R>, by?: EditBy<R>): Promise<R>;
  delete(call: WriteCall, id: string): Promise<R>;
};

/**
 * Stores a new record.
 *
 * @param make makes the record and its event; called for each try
 */
export type CreateBy<R> = (
  id: string,
  make: () => Promise<Change<R>>,
) => Promise<{ outcome: 'created'; record: R } | { outcome: 'exists' } | { outcome: 'busy' }>;
export type EditBy<R> = Records<R>['edit'];

const busy = (): Refusal =>
  new Refusal(
    'ServiceUnavailable',
    'This record has too many unpublished events or too many concurrent changes. Try again later.',
    {
      retryAfter: 1,
      limit: 'outbox_of_record',
    },
  );

export const recordWriter = <R extends EventfulRecord>(
  { queue, eventBytes }: { queue: Pick<EventProducer, 'publish'>; eventBytes: EventBytes },
  kind: 'patient' | 'appointment',
  schema: z.ZodObject,
  recordsOf: (store: OrganizationStore) => Records<R>,
): RecordWriter<R> => {
  const publish = (
    { principal: { organizationId } }: FastifyRequest,
    recordId: string,
    eventId: string,
    clinicIds: string[],
  ) => queue.publish({ organizationId, kind, recordId, eventId, clinicIds });

  const inserted =
    ({ store }: FastifyRequest): CreateBy<R> =>
    async (_id, make) => {
      const { record, event } = await make();
      const outcome = await recordsOf(store).create(record, event);
      return outcome === 'exists' ? { outcome } : { outcome, record };
    };
  const edit = async (
    { request, reply }: WriteCall,
    id: string,
    change: 'updated' | 'deleted',
    nextVersion: (current: R) => R | Promise<R>,
    by: EditBy<R> = recordsOf(request.store).edit,
  ): Promise<R> => {
    const eventId = newId();
    const event: EventName = `${kind}.${change}`;
    let isCounted = false;
    let clinicIds: string[] = [];
    const result = await by(
      id,
      async ({ record: current }) => {
        const time = clock.now();
        const record = inSchemaOrder(schema, {
          ...(await nextVersion(current)),
          lastEditTime: nextEditTime(time, current.lastEditTime),
        });
        const made = newEvent(
          { _id: eventId, event, time, author: authorOf(request) },
          record,
          current.clinicId,
        );
        // A further try writes this event again, so its bytes must be counted only once.
        if (!isCounted) await eventBytes.take({ request, reply }, made.body);
        isCounted = true;
        clinicIds = made.clinicIds;
        return { record, event: made, deleted: change === 'deleted' };
      },
      acceptedRevisions(request),
    );
    switch (result.outcome) {
      case 'written':
        publish(request, id, eventId, clinicIds);
        if (change === 'updated') reply.header('ETag', etagOf(result.revision));
        return result.record;
      case 'missing':
        throw notFound();
      case 'stale':
        throw staleRevision();
      case 'busy':
        throw busy();
    }
  };

  return {
    async create({ request, reply }, { recordId, eventId }, fields, by = inserted(request)) {
      let isCounted = false;
      const made = await by(recordId, async () => {
        const time = clock.now();
        const record = inSchemaOrder(schema, {
          _id: recordId,
          ...fields,
          lastEditTime: nextEditTime(time),
        } as R);
        const event = newEvent(
          { _id: eventId, event: `${kind}.created`, time, author: authorOf(request) },
          record,
        );
        if (!isCounted) await eventBytes.take({ request, reply }, event.body);
        isCounted = true;
        return { record, event };
      });
      if (made.outcome === 'exists') return undefined;
      if (made.outcome === 'busy')
        throw new Refusal(
          'ServiceUnavailable',
          'Too many callers book appointments of your organization at the same time. Try again later.',
          { retryAfter: 1, limit: 'undecided_bookings' },
        );
      publish(request, recordId, eventId, [made.record.clinicId]);
      reply.header('ETag', etagOf(1));
      return made.record;
    },
    update: (call, id, change, by) => edit(call, id, 'updated', change, by),
    delete: (call, id) => edit(call, id, 'deleted', (current) => current),
  };
};
