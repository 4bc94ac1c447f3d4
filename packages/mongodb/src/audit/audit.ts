import { createHash } from 'node:crypto';
import { batched } from '@chairside/concurrency';
import {
  type AuditAction,
  type AuditEntry,
  actionOf,
  clock,
  type Event,
  eventNames,
  MAX_AUDITED_IDS,
  newId,
  type ScheduleKind,
  type SecurityKind,
  securityKinds,
} from '@chairside/domain';
import type { Filter } from 'mongodb';
import type { Collection, Rows } from '../driver/database.ts';
import { rowsOf } from '../driver/rows.ts';
import { atMost, insertNew, upsertAll } from '../driver/statements.ts';
import {
  beyond,
  isBefore,
  MAX_EXAMINED,
  rowExamined,
  type TimePosition,
  upTo,
} from '../driver/time-order.ts';
import type { AuditedSetReader, AuditedSetWriter } from './audited-sets.ts';

/** The actions of the entries that are derived from events. */
const writes: ReadonlySet<AuditAction> = new Set(eventNames.map(actionOf));

const DAY = 24 * 60 * 60 * 1000;
const MINUTE = 60_000;

/** Whether the administrators are told of an action: an app was connected, or a receiver has a host that is new. */
const isToBeTold = ({ kind, action, changes = [] }: Access): boolean =>
  (kind === 'connection' && action === 'granted') ||
  (kind === 'webhookSubscription' &&
    changes.some(({ field, value }) => field === 'newHost' && value === true));

/** Divides an array into parts of at most `size` elements. */
const inParts = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );

/** Maximum number of entries that are stored in one round trip. */
const MAX_GROUP = 200;
/** The length of the periods in which equal accesses share one entry. */
const SHARED_FOR_MS = 10 * MINUTE;

export type AuditDocument = Omit<AuditEntry, 'time'> & {
  organizationId: string;
  time: Date;
  /** The sets with the ids of a long list. `ids` is empty then. */
  sets?: string[];
  /** Set while the administrators are to be told of the action: see `Noticed`. */
  noticeAt?: Date;
  expireAt: Date;
};

/** An access to records or a security action, without its time, which the audit trail adds. */
export type Access = Pick<
  AuditEntry,
  | 'action'
  | 'kind'
  | 'ids'
  | 'part'
  | 'address'
  | 'changes'
  | 'by'
  | 'reason'
  | 'result'
  | 'principal'
  | 'requestId'
>;

/**
 * A security action: on access (organizations, operators, keys, sessions, connected apps), on webhooks, on the audit log, or a
 * change of the schedule or, by chairside-admin, of a clinic.
 */
export type SecurityAction = Omit<Access, 'kind' | 'part' | 'result'> & {
  kind: SecurityKind | ScheduleKind | 'clinic';
};

/** A refused sign-in of an operator that exists. */
export type RefusedSignIn = {
  organizationId: string;
  operatorId: string;
  /** The caller's network, as used to count its attempts. */
  network: string;
  requestId: string;
};

/** Writes the audit entries of all organizations. */
export type AuditTrail = {
  /** Resolves when the entry is stored. Entries that arrive while others are being stored share a round trip. */
  add(organizationId: string, access: Access): Promise<void>;
  /**
   * Like `add`, but of several calls with the same id, only the first one leaves an entry.
   *
   * @param id the `_id` of the entry
   */
  addUnique(organizationId: string, id: string, access: Access): Promise<void>;
  /**
   * Like `add`, but all accesses with the same key in a period of ten minutes share one entry, over all processes.
   *
   * @param key names the accesses that share an entry
   */
  addOnce(organizationId: string, key: string, access: Access): Promise<void>;
  /**
   * Stores the entry of a security action before the action happens, with the result `begun`. If the process crashes
   * during the action, the entry remains.
   *
   * @returns a function that stores the result
   */
  begin(
    organizationId: string,
    action: SecurityAction,
  ): Promise<(outcome: Pick<AuditEntry, 'result'> & { ids?: string[] }) => Promise<void>>;
  /**
   * Counts refused sign-ins in one entry for each operator, network and minute, so that unauthenticated callers cause
   * only few entries.
   */
  countRefused(refused: RefusedSignIn): Promise<void>;
  /**
   * Adds the entries of writes, which are derived from their events. Each entry is stored only once, even if this is
   * called again.
   */
  addWrites(events: readonly Omit<Event, 'body'>[]): Promise<void>;
};

