import type { RecordKind } from '@chairside/domain';
import {
  type AnyBulkWriteOperation,
  Binary,
  type Collection,
  type Db,
  type Document,
  type Filter,
} from 'mongodb';
import { EXCHANGE_FIELDS, exchangeFields, exchangeIn, exchangePlace } from '../deliveries/deliveries.ts';
import type { Cipher, Place } from '../encryption/ciphers.ts';
import { bodyPlace } from '../events/event-document.ts';
import { type RecordShape, SEALED, sealedPlace, shapes, textOf, toSealed } from '../records/documents.ts';
import { hasOutbox, publishedKinds } from '../records/outbox.ts';

/** How many documents are read and written together. An event can be 171 kB long. */
const PAGE = 100;

export type Stored = { _id: string; organizationId: string } & Document;

/** A sealed value of a document, where it belongs, and the path and the filter with which it is replaced. */
type SealedValue = { sealed: Binary; place: Place; path: string; filter: Document };

/** Something that is stored sealed, and how it is found and written in its earlier form. */
export type SealedPart = {
  collection: string;
  /** Names the part in reports, such as `patients` or `events in patients`. */
  name: string;
  /** Matches the documents that have it as text. */
  isText: Filter<Stored>;
  /** Matches the documents that have it sealed. */
  isSealed: Filter<Stored>;
  projection: Document;
  valuesOf(document: Stored): SealedValue[];
  /** The writes that seal what the document has as text. */
  sealing(document: Stored, cipher: Cipher): AnyBulkWriteOperation<Stored>[];
};

const recordPart = (shape: RecordShape): SealedPart => {
  const { collection, confidential = [], lookup } = shape;
  const text = [...confidential, ...(lookup === undefined ? [] : [lookup.lowerCase])];
  return {
    collection,
    name: collection,
    // A draft of a booking has the revision 0, and nothing confidential yet.
    isText: { [SEALED]: { $exists: false }, revision: { $gt: 0 } },
    isSealed: { [SEALED]: { $exists: true } },
    projection: Object.fromEntries(
      ['organizationId', 'revision', SEALED, ...confidential].map((field) => [field, 1]),
    ),
    valuesOf: ({ _id, sealed }) =>
      sealed instanceof Binary
        ? [{ sealed, place: sealedPlace(shape, _id), path: SEALED, filter: { [SEALED]: sealed } }]
        : [],
    sealing: ({ _id, organizationId, revision, ...document }, cipher) => [
      {
        updateOne: {
          // The revision stays the same, so nobody sees a change. Another caller's write comes first.
          filter: { _id, organizationId, revision, [SEALED]: { $exists: false } },
          update: {
            $set: toSealed(shape, { _id, ...textOf(shape, document) }, cipher),
            $unset: Object.fromEntries(text.map((field) => [field, ''])),
          },
        },
      },
    ],
  };
};

const isTextBody = { body: { $type: 'string' } } as const;

const outboxPart = (kind: RecordKind): SealedPart => {
  const { collection } = shapes[kind];
  type Entry = { _id: string; body: unknown };
  return {
    collection,
    name: `events in ${collection}`,
    isText: { ...hasOutbox, outbox: { $elemMatch: isTextBody } } as Filter<Stored>,
    isSealed: hasOutbox as Filter<Stored>,
    projection: { organizationId: 1, 'outbox._id': 1, 'outbox.body': 1 },
    valuesOf: ({ outbox = [] }) =>
      (outbox as Entry[]).flatMap(({ _id, body }) =>
        body instanceof Binary
          ? [
              {
                sealed: body,
                place: bodyPlace(_id),
                path: 'outbox.$.body',
                filter: { outbox: { $elemMatch: { _id, body } } },
              },
            ]
          : [],
      ),
    sealing: ({ _id, organizationId, outbox = [] }, cipher) =>
      (outbox as Entry[]).flatMap(({ _id: eventId, body }) =>
        typeof body !== 'string'
          ? []
          : [
              {
                updateOne: {
                  filter: {
                    _id,
                    organizationId,
                    outbox: { $elemMatch: { _id: eventId, ...isTextBody } },
                  } as Filter<Stored>,
                  update: { $set: { 'outbox.$.body': new Binary(cipher.seal(body, bodyPlace(eventId))) } },
                },
              },
            ],
      ),
  };
};

