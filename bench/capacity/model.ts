/**
 * What an installation of this size needs. The CPU times are those of the benchmarks on the EPYC, the sizes those of the
 * simulation. Everything about MongoDB's disk and memory is computed, because MongoDB could not be run where this was
 * written.
 */
export type Practices = {
  practices: number;
  /** A day, for each practice: writes, each an event; reads of one record; lists. */
  writes: number;
  reads: number;
  lists: number;
  /** The number of records in a list. */
  listSize: number;
  /** The part of the lists whose records no earlier list had, from 0 to 1. */
  newLists: number;
  /** Subscriptions for each event. */
  subscriptions: number;
  /** `AUDIT_RETENTION_DAYS`. */
  auditDays: number;
};

/** The practices of docs/capacity.md. */
export const EXAMPLE: Practices = {
  practices: 1000,
  writes: 400,
  reads: 3800,
  lists: 200,
  listSize: 100,
  newLists: 0.1,
  subscriptions: 2,
  auditDays: 2190,
};

/** Bytes of a document, the number of its index keys, and their bytes, before compression. */
export type Size = { bytes: number; keys: number; keyBytes: number };

/** Sizes of the stored documents. The simulation compares them with what the service stores. */
export const SIZES = {
  delivery: { bytes: 826, keys: 5, keyBytes: 344 },
  event: { bytes: 733, keys: 5, keyBytes: 308 },
  writeEntry: { bytes: 327, keys: 6, keyBytes: 368 },
  readEntry: { bytes: 324, keys: 6, keyBytes: 368 },
} satisfies Record<string, Size>;
/** Ids in a set on average. */
const IDS_IN_SET = 64;

/** The entry of a list, which refers to sets. It also belongs to the repeated reading of a list. */
export const listEntrySize = (sets: number): Size => ({
  bytes: 324 + sets * 30,
  keys: 6 + sets,
  keyBytes: 368 + sets * 92,
});
/** The sets of a list that is read for the first time. */
export const setsSize = (listSize: number, sets: number): Size => ({
  bytes: listSize * 26 + sets * 150,
  keys: listSize + sets * 2,
  keyBytes: listSize * 52 + sets * 70,
});

/** Milliseconds of CPU (docs/capacity.md). */
const API_EVENT_MS = 0.6;
const API_REQUEST_MS = 0.4;
const DISPATCHER_EVENT_MS = 0.45;
const DISPATCHER_SUBSCRIPTION_MS = 0.25;
/** The part of the cores that is used in the busiest hour. */
const LOAD = 0.6;
/** The part of a day's work that is done in its busiest hour. */
const BUSIEST_HOUR = 0.2;

/** Days for which events and deliveries are kept. */
const LOG_DAYS = 30;
/** A document in the oplog: an insert in addition to the document, an update with its changed fields, a deletion. */
const OPLOG = { insert: 100, outcome: 610, claim: 250, outbox: 250, deletion: 150 };
/** A delivery before its attempt, and a record with its event. */
const NEW_DELIVERY_BYTES = 400;
const RECORD_BYTES = 1500;
/** A page of an index in memory. */
const PAGE_BYTES = 16 * 1024;
/**
 * The pages to which an organization writes, because an index continues there: those of its entries by time, principal
 * (two) and request, of its log by time and by clinic, of its deliveries by time; and two for each subscription.
 */
const PAGES_OF_ORGANIZATION = 7;
const PAGES_OF_SUBSCRIPTION = 2;
/** Connections to one server of the database (packages/mongodb/src/connection/client.ts). */
const CONNECTIONS = { api: 43, dispatcher: 53 };

export type Needs = {
  eventsPerSecond: number;
  requestsPerSecond: number;
  api: number;
  dispatcher: number;
  connections: number;
  /** Documents that the database inserts, updates and deletes in a second of the busiest hour. */
  inserts: number;
  updates: number;
  deletions: number;
  /** Bytes of the oplog in an hour: the busiest one. */
  oplogBytes: number;
  /** Stored bytes when as many documents expire as are added: documents and index keys. */
  log: number;
  logKeys: number;
  audit: number;
  auditKeys: number;
  /** Bytes of index pages that are always in use. */
  hotBytes: number;
  /** Input and output operations in a second, if the index of audited records does not fit into memory. */
  iops: number;
};

