import { setTimeout as sleep } from 'node:timers/promises';
import type { RecordKind } from '@chairside/domain';
import type { Filter } from 'mongodb';
import { type AuditTrail, auditRun, type Run } from '../audit/audit.ts';
import { type DeliveryDocument, ofEvents, runsOf } from '../deliveries/deliveries.ts';
import type { Collection, Database } from '../driver/database.ts';
import { rowsOf } from '../driver/rows.ts';
import { byId } from '../driver/statements.ts';
import type { EventDocument } from '../events/event-document.ts';
import { hasOutbox } from '../records/outbox.ts';
import { type RecordDocument, shapes } from '../records/record-shapes.ts';
import { type EndingDocument, enterEnding } from '../restores/endings.ts';

/** What was removed or, in a trial run, would be removed. */
export type ErasureReport = {
  patientId: string;
  /** The number of removed records of each kind. */
  records: Partial<Record<RecordKind, number>>;
  /** The number of events about the patient, in the log and in the outboxes of records that are kept. */
  events: number;
  /**
   * The number of removed deliveries of those events: the deliveries that were not final. An attempt that is already in
   * flight can still reach its receiver.
   */
  deliveriesRemoved: number;
  /**
   * The number of final deliveries of those events from which fields were removed, such as the receiver's response. The
   * facts of the attempt are kept. A trial run counts all final deliveries.
   */
  deliveriesEmptied: number;
};

const PAGE = 500;
/**
 * Maximum number of passes. Each pass that found something is followed by another one, because a dispatcher may have
 * moved events from a record into the log in the meantime.
 */
const MAX_PASSES = 10;
/**
 * The wait before the last pass. In this time, dispatchers enter events into the log that they have already read from a
 * record.
 */
const SETTLE_MS = 2000;
const BILLING: readonly RecordKind[] = ['invoice', 'payment'];
const OF_PATIENT: readonly RecordKind[] = ['appointment', 'invoice', 'payment', 'treatment'];

/** Whether an erased delivery keeps a field. A field that may quote the receiver's response is removed. */
const IS_KEPT: Readonly<Record<keyof DeliveryDocument, boolean>> = {
  _id: true,
  organizationId: true,
  clinicId: true,
  subscriptionId: true,
  eventId: true,
  requestId: true,
  event: true,
  kind: true,
  status: true,
  createdTime: true,
  attemptTime: true,
  duration: true,
  timings: true,
  statusCode: true,
  cause: true,
  redeliveryOf: true,
  bulkId: true,
  worker: true,
  payload: true,
  address: true,
  finalTime: true,
  expireAt: true,
  reopened: true,
  released: true,
  bodyBytes: false,
  token: false,
  claimedAt: false,
  responseBodyTruncated: false,
  sealed: false,
  reason: false,
  code: false,
};
const isKept = (field: string): boolean => IS_KEPT[field as keyof DeliveryDocument] === true;

type Erasure = {
  database: Database;
  organizationId: string;
  patientId: string;
  isTrial: boolean;
  /** Stores the audit entry. Called before something is erased, so that a killed command leaves an entry. */
  audit(recordIds: readonly string[]): Promise<void>;
};

/** The patient's records of a kind, and the events that they have in their outboxes. */
type Found = {
  kind: RecordKind;
  collection: Collection<RecordDocument & { patientId?: string }>;
  filter: { organizationId: string; patientId?: string; _id?: string };
  ids: string[];
  unpublished: string[];
};

const findRecords = async (
  { database, organizationId, patientId }: Erasure,
  kind: RecordKind,
): Promise<Found> => {
  const collection: Found['collection'] = database.collection(shapes[kind].collection);
  const filter = { organizationId, ...(kind === 'patient' ? { _id: patientId } : { patientId }) };
  const documents = await collection.find(filter, { projection: { 'outbox._id': 1 } }).toArray();
  const ids = documents.map(({ _id }) => _id);
  const unpublished = documents.flatMap(({ outbox = [] }) => outbox.map(({ _id }) => _id));
  return { kind, collection, filter, ids, unpublished };
};

/** Deletes the records with their unpublished events, one kind after the other. */
const deleteRecords = async (found: readonly Found[]): Promise<void> => {
  // A record that was created meanwhile is not in the audit entry yet. The next pass finds it.
  for (const { collection, filter, ids } of found)
    await collection.deleteMany({ ...filter, _id: { $in: ids } });
};

/** Removes the unpublished events from records that are kept. These events are not published. */
const emptyOutboxes = async (found: readonly Found[]): Promise<void> => {
  for (const { collection, filter } of found)
    await collection.updateMany({ ...filter, ...hasOutbox }, { $unset: { outbox: '', outboxAt: '' } });
};

/**
 * Matches the events about the patient, by an index. Events of kept records, of records that were deleted, and of records
 * that belong to another patient today are included, if their bodies contain the patient's id.
 */
const eventsAbout = (
  { organizationId, patientId }: Erasure,
  recordIds: readonly string[],
): Filter<EventDocument> => ({ organizationId, about: { $in: [patientId, ...recordIds] } });

const emptyDelivery = async (
  collection: Collection<DeliveryDocument>,
  delivery: DeliveryDocument,
): Promise<boolean> => {
  const surplus = Object.keys(delivery).filter((field) => !isKept(field));
  if (surplus.length === 0) return false;
  const unset = Object.fromEntries(surplus.map((field) => [field, ''] as const));
  await collection.updateOne({ _id: delivery._id }, { $unset: unset });
  return true;
};

