import { createHash } from 'node:crypto';
import type { Collection } from '../driver/database.ts';
import { deleteUnique } from '../driver/ferretdb.ts';
import { atOnce, isDuplicateKey } from '../driver/statements.ts';
import type { Cipher } from '../encryption/ciphers.ts';
import { type EventDocument, openBody, type StoredBody } from '../events/event-document.ts';
import type { Reach } from './record-query.ts';
import { shapes } from './record-shapes.ts';

/** How long a key is kept: 24 hours. */
const KEY_LIFE_MS = 24 * 60 * 60 * 1000;
/** How long the first caller may take. After this time, another caller with the same key makes the write. */
const LEASE_MS = 30_000;

/**
 * The ids that a write uses. They are the same for every caller with the same key, so that the write is made at most
 * once.
 */
export type ReservedIds = { recordId: string; eventId: string };

export type IdempotencyDocument = ReservedIds & {
  _id: string;
  organizationId: string;
  bodyHash: string;
  isDone: boolean;
  leaseUntil: Date;
  expireAt: Date;
  /**
   * Of a batch: the records that its rows named when it began, by row, and the rows that were written so far, and that
   * changed nothing.
   */
  recordIds?: (string | null)[];
  written?: number[];
  unchanged?: number[];
};

/** What a batch notes about its rows. */
export type BatchNotes = Pick<IdempotencyDocument, 'recordIds' | 'written' | 'unchanged'>;

/** Identifies a reservation: it belongs to the principal, the route and the key together. */
export type KeyUse = { principal: string; route: string; key: string };

/** `lease` is the end of the caller's lease, and identifies it: a later caller has another one. */
export type Reservation =
  /** The caller must make the write, with these ids. */
  | { outcome: 'reserved'; ids: ReservedIds; lease: Date }
  /**
   * It is unknown whether an earlier caller has made the write. The caller must check this, and make the write with
   * these ids if it is missing.
   */
  | { outcome: 'taken_over'; ids: ReservedIds; lease: Date; notes: BatchNotes }
  /** The write has already been made, with these ids. */
  | { outcome: 'done'; ids: ReservedIds }
  /** Another caller is making the write. */
  | { outcome: 'running'; seconds: number }
  /** The key was used with another body. */
  | { outcome: 'other_body' };

/** The idempotency keys of one organization. Responses are not stored. */
export type Idempotency = {
  /** @param ids used if this key is not reserved yet */
  reserve(use: KeyUse, body: string, ids: ReservedIds, now: Date): Promise<Reservation>;
  finish(use: KeyUse): Promise<void>;
  /** Forgets the key after a refused request, unless the write is done or another caller has taken it over. */
  release(use: KeyUse, lease: Date): Promise<void>;
  /**
   * Ends the lease after a failure, so that the next caller can make the write, with the same ids. It has no effect if
   * another caller has taken it over.
   */
  endLease(use: KeyUse, lease: Date, now: Date): Promise<void>;
  /**
   * Prolongs a lease, and stores what a batch notes.
   *
   * @returns the new lease; undefined if another caller has taken it over
   */
  renew(use: KeyUse, lease: Date, now: Date, notes?: BatchNotes): Promise<Date | undefined>;
  /** The bodies of those events that the rows of a batch have stored, by the ids of the events. */
  eventBodies(rows: readonly WrittenRow[]): Promise<Map<string, string>>;
  /** The body of the event that the write stored, from the event log or from the outbox; undefined if there is none. */
  eventBody(kind: 'patient' | 'appointment', ids: ReservedIds): Promise<string | undefined>;
};

/** A row of a batch that may have been written, and its event. */
export type WrittenRow = {
  kind: 'patient' | 'appointment';
  eventId: string;
  /** The records that the row may have written. */
  recordIds: readonly string[];
};

const leaseFrom = (now: Date): Date => new Date(now.getTime() + LEASE_MS);

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

type Outboxes = Collection<{
  _id: string;
  organizationId: string;
  outbox?: { _id: string; clinicIds: string[]; body: StoredBody }[];
}>;