/** @param retentionDays how long an entry is kept */
export const openAuditTrail = (
  collection: Collection<AuditDocument>,
  auditedSets: AuditedSetWriter,
  retentionDays: number,
): AuditTrail => {
  const expiry = (time: Date): Date => new Date(time.getTime() + retentionDays * DAY);

  const store = batched<AuditDocument, void>(async (entries) => {
    await collection.insertMany(entries, { ordered: false });
    return entries.map(() => undefined);
  }, MAX_GROUP);

  const documentOf = (organizationId: string, access: Access) => {
    const time = clock.now();
    return {
      ...{ _id: newId(time), organizationId, time, ...access },
      ...(isToBeTold(access) && { noticeAt: time }),
      expireAt: expiry(time),
    };
  };

  const count = batched<RefusedSignIn & { time: Date }, void>(async (refusals) => {
    const entries = Map.groupBy(
      refusals,
      ({ operatorId, network, time }) => `refused-${operatorId}-${time.getTime()}-${network}`,
    );
    const upserts = [...entries].map(([_id, [first, ...others]]) => {
      const { organizationId, operatorId, network, requestId, time } = first as (typeof refusals)[number];
      const made: Omit<AuditDocument, '_id' | 'organizationId' | 'time' | 'count'> = {
        action: 'signed_in',
        principal: NOBODY,
        kind: 'operator',
        ids: [operatorId],
        address: network,
        result: 'refused',
        requestId,
        expireAt: expiry(time),
      };
      const update = { $inc: { count: 1 + others.length }, $setOnInsert: made };
      return { filter: { _id, organizationId, time }, update };
    });
    await upsertAll(collection, upserts);
    return [];
  }, MAX_GROUP);

  return {
    async add(organizationId, access) {
      const entry = documentOf(organizationId, access);
      const sets = await auditedSets.add(organizationId, access.ids, entry.expireAt);
      await store(sets === undefined ? entry : { ...entry, ids: [], sets });
    },

    async addUnique(organizationId, id, access) {
      await insertNew(collection, [{ ...documentOf(organizationId, access), _id: id }]);
    },

    async addOnce(organizationId, key, access) {
      const time = new Date(Math.floor(clock.now().getTime() / SHARED_FOR_MS) * SHARED_FOR_MS);
      const digest = createHash('sha256').update(key).digest('base64url');
      const _id = `shared-${organizationId}-${time.getTime()}-${digest}`;
      const update = { $setOnInsert: { ...access, expireAt: expiry(time) } };
      await upsertAll(collection, [{ filter: { _id, organizationId, time }, update }]);
    },

    async begin(organizationId, action) {
      const entry = documentOf(organizationId, { ...action, result: 'begun' });
      await store(entry);
      const { _id, time } = entry;
      return async (outcome) => {
        await collection.updateOne({ _id, organizationId, time }, { $set: outcome });
      };
    },

    async countRefused(refused) {
      const time = new Date(Math.floor(clock.now().getTime() / MINUTE) * MINUTE);
      await count({ ...refused, time });
    },

    async addWrites(events) {
      await insertNew(
        collection,
        events.map(({ _id, organizationId, time, event, kind, recordId, principal, requestId }) => ({
          _id,
          organizationId,
          time,
          action: actionOf(event),
          principal,
          kind,
          ids: [recordId],
          result: 'ok',
          requestId,
          expireAt: expiry(time),
        })),
      );
    },
  };
};

export type AuditFilter = {
  principalId?: string | undefined;
  /** Any of these kinds. */
  kind?: readonly AuditEntry['kind'][] | undefined;
  recordId?: string | undefined;
  /** Any of these actions. */
  action?: readonly AuditAction[] | undefined;
  requestId?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
};

/** The position of a page in the list, which begins with the newest entry. */
export type AuditPage = {
  /** The last entry of the previous page. */
  before?: TimePosition | undefined;
  /** The last entry that this page examines. */
  downTo?: TimePosition | undefined;
};

/** The audit entries of one organization. */
export type Audit = {
  /** Resolves when the entry is stored. */
  add(access: Access): Promise<void>;
  /** See {@link AuditTrail}. */
  addOnce(key: string, access: Access): Promise<void>;
  /** See {@link AuditTrail}. */
  begin(action: SecurityAction): ReturnType<AuditTrail['begin']>;
  /**
   * The ids of at most `limit` events that a request caused. The entry of a write has the id of its event, so that
   * deliveries need no index by request.
   */
  eventIds(requestId: string, limit: number): Promise<string[]>;
  /** Streams at most `limit` entries, newest first. */
  page(filter: AuditFilter, place: AuditPage, limit: number): AsyncIterable<AuditEntry>;
  /**
   * Returns the position at which a page must stop so that it examines at most `MAX_EXAMINED` entries; undefined if it
   * need not stop. The result is the `downTo` of the page and the `before` of the next one.
   */
  examinedTo(filter: AuditFilter, before: TimePosition | undefined): Promise<TimePosition | undefined>;
};