const eraseDeliveries = async (
  { database, isTrial }: Erasure,
  eventIds: readonly string[],
  report: ErasureReport,
): Promise<void> => {
  const collection = database.collection<DeliveryDocument>('deliveries');
  for (const run of runsOf(eventIds)) {
    const unfinished = { ...ofEvents(run), status: { $in: ['queued', 'sending'] as const } };
    // A delivery in flight is removed too. Its dispatcher can then no longer store the receiver's response.
    report.deliveriesRemoved += isTrial
      ? await collection.countDocuments(unfinished, byId)
      : (await collection.deleteMany(unfinished, byId)).deletedCount;
    const final = collection.find({ ...ofEvents(run), finalTime: { $exists: true } }, byId);
    for await (const delivery of rowsOf(final, (each) => each)) {
      if (isTrial || (await emptyDelivery(collection, delivery))) report.deliveriesEmptied++;
    }
  }
};

/**
 * Deletes the events in the log about the patient, and what deliveries of these and of the unpublished events contain.
 *
 * @param unpublished a dispatcher may have sent these events without entering them into the log, before it was killed
 * @returns the number of events that the log had
 */
const eraseEvents = async (
  erasure: Erasure,
  recordIds: readonly string[],
  unpublished: ReadonlySet<string>,
  report: ErasureReport,
): Promise<number> => {
  const collection = erasure.database.collection<EventDocument>('events');
  const events = collection.find(eventsAbout(erasure, recordIds), { projection: { _id: 1 } });
  const found = await Array.fromAsync(rowsOf(events, ({ _id }) => _id));
  if (found.length > 0) await erasure.audit([]);
  const all = [...new Set([...found, ...unpublished])];
  for (let from = 0; from < all.length; from += PAGE) {
    const page = all.slice(from, from + PAGE);
    // The deliveries are deleted before their events, because they are found through their events.
    await eraseDeliveries(erasure, page, report);
    if (!erasure.isTrial) await collection.deleteMany({ _id: { $in: page } });
  }
  report.events += found.length;
  return found.length;
};

export type ErasureOptions = {
  /** Keeps invoices and payments, which still contain the patient's id. */
  keepBilling: boolean;
  /** Changes nothing, stores no audit entry, and reports what would be removed. */
  isTrial: boolean;
  /** How long to wait before the last pass, in milliseconds. */
  settleMs?: number | undefined;
};

/**
 * Removes a patient and the patient's data from records, event log and deliveries, and stores audit entries with the
 * ids. The call may be repeated: it finds only data that still exists.
 *
 */
export const erasePatient = async (
  database: Database,
  trail: AuditTrail,
  run: Run,
  patientId: string,
  { keepBilling, isTrial, settleMs = SETTLE_MS }: ErasureOptions,
): Promise<ErasureReport> => {
  const { organizationId } = run;
  const kinds = OF_PATIENT.filter((kind) => !(keepBilling && BILLING.includes(kind)));
  const audited = new Set<string>();
  const entry = (ids: string[], result: string): Promise<void> =>
    auditRun(trail, run, { action: 'erased', kind: 'patient', ids, result });
  const audit = async (recordIds: readonly string[]): Promise<void> => {
    const ids = [...new Set([patientId, ...recordIds])].filter((id) => !audited.has(id));
    if (isTrial || ids.length === 0) return;
    if (audited.size === 0)
      await enterEnding(database.collection<EndingDocument>('endings'), {
        kind: keepBilling ? 'patientRecords' : 'patient',
        id: patientId,
        organizationId,
      });
    for (const id of ids) audited.add(id);
    await entry(ids, 'erased');
  };
  const erasure: Erasure = { database, organizationId, patientId, isTrial, audit };
  const report: ErasureReport = {
    patientId,
    records: {},
    events: 0,
    deliveriesRemoved: 0,
    deliveriesEmptied: 0,
  };
  const recordIds: string[] = [];
  const unpublished = new Set<string>();
  const find = (kind: RecordKind) => findRecords(erasure, kind);
  let hasWaited = false;
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    // The patient is deleted last, so that an interrupted erasure can be repeated.
    const erased = await Promise.all([...kinds, 'patient' as const].map(find));
    const kept = await Promise.all(OF_PATIENT.filter((kind) => !kinds.includes(kind)).map(find));
    for (const { kind, ids } of erased)
      if (ids.length > 0) report.records[kind] = (report.records[kind] ?? 0) + ids.length;
    const records = erased.flatMap(({ ids }) => ids);
    const ofKept = kept.flatMap((each) => each.unpublished);
    if (records.length + ofKept.length > 0) await audit(records);
    recordIds.push(...records);
    report.events += ofKept.length;
    for (const id of [...erased.flatMap((each) => each.unpublished), ...ofKept]) unpublished.add(id);
    // The deliveries are erased before the records, because those of unpublished events are found through the records.
    const inLog = await eraseEvents(erasure, recordIds, unpublished, report);
    if (isTrial) return report;
    await deleteRecords(erased);
    await emptyOutboxes(kept);
    if (records.length + ofKept.length + inLog > 0) continue;
    // If the first pass finds nothing, no dispatcher can have read events of this patient, so no wait is needed.
    if (hasWaited || pass === 0) break;
    await sleep(settleMs);
    hasWaited = true;
  }
  if (audited.size === 0) await entry([patientId], 'nothing to erase');
  return report;
};
