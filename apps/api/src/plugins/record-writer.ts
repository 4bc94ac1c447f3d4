import {
  type Author,
  type EventName,
  newEvent,
  newId,
  nextEditTime,
  notFound,
  Refusal,
} from '@chairside/domain';
import type { Records, Stored } from '@chairside/mongodb';
import type { EventProducer } from '@chairside/queue';
import type { FastifyRequest } from 'fastify';

type EventfulRecord = { _id: string; clinicId: string; lastEditTime: string };

/** What every write of a record of one kind has in common: its event, its queue job and its refusals. */
export type RecordWriter<R extends EventfulRecord> = {
  create(request: FastifyRequest, records: Records<R>, fields: Omit<R, '_id' | 'lastEditTime'>): Promise<R>;
  /** @param change computes the next version from the stored one; called again for each try */
  update(
    request: FastifyRequest,
    records: Records<R>,
    id: string,
    change: (current: R) => R | Promise<R>,
  ): Promise<R>;
  delete(request: FastifyRequest, records: Records<R>, id: string): Promise<R>;
};

const authorOf = ({ principal, id }: FastifyRequest): Author => ({
  principal: { kind: principal.kind, id: principal.id },
  requestId: id,
});

export const recordWriter = <R extends EventfulRecord>(
  queue: Pick<EventProducer, 'publish'>,
  kind: 'patient' | 'appointment',
): RecordWriter<R> => {
  const publish = (request: FastifyRequest, recordId: string, eventId: string) =>
    queue.publish({ version: 1, organizationId: request.principal.organizationId, kind, recordId, eventId });

  const edit = async (
    request: FastifyRequest,
    records: Records<R>,
    id: string,
    change: 'updated' | 'deleted',
    nextVersion: (current: R) => R | Promise<R>,
  ): Promise<Stored<R>> => {
    const eventId = newId();
    const event: EventName = `${kind}.${change}`;
    const result = await records.edit(id, async ({ record: current }) => {
      const time = new Date();
      const record = {
        ...(await nextVersion(current)),
        lastEditTime: nextEditTime(time, current.lastEditTime),
      };
      return {
        record,
        event: newEvent({ _id: eventId, event, time, author: authorOf(request) }, record, current.clinicId),
        deleted: change === 'deleted',
      };
    });
    switch (result.outcome) {
      case 'written':
        publish(request, id, eventId);
        return result;
      case 'missing':
        throw notFound();
      case 'stale':
        throw new Refusal(
          'PreconditionFailed',
          'The record has been changed. Read it again, then repeat your change.',
        );
      case 'busy':
        throw new Refusal('ServiceUnavailable', 'Too many changes of this record at once. Try again later.', {
          retryAfter: 1,
        });
    }
  };

  return {
    async create(request, records, fields) {
      const time = new Date();
      const record = { _id: newId(time), ...fields, lastEditTime: nextEditTime(time) } as R;
      const event = newEvent(
        { _id: newId(time), event: `${kind}.created`, time, author: authorOf(request) },
        record,
      );
      await records.create(record, event);
      publish(request, record._id, event._id);
      return record;
    },
    update: async (request, records, id, change) =>
      (await edit(request, records, id, 'updated', change)).record,
    delete: async (request, records, id) =>
      (await edit(request, records, id, 'deleted', (current) => current)).record,
  };
};
