import type { Event, RecordKind, ResourceLimit } from '@chairside/domain';
import type { Collection, Database } from '../driver/database.ts';
import { atMost, atOnce, byId } from '../driver/statements.ts';
import type { StoredEvent } from '../events/event-document.ts';
import { type RecordDocument, shapes } from './record-shapes.ts';

/** A record that may have unpublished events. */
export type OutboxRef = { organizationId: string; kind: RecordKind; recordId: string };

/** A record whose document is too large to be read together with many others. */
export type LargeOutboxRef = OutboxRef & { bytes: number };

/** An event that is taken out of its record. */
type TakenEvent = Pick<Event, '_id' | 'organizationId' | 'kind' | 'recordId' | 'event'>;

/** The unpublished events of the records of all organizations. */
export type Outbox = {
  /**
   * Returns all unpublished events of these records, with one query for each kind. The caller must limit the total size
   * of the records.
   */
  read(refs: readonly OutboxRef[]): Promise<StoredEvent[]>;
  /**
   * Returns the unpublished events of the records with small documents, and the sizes of the other records. It makes as
   * many queries as `read`. A document is small up to 32 KiB.
   */
  readSmall(refs: readonly OutboxRef[]): Promise<{ events: StoredEvent[]; large: LargeOutboxRef[] }>;
  /**
   * Removes published events from their outboxes, and deletes the documents of deleted records whose outbox is then
   * empty. The call may be repeated.
   */
  takeOut(events: readonly TakenEvent[]): Promise<void>;
  /**
   * Returns records whose oldest unpublished event is older than `before`, at most `limit` of each kind.
   *
   * @param except the ids of records and of organizations to exclude
   */
  overdue(
    before: Date,
    limit: number,
    except?: { records: readonly string[]; organizations: readonly string[] },
  ): Promise<OutboxRef[]>;
};

/** The largest document, in bytes, that is read together with many others. */
const SMALL_BYTES = 32 * 1024;
/**
 * When a record's document reaches this size in bytes, writes with an event are refused until some events are
 * published. One more event keeps the document far below MongoDB's limit of 16 MiB.
 */
const MAX_OUTBOX_BYTES = 4 * 1024 * 1024;

export const outboxLimits: readonly ResourceLimit[] = [
  {
    id: 'outbox_bytes_of_record',
    part: 'Writing',
    resource: 'Size of one record with its unpublished events',
    value: MAX_OUTBOX_BYTES / 2 ** 20,
    unit: 'MiB',
    beyond: '503 ServiceUnavailable',
    metric: 'chairside_oldest_unsent_event_age_seconds',
  },
];

/**
 * Matches records with unpublished events. The condition is a range, because for `$exists` MongoDB must read the
 * document. Each search that needs the partial index contains exactly this condition, because FerretDB's PostgreSQL
 * uses the index only for the condition of the index.
 */
export const hasOutbox = { outboxAt: { $gt: new Date(0) } };

/**
 * Used for every read of events that are about to be sent. Without it, a query may return a record whose write a
 * failover then rolls back. The event of this write would still be entered into the log and sent.
 */
const acknowledged = { readConcern: 'majority' } as const;

const documentBytes = { $bsonSize: '$$ROOT' };

/** Matches records whose document has room for one more event. The condition is part of a write's filter. */
export const hasOutboxRoom = { $expr: { $lt: [documentBytes, MAX_OUTBOX_BYTES] } };

/**
 * The maximum number of events that one statement removes. It is limited, because each record is compared with
 * all of them.
 */
const TAKEN_AT_ONCE = 500;

/** The kinds of records whose writes have events. */
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

type OutboxDocument = Pick<RecordDocument, '_id' | 'organizationId' | 'outbox'>;

