import {
  type Appointment,
  appointmentLists,
  clock,
  type ImportLine,
  type NewEvent,
  newEvent,
  newId,
  nextEditTime,
  type RecordKind,
  recordEvent,
  references,
  type SettingKind,
} from '@chairside/domain';
import { type AuditTrail, auditRun, type Run, SYSTEM } from '../audit/audit.ts';
import type { Database } from '../driver/database.ts';
import type { Cipher, Ciphers } from '../encryption/ciphers.ts';
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
import { importDigest } from './import-digest.ts';
import { type NumberedLine, type RefusedLine, resolveReferences } from './import-references.ts';
import { type ImportCounts, type PlannedWrite, type WantedDocument, writeLines } from './import-writes.ts';
import { type NumberedSettingLine, type SettingImportResult, writeSettings } from './setting-import.ts';

const BUSY =
  'the record kept changing during the import, or its outbox is full: check that a webhook-dispatcher is running, then import again';
/** If this field exists, the outbox contains the maximum of 100 events. */
const LAST_OUTBOX_ENTRY = 'outbox.99';

/**
 * `none` stores no events and is meant for a first load. `changes` stores an event for each record that is new or
 * changed, if records of this kind have events.
 */
export type ImportEvents = 'none' | 'changes';
export type { ImportCounts, NumberedLine, RefusedLine };
export type ImportResult = ImportCounts & { refused: RefusedLine[] };

/** Imports records of another system into one organization. */
export type Importer = {
  /**
   * Writes a group of lines in a few round trips. Each record is stored together with its event in one write. The call
   * may be repeated: a line that has not changed since its last import writes nothing, even if the record was edited
   * here since then.
   *
   * @param lines a few hundred, each with a different `externalId`
   */
  write(kind: RecordKind, lines: readonly NumberedLine[], events: ImportEvents): Promise<ImportResult>;
  /**
   * Writes a group of lines with practice settings. Like `write`, the call may be repeated. Settings have no events and
   * leave no audit entries, because they contain no patient data.
   *
   * @param lines a few hundred, each with a different `externalId`
   */
  writeSettings(kind: SettingKind, lines: readonly NumberedSettingLine[]): Promise<SettingImportResult>;
};

type ImportedDocument = RecordDocument & { importDigest?: string };
type ImportedRecord = { _id: string; clinicId: string; createdTime?: string; lastEditTime: string };
/** What a line describes: the record without what the import adds. */
type Wanted = WantedDocument & { fields: ImportLine['fields']; digest: string };
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

/**
 * Returns the write that turns the stored document into the wanted record. Returns undefined if they are already equal,
 * or if the line has not changed since its last import.
 */
const planFor = (
  kind: RecordKind,
  wanted: Wanted,
  stored: ImportedDocument | undefined,
  { events, now, run, cipher }: { events: ImportEvents; now: Date; run: Run; cipher: Cipher },
): Planned | undefined => {
  const shape = shapes[kind];
  if (stored?.importDigest === wanted.digest) return undefined;
  const before = stored && toRecord<ImportedRecord>(shape, stored, cipher);
  const lastEditTime = nextEditTime(now, before?.lastEditTime);
  const createdTime = before?.createdTime ?? lastEditTime;
  const record = nextVersion(kind, wanted, before, { createdTime, lastEditTime });
  if (before && JSON.stringify({ ...before, lastEditTime }) === JSON.stringify(record)) return undefined;

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

export const importerOf = (
  database: Database,
  trail: AuditTrail,
  ciphers: Pick<Ciphers, 'of' | 'forget'>,
  run: Run,
): Importer => {
  const { organizationId } = run;
  return {
    async writeSettings(kind, lines) {
      return writeSettings(database, await ciphers.of(organizationId), organizationId, kind, lines);
    },

    async write(kind, lines, events) {
      const shape = shapes[kind];
      const collection = database.collection<ImportedDocument>(shape.collection);
      // An import is not registered, so a command that switches the search waits only for writes in flight.
      ciphers.forget(organizationId);
      const cipher = await ciphers.of(organizationId);
      const { resolved, refused } = await resolveReferences(
        database,
        cipher,
        organizationId,
        references[kind],
        lines,
      );
      const { missed, ...counts } = await writeLines(
        collection,
        organizationId,
        {
          conditions: (externalIds) => withExternalIds(shape, externalIds, cipher),
          externalIdOf: (document) =>
            cipher.opening(
              () => toRecord<{ externalId: string }>(shape, document, cipher, ['externalId']).externalId,
            ),
        },
        resolved.map(({ number, line }): Wanted => ({ number, ...line, digest: importDigest(line, cipher) })),
        (each, stored) =>
          cipher.opening(() => planFor(kind, each, stored, { events, now: clock.now(), run, cipher })),
        async (plan) => {
          // Audit entries are stored before the write, so that a crash leaves no record without its audit entry. Writes
          // with an event need no entry here, because the dispatcher derives the entry from the event.
          const withoutEvent = plan.filter(({ hasEvent }) => !hasEvent).map(({ _id }) => _id);
          await auditRun(trail, run, { action: 'imported', kind, ids: withoutEvent, result: 'ok' });
        },
      );
      return { ...counts, refused: [...refused, ...missed.map((number) => ({ number, reason: BUSY }))] };
    },
  };
};