export const needsOf = (given: Practices): Needs => {
  const { practices, writes, reads, lists, listSize, newLists, subscriptions: n, auditDays } = given;
  const perSecond = (aDay: number): number => (practices * aDay * BUSIEST_HOUR) / 3600;
  const [events, read, listed] = [perSecond(writes), perSecond(reads), perSecond(lists)];
  const requests = read + listed;
  const processes = (ms: number): number => Math.max(practices > 100 ? 2 : 1, Math.ceil(ms / 1000 / LOAD));
  const api = processes(events * API_EVENT_MS + requests * API_REQUEST_MS);
  const dispatcher = processes(events * (DISPATCHER_EVENT_MS + (n - 1) * DISPATCHER_SUBSCRIPTION_MS));

  const setsInList = listSize / IDS_IN_SET;
  const setsOfList = setsInList * newLists;
  const entry = listEntrySize(setsInList);
  const sets = setsSize(listSize, setsInList);
  const inserts = events * (3 + n) + read + listed * (1 + setsOfList);
  const updates = events * (1 + n);
  // The audit entries of a day expire as new ones are added.
  const deletions = events * (2 + n) + read + listed * (1 + setsOfList);
  const oplog =
    events *
      (RECORD_BYTES +
        n * (NEW_DELIVERY_BYTES + OPLOG.insert + OPLOG.outcome) +
        SIZES.event.bytes +
        SIZES.writeEntry.bytes +
        2 * OPLOG.insert +
        OPLOG.outbox) +
    read * (SIZES.readEntry.bytes + OPLOG.insert) +
    listed * (entry.bytes + OPLOG.insert + newLists * sets.bytes) +
    deletions * OPLOG.deletion;

  const stored = (field: 'bytes' | 'keyBytes') => ({
    log: practices * writes * LOG_DAYS * (SIZES.event[field] + n * SIZES.delivery[field]),
    audit:
      practices *
      auditDays *
      (writes * SIZES.writeEntry[field] +
        reads * SIZES.readEntry[field] +
        lists * (entry[field] + newLists * sets[field])),
  });
  const [documents, keys] = [stored('bytes'), stored('keyBytes')];
  // Each entry is read into memory and written back at another place of the index.
  const iops = 2 * (events + read + listed * newLists * listSize);
  return {
    eventsPerSecond: events,
    requestsPerSecond: requests,
    api,
    dispatcher,
    connections: api * CONNECTIONS.api + dispatcher * CONNECTIONS.dispatcher,
    inserts,
    updates,
    deletions,
    oplogBytes: oplog * 3600,
    log: documents.log,
    logKeys: keys.log,
    audit: documents.audit,
    auditKeys: keys.audit,
    hotBytes: practices * (PAGES_OF_ORGANIZATION + n * PAGES_OF_SUBSCRIPTION) * PAGE_BYTES,
    iops,
  };
};

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];
const bytes = (value: number): string => {
  const unit = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, value)) / 3));
  return `${Number((value / 1000 ** unit).toPrecision(2))} ${UNITS[unit]}`;
};
const rounded = (value: number): string => Number(value.toPrecision(2)).toLocaleString('en');

/** A table in Markdown with one column for each installation. */
export const tableOf = (installations: readonly Practices[]): string => {
  const needs = installations.map(needsOf);
  const row = (name: string, show: (each: Needs) => string): string =>
    `| ${name} | ${needs.map(show).join(' | ')} |`;
  return [
    `| practices | ${installations.map(({ practices }) => practices.toLocaleString('en')).join(' | ')} |`,
    `| --- |${installations.map(() => ' --- |').join('')}`,
    row('events a second', (each) => rounded(each.eventsPerSecond)),
    row('other requests a second', (each) => rounded(each.requestsPerSecond)),
    row('processes of the api', ({ api }) => String(api)),
    row('processes of the dispatcher', ({ dispatcher }) => String(dispatcher)),
    row('connections to a server of the database, at most', (each) => rounded(each.connections)),
    row('documents inserted / updated / deleted a second', (each) =>
      [each.inserts, each.updates, each.deletions].map(rounded).join(' / '),
    ),
    row('oplog in the busiest hour', (each) => bytes(each.oplogBytes)),
    row('events and deliveries: documents, index keys', (each) =>
      [each.log, each.logKeys].map(bytes).join(', '),
    ),
    row('audit entries: documents, index keys', (each) => [each.audit, each.auditKeys].map(bytes).join(', ')),
    row('index pages in constant use', (each) => bytes(each.hotBytes)),
    row('disk operations a second', (each) => rounded(each.iops)),
  ].join('\n');
};