export const openOutbox = (database: Database): Outbox => {
  const collectionOf = (kind: RecordKind): Collection<RecordDocument> =>
    database.collection<RecordDocument>(shapes[kind].collection);

  const among = (refs: readonly OutboxRef[]) => ({
    _id: { $in: [...new Set(refs.map(({ recordId }) => recordId))] },
    organizationId: { $in: [...new Set(refs.map(({ organizationId }) => organizationId))] },
  });

  const eventsIn = (kind: RecordKind, { _id, organizationId, outbox = [] }: OutboxDocument): StoredEvent[] =>
    outbox.map((entry) => ({ ...entry, organizationId, kind, recordId: _id }));

  const readKind = async (kind: RecordKind, refs: readonly OutboxRef[]): Promise<StoredEvent[]> => {
    const projection = { organizationId: 1, outbox: 1 };
    const documents = await collectionOf(kind)
      .find(among(refs), { projection, ...byId, ...atOnce(refs.length), ...acknowledged })
      .toArray();
    return documents.flatMap((document) => eventsIn(kind, document));
  };

  const readSmallOfKind = async (kind: RecordKind, refs: readonly OutboxRef[]) => {
    const isSmall = { $lte: [documentBytes, SMALL_BYTES] };
    const documents = await collectionOf(kind)
      .find<OutboxDocument & { bytes: number }>(among(refs), {
        projection: {
          organizationId: 1,
          bytes: documentBytes,
          outbox: { $cond: [isSmall, '$outbox', '$$REMOVE'] },
        },
        ...byId,
        ...atOnce(refs.length),
        ...acknowledged,
      })
      .toArray();
    return {
      events: documents.flatMap((document) => eventsIn(kind, document)),
      large: documents
        .filter(({ bytes }) => bytes > SMALL_BYTES)
        .map(({ _id, organizationId, bytes }) => ({ kind, organizationId, recordId: _id, bytes })),
    };
  };

  const takeOutKind = async (kind: RecordKind, events: readonly TakenEvent[]): Promise<void> => {
    const organizationIds = [...new Set(events.map(({ organizationId }) => organizationId))];
    const recordIds = [...new Set(events.map(({ recordId }) => recordId))];
    for (let begin = 0; begin < events.length; begin += TAKEN_AT_ONCE) {
      const taken = events.slice(begin, begin + TAKEN_AT_ONCE);
      const ids = taken.map(({ _id }) => _id);
      // One statement removes the events of all these records. In each record, the events and `outboxAt` change
      // together.
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
        byId,
      );
    }
    if (events.some(({ event }) => event.endsWith('.deleted'))) {
      const emptied = {
        _id: { $in: recordIds },
        organizationId: { $in: organizationIds },
        outbox: { $size: 0 },
        deletedAt: { $exists: true },
      };
      await collectionOf(kind).deleteMany(emptied, byId);
    }
  };

  return {
    async read(refs) {
      return (await Promise.all([...byKind(refs)].map(([kind, group]) => readKind(kind, group)))).flat();
    },

    async readSmall(refs) {
      const kinds = await Promise.all([...byKind(refs)].map(([kind, group]) => readSmallOfKind(kind, group)));
      return {
        events: kinds.flatMap(({ events }) => events),
        large: kinds.flatMap(({ large }) => large),
      };
    },

    async takeOut(events) {
      await Promise.all([...byKind(events)].map(([kind, group]) => takeOutKind(kind, group)));
    },

    async overdue(before, limit, { records, organizations } = { records: [], organizations: [] }) {
      const found = await Promise.all(
        publishedKinds.map(async (kind) => {
          const documents = await collectionOf(kind)
            .find(
              {
                outboxAt: { ...hasOutbox.outboxAt, $lt: before },
                ...(records.length > 0 && { _id: { $nin: [...records] } }),
                ...(organizations.length > 0 && { organizationId: { $nin: [...organizations] } }),
              },
              { projection: { organizationId: 1 }, ...atMost(limit, 'unpublished_ids'), ...acknowledged },
            )
            .toArray();
          return documents.map(({ _id, organizationId }) => ({ kind, organizationId, recordId: _id }));
        }),
      );
      return found.flat();
    },
  };
};
