import type { Event, RecordKind } from '@chairside/domain';
import type { Collection, Db } from 'mongodb';
import { atOnce } from './database.ts';
import { type RecordDocument, shapes } from './documents.ts';

/** A record that may have unpublished events. */
export type OutboxRef = { organizationId: string; kind: RecordKind; recordId: string };

/** The unpublished events of the records of all organizations. */
export type Outbox = {
  /** All unpublished events of these records: one query for each kind among them. */
  read(refs: readonly OutboxRef[]): Promise<Event[]>;
  /** Takes published events out, and ends deleted records that have none left. Harmless to repeat. */
  takeOut(events: readonly Event[]): Promise<void>;
  /** Records whose oldest unpublished event is older than this; at most `limit` of each kind. */
  overdue(before: Date, limit: number): Promise<OutboxRef[]>;
};

/** How many events are taken out in one statement: each record is compared with all of them. */
const TAKEN_AT_ONCE = 500;

/** The kinds whose writes are told of. */
export const publishedKinds = [
  'patient',
  'appointment',
  'invoice',
  'payment',
] as const satisfies RecordKind[];

const byKind = <T extends { kind: RecordKind }>(items: readonly T[]): Map<RecordKind, T[]> => {
  const groups = new Map<RecordKind, T[]>();
  for (const item of items) {
    const group = groups.get(item.kind);
    if (group === undefined) groups.set(item.kind, [item]);
    else group.push(item);
  }
  return groups;
};

export const openOutbox = (database: Db): Outbox => {
  const collectionOf = (kind: RecordKind): Collection<RecordDocument> =>
    database.collection<RecordDocument>(shapes[kind].collection);

  const readKind = async (kind: RecordKind, refs: readonly OutboxRef[]): Promise<Event[]> => {
    const documents = await collectionOf(kind)
      .find(
        {
          _id: { $in: [...new Set(refs.map(({ recordId }) => recordId))] },
          organizationId: { $in: [...new Set(refs.map(({ organizationId }) => organizationId))] },
        },
        { projection: { organizationId: 1, outbox: 1 }, ...atOnce(refs.length) },
      )
      .toArray();
    return documents.flatMap(({ _id, organizationId, outbox = [] }) =>
      outbox.map((entry) => ({ ...entry, organizationId, kind, recordId: _id })),
    );
  };

  const takeOutKind = async (kind: RecordKind, events: readonly Event[]): Promise<void> => {
    const organizationIds = [...new Set(events.map(({ organizationId }) => organizationId))];
    const recordIds = [...new Set(events.map(({ recordId }) => recordId))];
    for (let begin = 0; begin < events.length; begin += TAKEN_AT_ONCE) {
      const taken = events.slice(begin, begin + TAKEN_AT_ONCE);
      const ids = taken.map(({ _id }) => _id);
      // One statement for all, not one for each; in each record its events and the mark of its outbox go together.
      await collectionOf(kind).updateMany(
        {
          _id: { $in: [...new Set(taken.map(({ recordId }) => recordId))] },
          organizationId: { $in: organizationIds },
          'outbox._id': { $in: ids },
        },
        [
          {
            $set: {
              outbox: {
                $filter: { input: '$outbox', as: 'entry', cond: { $not: [{ $in: ['$$entry._id', ids] }] } },
              },
            },
          },
          { $set: { outboxAt: { $cond: [{ $eq: ['$outbox', []] }, '$$REMOVE', '$outboxAt'] } } },
        ],
      );
    }
    if (events.some(({ event }) => event.endsWith('.deleted'))) {
      await collectionOf(kind).deleteMany({
        _id: { $in: recordIds },
        organizationId: { $in: organizationIds },
        outbox: { $size: 0 },
        deletedAt: { $exists: true },
      });
    }
  };

  return {
    async read(refs) {
      return (await Promise.all([...byKind(refs)].map(([kind, group]) => readKind(kind, group)))).flat();
    },

    async takeOut(events) {
      await Promise.all([...byKind(events)].map(([kind, group]) => takeOutKind(kind, group)));
    },

    async overdue(before, limit) {
      const found = await Promise.all(
        publishedKinds.map(async (kind) => {
          const documents = await collectionOf(kind)
            .find(
              { outboxAt: { $exists: true, $lt: before } },
              { projection: { organizationId: 1 }, limit, ...atOnce(limit) },
            )
            .toArray();
          return documents.map(({ _id, organizationId }) => ({ kind, organizationId, recordId: _id }));
        }),
      );
      return found.flat();
    },
  };
};