const NEWEST_FIRST = { time: -1, _id: -1 } as const;
/** Matches the entries of the index `security`. */
export const isSecurity = { kind: { $in: [...securityKinds] } };
const isSecurityKind = (kind: AuditEntry['kind']): boolean =>
  (securityKinds as readonly string[]).includes(kind);

/** Maximum number of sets in one query. MongoDB merges this many index ranges without sorting. */
const SETS_AT_ONCE = 200;
/** The number of entries whose sets are read in one round trip. */
const ENTRIES_AT_ONCE = 50;
/** The number of entries that are examined for a record in one round trip. */
const EXAMINED_AT_ONCE = 200;

/** Conditions on the fields of an index, except the organization, and the index. */
type Search = { conditions: Filter<AuditDocument>; hint?: Record<string, 1>; isShort?: true };

/**
 * The searches that together find the entries of a filter.
 *
 * @param setsOfRecord the sets that contain the record; undefined if there are too many, or if no record is searched for
 */
const searchesOf = (
  { recordId, principalId, requestId, kind, since, until }: AuditFilter,
  { before, downTo }: AuditPage,
  setsOfRecord: readonly string[] | undefined,
): Search[] => {
  const [earliest, latest] = [downTo?.time ?? since, before?.time ?? until];
  const place = {
    ...((earliest || latest) && {
      time: { ...(earliest && { $gte: earliest }), ...(latest && { $lte: latest }) },
    }),
    ...(before && beyond('time', '$lt', before)),
    ...(downTo && upTo('time', '$lt', downTo)),
  };
  // A request leaves few entries.
  if (requestId !== undefined) return [{ conditions: { requestId, ...place }, isShort: true }];
  const rest = { time: 1, _id: 1 } as const;
  if (recordId !== undefined && setsOfRecord !== undefined)
    return [
      { conditions: { ids: recordId, ...place }, hint: { organizationId: 1, ids: 1, ...rest } },
      ...inParts(setsOfRecord, SETS_AT_ONCE).map((sets) => ({
        conditions: { sets: { $in: sets }, ...place },
        hint: { organizationId: 1 as const, sets: 1 as const, ...rest },
      })),
    ];
  if (principalId !== undefined)
    return [
      {
        conditions: { 'principal.id': principalId, ...place },
        hint: { organizationId: 1, 'principal.id': 1, ...rest },
      },
    ];
  if (kind?.every(isSecurityKind))
    return [{ conditions: { ...isSecurity, ...place }, hint: { organizationId: 1, ...rest, kind: 1 } }];
  return [{ conditions: place }];
};

/** The conditions that the index does not cover, so that each entry must be examined. */
const otherConditionsOf = (
  { principalId, kind, recordId, action, requestId }: AuditFilter,
  setsOfRecord: readonly string[] | undefined,
): Filter<AuditDocument> => ({
  ...(principalId !== undefined &&
    (recordId !== undefined || requestId !== undefined) && { 'principal.id': principalId }),
  ...(recordId !== undefined &&
    requestId !== undefined &&
    setsOfRecord !== undefined && { $or: [{ ids: recordId }, { sets: { $in: [...setsOfRecord] } }] }),
  ...(kind && { kind: { $in: [...kind] } }),
  ...(action && { action: { $in: [...action] } }),
});

/** Merges rows of several queries that each begin with the newest. */
async function* merged(cursors: readonly Rows<AuditDocument>[]): AsyncGenerator<AuditDocument, void> {
  const sources = cursors.map((cursor) => rowsOf(cursor, (row) => row));
  try {
    const heads = await Promise.all(sources.map((source) => source.next()));
    for (;;) {
      let newest: { index: number; row: AuditDocument } | undefined;
      for (const [index, { value: row, done }] of heads.entries())
        if (!done && (newest === undefined || isBefore(newest.row, row))) newest = { index, row };
      if (newest === undefined) return;
      yield newest.row;
      const { index } = newest;
      heads[index] = await (sources[index] as (typeof sources)[number]).next();
    }
  } finally {
    await Promise.all(sources.map((source) => source.return()));
  }
}

const toEntry = (
  { organizationId, expireAt, noticeAt, time, sets, ids, ...entry }: AuditDocument,
  idsOf: ReadonlyMap<string, string[]>,
): AuditEntry => ({
  ...entry,
  ids: sets === undefined ? ids : sets.flatMap((name) => idsOf.get(name) ?? []),
  time: time.toISOString(),
});

