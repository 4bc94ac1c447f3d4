import type { RecordKind } from '@chairside/domain';
import type { AnyBulkWriteOperation, Document, Filter } from 'mongodb';
import { exchangePlace } from '../deliveries/deliveries.ts';
import type { Collection, Database } from '../driver/database.ts';
import type { Place } from '../encryption/ciphers.ts';
import { bodyPlace } from '../events/event-document.ts';
import { mailPlace } from '../mails/mail-document.ts';
import { hasOutbox, publishedKinds } from '../records/outbox.ts';
import { type RecordShape, SEALED, sealedPlace, shapes } from '../records/record-shapes.ts';

/** How many documents are read and written together. An event can be 171 kB long. */
const PAGE = 100;

export type Stored = { _id: string; organizationId: string } & Document;

/** A sealed value of a document, where it belongs, and the path and the filter with which it is replaced. */
type SealedValue = { sealed: unknown; place: Place; path: string; filter: Document };

/** Something that is stored sealed, and how it is found. */
export type SealedPart = {
  collection: string;
  /** Names the part in reports, such as `patients` or `events in patients`. */
  name: string;
  /** Matches the documents that have it. */
  holders: Filter<Stored>;
  projection: Document;
  valuesOf(document: Stored): SealedValue[];
};

const recordPart = (shape: RecordShape): SealedPart => ({
  collection: shape.collection,
  name: shape.collection,
  // A draft of a booking has the revision 0, and nothing confidential yet.
  holders: { revision: { $gt: 0 } },
  projection: { organizationId: 1, [SEALED]: 1 },
  valuesOf: ({ _id, sealed }) => [
    { sealed, place: sealedPlace(shape, _id), path: SEALED, filter: { [SEALED]: sealed } },
  ],
});

const externalIdPart = (shape: RecordShape): SealedPart => ({
  collection: shape.collection,
  name: `external ids in ${shape.collection}`,
  holders: { externalId: { $exists: true } },
  projection: { organizationId: 1, externalId: 1 },
  valuesOf: ({ _id, externalId }) => [
    {
      sealed: externalId,
      place: sealedPlace(shape, _id, 'externalId'),
      path: 'externalId',
      filter: { externalId },
    },
  ],
});

const outboxPart = (kind: RecordKind): SealedPart => {
  const { collection } = shapes[kind];
  type Entry = { _id: string; body: unknown };
  return {
    collection,
    name: `events in ${collection}`,
    holders: hasOutbox as Filter<Stored>,
    projection: { organizationId: 1, 'outbox._id': 1, 'outbox.body': 1 },
    valuesOf: ({ outbox = [] }) =>
      (outbox as Entry[]).map(({ _id, body }) => ({
        sealed: body,
        place: bodyPlace(_id),
        path: 'outbox.$.body',
        filter: { outbox: { $elemMatch: { _id, body } } },
      })),
  };
};

const eventPart: SealedPart = {
  collection: 'events',
  name: 'events',
  holders: {},
  projection: { organizationId: 1, body: 1 },
  valuesOf: ({ _id, body }) => [{ sealed: body, place: bodyPlace(_id), path: 'body', filter: { body } }],
};

const deliveryPart: SealedPart = {
  collection: 'deliveries',
  name: 'deliveries',
  holders: { sealed: { $exists: true } },
  projection: { organizationId: 1, sealed: 1 },
  valuesOf: ({ _id, sealed }) => [{ sealed, place: exchangePlace(_id), path: 'sealed', filter: { sealed } }],
};

const mailPart: SealedPart = {
  collection: 'mails',
  name: 'mails',
  holders: { sealed: { $exists: true } },
  projection: { organizationId: 1, sealed: 1 },
  valuesOf: ({ _id, sealed }) => [{ sealed, place: mailPlace(_id), path: 'sealed', filter: { sealed } }],
};

/** Everything that is stored sealed. Something new must be added here, so that rotation and checks reach it. */
export const sealedParts: readonly SealedPart[] = [
  ...Object.values(shapes)
    .filter(({ confidential }) => confidential !== undefined)
    .map(recordPart),
  ...Object.values(shapes).map(externalIdPart),
  ...publishedKinds.map(outboxPart),
  eventPart,
  deliveryPart,
  mailPart,
];

/** The names of the collections with sealed values. */
export const sealedCollections: readonly string[] = [
  ...new Set(sealedParts.map(({ collection }) => collection)),
];

/**
 * The number of documents that have something sealed. One that has several parts counts for each.
 *
 * @param organizationId counts those of this organization only
 */
export const countSealed = async (database: Database, organizationId?: string): Promise<number> => {
  let count = 0;
  for (const { collection, holders } of sealedParts) {
    const filter = { ...holders, ...(organizationId !== undefined && { organizationId }) } as Filter<Stored>;
    count += await database.collection<Stored>(collection).countDocuments(filter);
  }
  return count;
};

/** The documents of a part, page by page. */
export async function* pagesOf(
  database: Database,
  part: Pick<SealedPart, 'collection' | 'projection'>,
  filter: Filter<Stored>,
): AsyncGenerator<Stored[], void> {
  const collection = database.collection<Stored>(part.collection);
  let last = '';
  for (;;) {
    const page = await collection
      .find(
        { ...filter, _id: { $gt: last } },
        { projection: part.projection, sort: { _id: 1 }, limit: PAGE, batchSize: PAGE + 1 },
      )
      .toArray();
    const end = page.at(-1);
    if (end === undefined) return;
    yield page;
    last = end._id;
  }
}

/** A document whose value does not open. */
export type BadValue = { name: string; _id: string };

/** How many documents of a part have been examined. */
export type PartProgress = (progress: { name: string; done: number }) => void;

/** @returns the number of changed documents */
export const writeAll = async (
  collection: Collection<Stored>,
  writes: AnyBulkWriteOperation<Stored>[],
): Promise<number> =>
  writes.length === 0 ? 0 : (await collection.bulkWrite(writes, { ordered: false })).modifiedCount;