/** The id of the patient that an event is about, from its body. Events of early versions do not name it. */
const patientIn = (kind: unknown, body: string): string | undefined => {
  const { data } = JSON.parse(body) as { data?: { _id?: string; patientId?: string } };
  return kind === 'patient' ? data?._id : data?.patientId;
};

const eventPart: SealedPart = {
  collection: 'events',
  name: 'events',
  isText: isTextBody as Filter<Stored>,
  isSealed: { body: { $not: { $type: 'string' } } },
  projection: { organizationId: 1, kind: 1, patientId: 1, body: 1 },
  valuesOf: ({ _id, body }) =>
    body instanceof Binary ? [{ sealed: body, place: bodyPlace(_id), path: 'body', filter: { body } }] : [],
  sealing({ _id, organizationId, kind, patientId = undefined, body }, cipher) {
    // Erasing a patient finds the events by this field, because their text cannot be searched any more.
    const patient = patientId ?? patientIn(kind, body);
    const set = {
      body: new Binary(cipher.seal(body, bodyPlace(_id))),
      ...(patient !== undefined && { patientId: patient }),
    };
    const filter = { _id, organizationId, ...isTextBody } as Filter<Stored>;
    return [{ updateOne: { filter, update: { $set: set } } }];
  },
};

const deliveryPart: SealedPart = {
  collection: 'deliveries',
  name: 'deliveries',
  isText: { $or: EXCHANGE_FIELDS.map((field) => ({ [field]: { $exists: true } })) },
  isSealed: { sealed: { $exists: true } },
  projection: Object.fromEntries(
    ['organizationId', 'finalTime', 'sealed', ...EXCHANGE_FIELDS].map((field) => [field, 1]),
  ),
  valuesOf: ({ _id, sealed }) =>
    sealed instanceof Binary
      ? [{ sealed, place: exchangePlace(_id), path: 'sealed', filter: { sealed } }]
      : [],
  sealing({ _id, organizationId, finalTime, ...document }, cipher) {
    const text = exchangeIn(document);
    // An erasure or a requeuing in between comes first: both remove the URL or the outcome.
    const same = { finalTime: finalTime ?? { $exists: false }, url: document.url ?? { $exists: false } };
    return [
      {
        updateOne: {
          filter: { _id, organizationId, ...same, sealed: { $exists: false } },
          update: {
            $set: exchangeFields(_id, text, cipher),
            $unset: Object.fromEntries(EXCHANGE_FIELDS.map((field) => [field, ''])),
          },
        },
      },
    ];
  },
};

/** Everything that is stored sealed. Something new must be added here, so that conversion, rotation and checks reach it. */
export const sealedParts: readonly SealedPart[] = [
  ...Object.values(shapes)
    .filter(({ confidential }) => confidential !== undefined)
    .map(recordPart),
  ...publishedKinds.map(outboxPart),
  eventPart,
  deliveryPart,
];

/** The documents of a part, page by page. */
export async function* pagesOf(
  database: Db,
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

/** A document whose value does not open, or could not be converted. */
export type BadValue = { name: string; _id: string };

/** How many documents of a part have been converted or examined. */
export type PartProgress = (progress: { name: string; done: number }) => void;

/** @returns the number of changed documents */
export const writeAll = async (
  collection: Collection<Stored>,
  writes: AnyBulkWriteOperation<Stored>[],
): Promise<number> =>
  writes.length === 0 ? 0 : (await collection.bulkWrite(writes, { ordered: false })).modifiedCount;
