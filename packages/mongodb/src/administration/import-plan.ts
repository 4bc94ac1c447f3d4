import {
  type Appointment,
  appointmentLists,
  type ImportLine,
  type NewEvent,
  newEvent,
  newId,
  nextEditTime,
  type RecordKind,
  recordEvent,
} from '@chairside/domain';
import { type Run, SYSTEM } from '../audit/audit.ts';
import type { Cipher } from '../encryption/ciphers.ts';
import { withStoredBody } from '../events/event-document.ts';
import { hasOutboxRoom } from '../records/outbox.ts';
import { withExternalIds } from '../records/record-query.ts';
import {
  inShape,
  type RecordDocument,
  shapes,
  storedFields,
  toFields,
  toRecord,
} from '../records/record-shapes.ts';
import type { ByExternalId, PlannedWrite, WantedDocument } from './import-writes.ts';

/** If this field exists, the outbox contains the maximum of 100 events. */
const LAST_OUTBOX_ENTRY = 'outbox.99';

/**
 * `none` stores no events and is meant for a first load. `changes` stores an event for each record that is new or
 * changed, if records of this kind have events.
 */
export type ImportEvents = 'none' | 'changes';

/** A record in the database. An import keeps the digest of its last line. */
export type ImportedDocument = RecordDocument & { importDigest?: string };
type ImportedRecord = { _id: string; clinicId: string; createdTime?: string; lastEditTime: string };
/** What a line describes: the record without what the import adds. */
export type Wanted = WantedDocument & { fields: ImportLine['fields']; digest: string };
type Planned = PlannedWrite<ImportedDocument, Wanted> & { hasEvent: boolean };

const eventOf = (
  kind: RecordKind,
  before: ImportedRecord | undefined,
  after: ImportedRecord,
  time: Date,
  run: Run,
): NewEvent | undefined => {
  const event = recordEvent(kind, before, after);
  const author = { principal: SYSTEM, requestId: run.id };
  return event && newEvent({ _id: newId(time), event, time, author }, after, before);
};

/** The record that a line describes, with its fields in the order of its shape, as GET returns them. */
const nextVersion = (
  kind: RecordKind,
  { externalId, fields }: Wanted,
  before: ImportedRecord | undefined,
  times: { createdTime: string; lastEditTime: string },
): ImportedRecord => {
  const stored = before as Partial<Appointment> | undefined;
  const lists =
    kind === 'appointment'
      ? appointmentLists({ procedures: [], reminders: [], ...fields }, stored?.procedures)
      : {};
  const own = { _id: before?._id ?? newId(), externalId, ...times };
  return inShape<ImportedRecord>(shapes[kind], { ...fields, ...lists, ...own });
};

/** How the records of a kind are found by their external ids. */
export const recordsByExternalId = (kind: RecordKind, cipher: Cipher): ByExternalId<ImportedDocument> => {
  const shape = shapes[kind];
  return {
    conditions: (externalIds) => withExternalIds(shape, externalIds, cipher),
    externalIdOf: (document) =>
      cipher.opening(
        () => toRecord<{ externalId: string }>(shape, document, cipher, ['externalId']).externalId,
      ),
  };
};

/**
 * The record that a line makes of the stored one.
 *
 * @returns undefined if they are already equal, or if the line has not changed since its last import
 */
export const changeOf = (
  kind: RecordKind,
  wanted: Wanted,
  stored: ImportedDocument | undefined,
  { now, cipher }: { now: Date; cipher: Cipher },
): { before: ImportedRecord | undefined; record: ImportedRecord } | undefined => {
  if (stored?.importDigest === wanted.digest) return undefined;
  const before = stored && toRecord<ImportedRecord>(shapes[kind], stored, cipher);
  const lastEditTime = nextEditTime(now, before?.lastEditTime);
  const createdTime = before?.createdTime ?? lastEditTime;
  const record = nextVersion(kind, wanted, before, { createdTime, lastEditTime });
  const isEqual = before && JSON.stringify({ ...before, lastEditTime }) === JSON.stringify(record);
  return isEqual ? undefined : { before, record };
};

/** Returns the write that a line needs; undefined if it needs none. */
export const planFor = (
  kind: RecordKind,
  wanted: Wanted,
  stored: ImportedDocument | undefined,
  { events, now, run, cipher }: { events: ImportEvents; now: Date; run: Run; cipher: Cipher },
): Planned | undefined => {
  const shape = shapes[kind];
  const change = changeOf(kind, wanted, stored, { now, cipher });
  if (change === undefined) return undefined;
  const { before, record } = change;

  const { _id, ...fields } = toFields(shape, record, cipher);
  const made = events === 'changes' ? eventOf(kind, before, record, now, run) : undefined;
  const event = made && withStoredBody(made, cipher);
  const imported = { ...fields, importDigest: wanted.digest };
  const planned = {
    wanted,
    _id: record._id,
    isNew: stored === undefined,
    hasEvent: event !== undefined,
  };
  if (stored === undefined) {
    const document = {
      ...imported,
      _id,
      organizationId: run.organizationId,
      revision: 1,
      ...(event && { outbox: [event], outboxAt: event.time }),
    };
    return { ...planned, write: { insertOne: { document: document as ImportedDocument } } };
  }
  const cleared = storedFields(shape).filter((field) => field !== '_id' && fields[field] === undefined);
  const filter = {
    _id: record._id,
    organizationId: run.organizationId,
    revision: stored.revision,
    ...(event && { [LAST_OUTBOX_ENTRY]: { $exists: false }, ...hasOutboxRoom }),
  };
  const update = {
    $set: imported,
    ...(cleared.length > 0 && {
      $unset: Object.fromEntries(cleared.map((field) => [field, ''] as const)),
    }),
    $inc: { revision: 1 },
    ...(event && { $push: { outbox: event }, $min: { outboxAt: event.time } }),
  };
  return { ...planned, write: { updateOne: { filter, update } } };
};