/** @param organizationId every query of the returned repository contains this id */
export const auditOf = (
  collection: Collection<AuditDocument>,
  auditedSets: AuditedSetReader,
  trail: AuditTrail,
  organizationId: string,
): Audit => {
  const setsOf = async ({ recordId }: AuditFilter): Promise<string[] | undefined> =>
    recordId === undefined ? undefined : auditedSets.containing(organizationId, recordId);

  /** The entries that refer to a record. */
  const referringTo = async (
    recordId: string,
    documents: readonly AuditDocument[],
  ): Promise<AuditDocument[]> => {
    const names = documents.flatMap(({ sets = [] }) => sets);
    const found = await auditedSets.among(organizationId, names, recordId);
    return documents.filter(
      ({ ids, sets = [] }) => ids.includes(recordId) || sets.some((name) => found.has(name)),
    );
  };

  const toEntries = async (documents: readonly AuditDocument[]): Promise<AuditEntry[]> => {
    const idsOf = await auditedSets.read(
      organizationId,
      documents.flatMap(({ sets = [] }) => sets),
    );
    return documents.map((each) => toEntry(each, idsOf));
  };

  return {
    add: (access) => trail.add(organizationId, access),
    addOnce: (key, access) => trail.addOnce(organizationId, key, access),
    begin: (action) => trail.begin(organizationId, action),

    async eventIds(requestId, limit) {
      const filter = { organizationId, requestId, action: { $in: [...writes] } };
      const entries = await collection
        .find(filter, { projection: { _id: 1 }, ...atMost(limit, 'request') })
        .toArray();
      return entries.map(({ _id }) => _id);
    },

    async *page(filter, place, limit) {
      const sets = await setsOf(filter);
      const others = otherConditionsOf(filter, sets);
      /** The record whose entries are found by examining all entries, because it is in too many sets. */
      const examined = sets === undefined ? filter.recordId : undefined;
      const cursors = searchesOf(filter, place, sets).map(({ conditions, hint }) =>
        collection.find(
          // Both may have `$or`, so they are not merged.
          { organizationId, ...conditions, $and: [others] },
          { sort: NEWEST_FIRST, limit: examined === undefined ? limit : MAX_EXAMINED, ...(hint && { hint }) },
        ),
      );
      let left = limit;
      let waiting: AuditDocument[] = [];
      const take = async (): Promise<AuditEntry[]> => {
        const documents = waiting;
        waiting = [];
        const found = examined === undefined ? documents : await referringTo(examined, documents);
        left -= found.length;
        return toEntries(left < 0 ? found.slice(0, left) : found);
      };
      for await (const document of merged(cursors)) {
        waiting.push(document);
        const atOnce = examined === undefined ? Math.min(ENTRIES_AT_ONCE, left) : EXAMINED_AT_ONCE;
        if (waiting.length < atOnce) continue;
        yield* await take();
        if (left <= 0) return;
      }
      yield* await take();
    },

    async examinedTo(filter, before) {
      const sets = await setsOf(filter);
      const searches = searchesOf(filter, { before }, sets);
      if (searches.some(({ isShort }) => isShort)) return undefined;
      const isExamined = filter.recordId !== undefined && sets === undefined;
      if (!isExamined && Object.keys(otherConditionsOf(filter, sets)).length === 0) return undefined;
      const rows = await Promise.all(
        searches.map(({ conditions }) =>
          rowExamined(collection, { organizationId, ...conditions }, NEWEST_FIRST),
        ),
      );
      const [last] = rows
        .filter((row) => row !== undefined)
        .toSorted((one, other) => (isBefore(other, one) ? -1 : 1));
      return last && { time: last.time, _id: last._id };
    },
  };
};

/** Who runs a command of chairside-admin, as given, and why. */
export type Author = { by: string; reason?: string };
/** One run of a command of chairside-admin. Its audit entries have the id of the run as their request id. */
export type Run = Author & { id: string; organizationId: string };

/** The principal of a refused sign-in. */
const NOBODY = { kind: 'unknown', id: 'unknown' } as const;
/** The principal of commands of chairside-admin. */
export const SYSTEM = { kind: 'system', id: 'admin' } as const;

/** Stores audit entries for the records that a command accessed or changed, in parts of `MAX_AUDITED_IDS`. */
export const auditRun = async (
  trail: AuditTrail,
  { id: requestId, organizationId, ...author }: Run,
  { ids, ...what }: Pick<Access, 'action' | 'kind' | 'ids' | 'result'>,
): Promise<void> => {
  for (const part of inParts(ids, MAX_AUDITED_IDS))
    await trail.add(organizationId, { ...what, ...author, ids: part, principal: SYSTEM, requestId });
};

/** An action of a command of chairside-admin. */
export type RunAction = Omit<SecurityAction, 'principal' | 'requestId' | 'by' | 'reason'>;

/** See `AuditTrail.begin`. */
export const beginRun = (
  trail: Pick<AuditTrail, 'begin'>,
  { id: requestId, organizationId, ...author }: Run,
  action: RunAction,
): ReturnType<AuditTrail['begin']> =>
  trail.begin(organizationId, { ...action, ...author, principal: SYSTEM, requestId });
