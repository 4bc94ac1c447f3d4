import { clock, conflict, newId, ServiceError } from '@chairside/domain';
import type { KeyUse, Reservation, ReservedIds } from '@chairside/mongodb';
import type { FastifyRequest } from 'fastify';
import { auditRead } from '../audit/record-reads.ts';
import { idempotencyKeyOf } from '../http/idempotency-key.ts';
import { etagOf } from './entity-tags.ts';
import { setHeader, type WriteCall } from './write-call.ts';

/** The idempotency key of a request; undefined if it has none. */
export const keyUseOf = (request: FastifyRequest): KeyUse | undefined => {
  const { principal, routeOptions } = request;
  const key = idempotencyKeyOf(request);
  if (key === undefined) return undefined;
  return { principal: `${principal.kind}:${principal.id}`, route: String(routeOptions.url), key };
};

/** Ids that no other write has. */
export const newIds = (): ReservedIds => ({ recordId: newId(), eventId: newId() });

/** A write that a request makes at most once. Disposing of it ends or releases the key, unless the write has finished. */
export type OnceWrite<R> = AsyncDisposable & {
  ids: ReservedIds;
  /**
   * The result of an earlier request with the same key; undefined if this request must make the write.
   *
   * @throws {Refusal} Conflict if the result has been deleted
   */
  earlier(): Promise<R | undefined>;
  /** Call this before the statement that writes. From then on, only a request with the same body can use the key again. */
  begin(): void;
  /** Call this if the statement was refused and has stored nothing: the key can be used for another body. */
  refused(): void;
  /** @param made undefined if another request has made the write with these ids; its result is read then */
  finish(made: R | undefined): Promise<R>;
};

/** A write whose ids no other request has, or a row of a batch. */
const withIds = <R>(ids: ReservedIds, read: (ids: ReservedIds) => Promise<R | undefined>): OnceWrite<R> => ({
  ids,
  earlier: async () => undefined,
  begin: () => {},
  refused: () => {},
  async finish(made) {
    const result = made ?? (await read(ids));
    if (result === undefined) throw new ServiceError('a record with the new id already exists');
    return result;
  },
  [Symbol.asyncDispose]: async () => {},
});

/** @throws {Refusal} Conflict if the key was used with another body, or while the first request is in flight */
export const requireUsable = (
  reservation: Reservation,
): Exclude<Reservation, { outcome: 'running' | 'other_body' }> => {
  if (reservation.outcome === 'running')
    throw conflict(
      'idempotency_key_in_flight',
      'The first request with this Idempotency-Key is still in flight. Try again later.',
      { retryAfter: reservation.seconds },
    );
  if (reservation.outcome === 'other_body')
    throw conflict(
      'idempotency_key_reused',
      'This Idempotency-Key was used with another body. Use a new key for a new request.',
    );
  return reservation;
};

/**
 * Reserves the ids of a write. With an `Idempotency-Key`, the write is made at most once. A request that repeats the key
 * gets the result of the first one, with `Idempotent-Replayed: true`. After a crash between the write and the response, a
 * repeated request writes with the same ids, so nothing is created twice.
 *
 * @param read returns the result of the write with these ids; undefined if there is none
 * @throws {Refusal} Conflict if the key was used with another body, or while the first request is in flight
 */
export const reserveWrite = async <R>(
  call: WriteCall,
  read: (ids: ReservedIds) => Promise<R | undefined>,
): Promise<OnceWrite<R>> => {
  const { request, row } = call;
  if (row !== undefined) return withIds(row.ids, read);
  const use = keyUseOf(request);
  if (use === undefined) return withIds(newIds(), read);
  const { idempotency: keys } = request.store;
  const { params, body, query } = request;
  const sent = JSON.stringify([params, body, query]);
  const reservation = await keys.reserve(use, sent, newIds(), clock.now());
  const usable = requireUsable(reservation);
  const { outcome, ids } = usable;
  let lease = usable.outcome === 'done' ? undefined : usable.lease;
  let mayBeStored = outcome === 'taken_over';
  let finishing: Promise<R> | undefined;

  const finish = async (made: R): Promise<R> => {
    await keys.finish(use);
    lease = undefined;
    return made;
  };
  const replay = async (): Promise<R | undefined> => {
    const made = await read(ids);
    if (made !== undefined) setHeader(call, 'Idempotent-Replayed', 'true');
    return made;
  };
  return {
    ids,
    async earlier() {
      if (outcome === 'reserved') return undefined;
      // After a crash the record may exist, and its clinic or patient may have been deleted since. So the existing record
      // is returned before its references are checked. A second check could refuse it.
      const made = await replay();
      if (made !== undefined) return outcome === 'done' ? made : finish(made);
      if (outcome === 'taken_over') return undefined;
      throw conflict(
        'idempotency_record_deleted',
        'What the first request with this Idempotency-Key created has been deleted. Use a new key for a new request.',
      );
    },
    begin() {
      mayBeStored = true;
    },
    refused() {
      mayBeStored = false;
    },
    finish(made) {
      const finished = async (): Promise<R> => {
        const result = made ?? (await replay());
        if (result === undefined)
          throw new ServiceError(`the result of a finished write does not exist: ${JSON.stringify(ids)}`);
        return finish(result);
      };
      finishing = finished();
      return finishing;
    },
    async [Symbol.asyncDispose]() {
      // A function that returns the promise of `finish` is left before the promise is settled.
      await finishing?.catch(() => {});
      if (lease === undefined) return;
      const ended = mayBeStored ? keys.endLease(use, lease, clock.now()) : keys.release(use, lease);
      // The lease ends on its own, and the caller learns the first error.
      await ended.catch((error: unknown) => request.log.warn({ err: error }, 'idempotency key not released'));
    },
  };
};

/** Reads a record as it was created. This is the data of its event. */
export const createdRecord =
  <R>(call: WriteCall, kind: 'patient' | 'appointment') =>
  async (ids: ReservedIds): Promise<R | undefined> => {
    const { request } = call;
    const body = await request.store.idempotency.eventBody(kind, ids);
    if (body === undefined) return undefined;
    await auditRead(request, { action: 'read', kind, ids: [ids.recordId] });
    setHeader(call, 'ETag', etagOf(1));
    return JSON.parse(body).data;
  };
