import { setTimeout as sleep } from 'node:timers/promises';
import type { RecordKind } from '@chairside/domain';
import { ServiceError } from '@chairside/runtime';
import {
  type AnyBulkWriteOperation,
  Binary,
  type Collection,
  type Db,
  type Document,
  type Filter,
} from 'mongodb';
import { EXCHANGE_FIELDS, exchangeFields, exchangeIn, exchangePlace } from '../deliveries/deliveries.ts';
import { bodyPlace } from '../events/event-document.ts';
import { type FormDocument, SEALED_FORM } from '../preparation/database-form.ts';
import { dropTextIndexes } from '../preparation/indexes.ts';
import {
  checkRunningForms,
  EarlierVersionRunsError,
  type ProcessDocument,
} from '../preparation/running-processes.ts';
import { type RecordShape, SEALED, sealedPlace, shapes, textOf, toSealed } from '../records/documents.ts';
import { hasOutbox, publishedKinds } from '../records/outbox.ts';
import { type Cipher, type Ciphers, type Place, UnreadableValueError } from './ciphers.ts';
import { type CurrentStage, type EncryptionStage, readStage, STAGE_LIFE_MS } from './encryption-stage.ts';

/** How many documents are read and written together. An event can be 171 kB long. */
const PAGE = 100;
/**
 * How long to wait until every process acts by a new stage: the time for which it may act by the one before, and as long
 * again for statements in flight.
 */
const SETTLE_MS = 2 * STAGE_LIFE_MS;
/** How long processes of an earlier version may take to stop after the form of the database has changed. */
const STOPPING_MS = 30_000;
/** Maximum number of passes over the data. Each pass that converted something is followed by another one. */
const MAX_PASSES = 10;

type Stored = { _id: string; organizationId: string } & Document;

/** Something that is stored sealed, and how it is found and written in its earlier form. */
type SealedPart = {
  collection: string;
  /** Names the part in reports, such as `patients` or `events in patients`. */
  name: string;
  /** Matches the documents that have it as text. */
  isText: Filter<Stored>;
  /** Matches the documents that have it sealed. */
  isSealed: Filter<Stored>;
  projection: Document;
  /**
   * The sealed values of a document.
   */
  valuesOf(document: Stored): { sealed: Binary; place: Place; path: string; filter: Document }[];
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
async function* pagesOf(
  database: Db,
  part: SealedPart,
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

const writeAll = async (
  collection: Collection<Stored>,
  writes: AnyBulkWriteOperation<Stored>[],
): Promise<number> =>
  writes.length === 0 ? 0 : (await collection.bulkWrite(writes, { ordered: false })).modifiedCount;

/**
 * Seals everything that is stored as text, once.
 *
 * @returns the number of converted values by part, and what could not be converted
 */
const sealText = async (
  database: Db,
  ciphers: Pick<Ciphers, 'of'>,
  onProgress: PartProgress,
): Promise<{ converted: Record<string, number>; left: BadValue[] }> => {
  const converted: Record<string, number> = {};
  const left: BadValue[] = [];
  for (const part of sealedParts) {
    const { name } = part;
    let done = 0;
    for await (const page of pagesOf(database, part, part.isText)) {
      const writes: AnyBulkWriteOperation<Stored>[] = [];
      for (const document of page) {
        try {
          writes.push(...part.sealing(document, await ciphers.of(document.organizationId)));
        } catch (error) {
          if (!(error instanceof ServiceError || error instanceof SyntaxError || error instanceof TypeError))
            throw error;
          left.push({ name, _id: document._id });
        }
      }
      done += await writeAll(database.collection<Stored>(part.collection), writes);
      onProgress({ name, done });
    }
    if (done > 0) converted[name] = done;
  }
  return { converted, left };
};

export type EncryptionReport = {
  stage: EncryptionStage;
  /** How many documents were converted, by part. */
  converted: Record<string, number>;
  /** What could not be converted: its text is not valid, or the keys of its organization are missing. */
  left: BadValue[];
  droppedIndexes: string[];
};

export type ConversionParts = {
  database: Db;
  databaseForm: Collection<FormDocument>;
  processes: Collection<ProcessDocument>;
  ciphers: Pick<Ciphers, 'of'>;
  stage: CurrentStage;
};

export type ConversionOptions = {
  onStage(stage: EncryptionStage): void;
  onProgress: PartProgress;
  /** How long to wait until every process acts by a new stage, in milliseconds. */
  settleMs?: number;
};

/**
 * Encrypts what identifies patients in a database of an earlier version, while the services run. The call may be
 * interrupted and repeated, also after its end. It writes no event, and changes no `lastEditTime` and no ETag.
 *
 * @throws {EarlierVersionRunsError} if a process runs that does not read sealed values
 */
export const applyEncryption = async (
  { database, databaseForm, processes, ciphers, stage: current }: ConversionParts,
  { onStage, onProgress, settleMs = SETTLE_MS }: ConversionOptions,
): Promise<EncryptionReport> => {
  const sealedForm = { current: SEALED_FORM, oldestReader: SEALED_FORM, oldestUpgradable: 0 };
  const enter = async (stage: Exclude<EncryptionStage, 'plain'>): Promise<void> => {
    await databaseForm.updateOne(
      { _id: 'form' },
      { $set: { encryption: stage }, $max: { oldestReader: SEALED_FORM } },
    );
    onStage(stage);
    await sleep(settleMs);
    current.forget();
  };

  let stage = await readStage(databaseForm);
  if (stage === 'plain') {
    await checkRunningForms(database, processes, sealedForm);
    stage = 'prepared';
    await enter(stage);
    // A process of an earlier version that has started in between finds the new form, and stops.
    for (const end = performance.now() + STOPPING_MS; ; await sleep(1000)) {
      try {
        await checkRunningForms(database, processes, sealedForm);
        break;
      } catch (error) {
        if (!(error instanceof EarlierVersionRunsError) || performance.now() > end) throw error;
      }
    }
  }
  if (stage === 'prepared') {
    stage = 'converting';
    await enter(stage);
  }
  const converted: Record<string, number> = {};
  for (let passes = 0; ; passes++) {
    if (passes === MAX_PASSES)
      throw new ServiceError(
        'Something still writes data as text: end every process of an earlier version, then repeat the command.',
      );
    const pass = await sealText(database, ciphers, onProgress);
    for (const [name, count] of Object.entries(pass.converted))
      converted[name] = (converted[name] ?? 0) + count;
    if (Object.keys(pass.converted).length > 0) continue;
    if (pass.left.length > 0) return { stage, converted, left: pass.left, droppedIndexes: [] };
    break;
  }
  if (stage === 'converting') {
    stage = 'encrypted';
    await enter(stage);
  }
  return { stage, converted, left: [], droppedIndexes: await dropTextIndexes(database) };
};

/** How many documents still have something as text, by part. */
export const countText = async (database: Db): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const { name, collection, isText } of sealedParts) {
    const count = await database.collection<Stored>(collection).countDocuments(isText);
    if (count > 0) counts[name] = count;
  }
  return counts;
};