/** @param reach every query of the returned repository contains the organization. Events beyond the clinics do not exist */
export const idempotencyOf = (
  keys: Collection<IdempotencyDocument>,
  events: Collection<EventDocument>,
  outboxes: (collection: string) => Outboxes,
  { organizationId, clinicIds }: Reach,
  cipherOf: () => Promise<Cipher>,
): Idempotency => {
  const isReached = (event: Pick<EventDocument, 'clinicIds'>): boolean =>
    clinicIds === undefined || event.clinicIds.some((each) => clinicIds.includes(each));
  const one = ({ principal, route, key }: KeyUse) => ({
    _id: sha256(JSON.stringify([organizationId, principal, route, key])),
    organizationId,
  });

  const takeOver = async (found: IdempotencyDocument, now: Date): Promise<Reservation> => {
    const { recordId, eventId, recordIds, written, unchanged } = found;
    const notes = {
      ...(recordIds && { recordIds }),
      ...(written && { written }),
      ...(unchanged && { unchanged }),
    };
    const lease = leaseFrom(now);
    const { matchedCount } = await keys.updateOne(
      { _id: found._id, organizationId, isDone: false, leaseUntil: found.leaseUntil },
      { $set: { leaseUntil: lease } },
    );
    return matchedCount === 1
      ? { outcome: 'taken_over', ids: { recordId, eventId }, lease, notes }
      : { outcome: 'running', seconds: LEASE_MS / 1000 };
  };

  return {
    async reserve(use, body, ids, now) {
      const cipher = await cipherOf();
      // Without a key, the hash would help to guess a body.
      const bodyHash = cipher.token('idempotency', body).toString('base64url');
      const lease = leaseFrom(now);
      try {
        await keys.insertOne({
          ...one(use),
          ...ids,
          bodyHash,
          isDone: false,
          leaseUntil: lease,
          expireAt: new Date(now.getTime() + KEY_LIFE_MS),
        });
        return { outcome: 'reserved', ids, lease };
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
      const found = await keys.findOne(one(use));
      // The key was released or has expired in between. After a release, the first request was refused, so this caller
      // must retry.
      if (found === null) return { outcome: 'running', seconds: 1 };
      if (found.bodyHash !== bodyHash) return { outcome: 'other_body' };
      const { recordId, eventId, leaseUntil } = found;
      if (found.isDone) return { outcome: 'done', ids: { recordId, eventId } };
      const left = leaseUntil.getTime() - now.getTime();
      return left > 0 ? { outcome: 'running', seconds: Math.ceil(left / 1000) } : takeOver(found, now);
    },

    async finish(use) {
      await keys.updateOne(one(use), { $set: { isDone: true } });
    },

    async release(use, lease) {
      await deleteUnique(keys, { ...one(use), isDone: false, leaseUntil: lease });
    },

    async endLease(use, lease, now) {
      await keys.updateOne({ ...one(use), isDone: false, leaseUntil: lease }, { $set: { leaseUntil: now } });
    },

    async renew(use, lease, now, notes) {
      const leaseUntil = leaseFrom(now);
      const held = { ...one(use), isDone: false, leaseUntil: lease };
      const { matchedCount } = await keys.updateOne(held, { $set: { leaseUntil, ...notes } });
      return matchedCount === 1 ? leaseUntil : undefined;
    },

    async eventBodies(rows) {
      const cipher = await cipherOf();
      const bodies = new Map<string, StoredBody>();
      const left = () => rows.filter(({ eventId }) => !bodies.has(eventId));
      const readLog = async (): Promise<void> => {
        const eventIds = left().map(({ eventId }) => eventId);
        const found = await events
          .find(
            { _id: { $in: eventIds }, organizationId },
            { projection: { clinicIds: 1, body: 1 }, ...atOnce(eventIds.length) },
          )
          .toArray();
        for (const event of found.filter(isReached)) bodies.set(event._id, event.body);
      };
      const readOutboxes = async (kind: WrittenRow['kind']): Promise<void> => {
        const ofKind = left().filter((row) => row.kind === kind);
        if (ofKind.length === 0) return;
        const shape = shapes[kind];
        const eventIds = ofKind.map(({ eventId }) => eventId);
        const recordIds = ofKind.flatMap((row) => row.recordIds);
        const isOurs = { $in: ['$$entry._id', eventIds] };
        const outbox = { $filter: { input: '$outbox', as: 'entry', cond: isOurs } };
        const documents = await outboxes(shape.collection)
          .find(
            { _id: { $in: recordIds }, organizationId, 'outbox._id': { $in: eventIds } },
            { projection: { outbox }, ...atOnce(recordIds.length) },
          )
          .toArray();
        for (const entry of documents.flatMap((document) => document.outbox ?? []).filter(isReached))
          bodies.set(entry._id, entry.body);
      };
      await readLog();
      await Promise.all([readOutboxes('patient'), readOutboxes('appointment')]);
      // Read the log again: events may have moved there from their records between the two reads.
      if (left().length > 0) await readLog();
      return cipher.opening(
        () => new Map([...bodies].map(([_id, body]) => [_id, openBody({ _id, body }, cipher)] as const)),
      );
    },

    async eventBody(kind, { recordId, eventId }) {
      const logged = () =>
        events.findOne({ _id: eventId, organizationId }, { projection: { clinicIds: 1, body: 1 } });
      const unpublished = async () => {
        const record = await outboxes(shapes[kind].collection).findOne(
          { _id: recordId, organizationId },
          { projection: { outbox: 1 } },
        );
        return record?.outbox?.find(({ _id }) => _id === eventId);
      };
      // Read the log again: the event may have moved there from its record between the two reads.
      const event = (await logged()) ?? (await unpublished()) ?? (await logged());
      if (event === null || !isReached(event)) return undefined;
      const { body } = event;
      const cipher = await cipherOf();
      return cipher.opening(() => openBody({ _id: eventId, body }, cipher));
    },
  };
};