/**
 * Opens what is stored sealed.
 *
 * @param limit the number of documents of each part to open; default: all
 */
export const checkSealed = async (
  database: Db,
  ciphers: Pick<Ciphers, 'of'>,
  onProgress: PartProgress,
  limit = Number.POSITIVE_INFINITY,
): Promise<{ opened: number; refused: BadValue[] }> => {
  const refused: BadValue[] = [];
  let opened = 0;
  for (const part of sealedParts) {
    const { name } = part;
    let done = 0;
    for await (const page of pagesOf(database, part, part.isSealed)) {
      for (const document of page) {
        done++;
        try {
          const cipher = await ciphers.of(document.organizationId);
          for (const { sealed, place } of part.valuesOf(document)) {
            await cipher.opening(() => cipher.open(sealed.buffer, place));
            opened++;
          }
        } catch (error) {
          if (!(error instanceof ServiceError)) throw error;
          refused.push({ name, _id: document._id });
        }
      }
      onProgress({ name, done });
      if (done >= limit) break;
    }
  }
  return { opened, refused };
};

export type ResealReport = { resealed: number; current: number; refused: BadValue[] };

/**
 * Seals everything of an organization again that another than its current data key has sealed. The call may be interrupted
 * and repeated. A concurrent write takes precedence.
 */
export const resealOrganization = async (
  database: Db,
  ciphers: Pick<Ciphers, 'of'>,
  organizationId: string,
  onProgress: PartProgress,
): Promise<ResealReport> => {
  const report: ResealReport = { resealed: 0, current: 0, refused: [] };
  for (const part of sealedParts) {
    const { name } = part;
    let done = 0;
    for await (const page of pagesOf(database, part, {
      ...part.isSealed,
      organizationId,
    } as Filter<Stored>)) {
      const writes: AnyBulkWriteOperation<Stored>[] = [];
      for (const document of page) {
        const cipher = await ciphers.of(organizationId);
        for (const { sealed, place, path, filter } of part.valuesOf(document)) {
          if (cipher.isCurrent(sealed.buffer)) {
            report.current++;
            continue;
          }
          try {
            const text = await cipher.opening(() => cipher.open(sealed.buffer, place));
            const update = { $set: { [path]: new Binary(cipher.seal(text, place)) } };
            writes.push({
              updateOne: {
                filter: { _id: document._id, organizationId, ...filter } as Filter<Stored>,
                update,
              },
            });
          } catch (error) {
            if (!(error instanceof UnreadableValueError)) throw error;
            report.refused.push({ name, _id: document._id });
          }
        }
      }
      report.resealed += await writeAll(database.collection<Stored>(part.collection), writes);
      done += page.length;
      onProgress({ name, done });
    }
  }
  return report;
};
