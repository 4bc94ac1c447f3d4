import { clock, conflict, newId, Refusal } from '@chairside/domain';
import type { KeyUse, OrganizationStore, Reservation, ReservedIds } from '@chairside/mongodb';
import { ServiceError } from '@chairside/runtime';
import type { FastifyRequest } from 'fastify';
import { auditRead } from '../audit/record-reads.ts';
import { idempotencyKeyOf } from '../http/idempotency-key.ts';
import { etagOf } from './entity-tags.ts';
import type { WriteCall } from './writer.ts';

const useOf = (request: FastifyRequest): KeyUse | undefined => {
  const { principal, routeOptions } = request;
  const key = idempotencyKeyOf(request);
  if (key === undefined) return undefined;
  return { principal: `${principal.kind}:${principal.id}`, route: String(routeOptions.url), key };
};

const newIds = (): ReservedIds => ({ recordId: newId(), eventId: newId() });

/** The write of a request, as two steps that can be repeated with the same ids. */
type Making<R> = {
  /** @returns undefined if an earlier request has made the write with these ids */
  write(ids: ReservedIds): Promise<R | undefined>;
  /** @returns the result of the write that was made with these ids; undefined if there is none */
  replay(ids: ReservedIds): Promise<R | undefined>;
};

const required = async <R>(replayed: Promise<R | undefined>, ids: ReservedIds): Promise<R> => {
  const made = await replayed;
  if (made === undefined)
    throw new ServiceError(`the result of a finished write does not exist: ${JSON.stringify(ids)}`);
  return made;
};

/** Writes under a reserved key, then marks the key as done. A failure releases the key, or ends its lease. */
const writeReserved = async <R>(
  keys: OrganizationStore['idempotency'],
  use: KeyUse,
  { outcome, ids, lease }: Extract<Reservation, { lease: Date }>,
  { write, replay }: Making<R>,
): Promise<R> => {
  try {
    // After a crash the record may exist, and its clinic or patient may have been deleted since. So the
    // existing record is returned before its references are checked. A second check could refuse it.
    const found = outcome === 'taken_over' ? await replay(ids) : undefined;
    const written = found ?? (await write(ids)) ?? (await required(replay(ids), ids));
    await keys.finish(use);
    return written;
  } catch (error) {
    const isRefused = error instanceof Refusal && error.name !== 'ServiceUnavailable';
    await (isRefused ? keys.release(use, lease) : keys.endLease(use, lease, clock.now()));
    throw error;
  }
};

/**
 * Makes a write. With an `Idempotency-Key`, it is made at most once. A request that repeats the key gets the result of
 * the first one, with `Idempotent-Replayed: true`. After a crash between the write and the response, a repeated request
 * writes with the same ids, so nothing is created twice.
 *
 * @param write makes the write with these ids, and returns undefined if it has been made before
 * @param read returns the result of the write with these ids
 * @throws {Refusal} Conflict if the key was used with another body, or while the first request is in flight
 */
export const once = async <R>(
  { request, reply }: WriteCall,
  write: (ids: ReservedIds) => Promise<R | undefined>,
  read: (ids: ReservedIds) => Promise<R | undefined>,
): Promise<R> => {
  const use = useOf(request);
  if (use === undefined) {
    const written = await write(newIds());
    if (written === undefined) throw new ServiceError('a record with the new id already exists');
    return written;
  }
  const replay = async (ids: ReservedIds): Promise<R | undefined> => {
    const made = await read(ids);
    if (made !== undefined) reply.header('Idempotent-Replayed', 'true');
    return made;
  };
  const { idempotency: keys } = request.store;
  const { params, body: sent, query } = request;
  const body = JSON.stringify([params, sent, query]);
  const reservation = await keys.reserve(use, body, newIds(), clock.now());
  switch (reservation.outcome) {
    case 'done': {
      const made = await replay(reservation.ids);
      if (made !== undefined) return made;
      throw conflict(
        'idempotency_record_deleted',
        'What the first request with this Idempotency-Key created has been deleted. Use a new key for a new request.',
      );
    }
    case 'running':
      throw conflict(
        'idempotency_key_in_flight',
        'The first request with this Idempotency-Key is still in flight. Try again later.',
        { retryAfter: reservation.seconds },
      );
    case 'other_body':
      throw conflict(
        'idempotency_key_reused',
        'This Idempotency-Key was used with another body. Use a new key for a new request.',
      );
    case 'reserved':
    case 'taken_over':
      return writeReserved(keys, use, reservation, { write, replay });
  }
};

/**
 * Creates a record once. A repeated request gets the record as it was created. This is the data of its event.
 *
 * @param write see {@link once}
 */
export const createOnce = <R>(
  call: WriteCall,
  kind: 'patient' | 'appointment',
  write: (ids: ReservedIds) => Promise<R | undefined>,
): Promise<R> =>
  once(call, write, async (ids) => {
    const { request, reply } = call;
    const body = await request.store.idempotency.eventBody(kind, ids);
    if (body === undefined) return undefined;
    await auditRead(request, { action: 'read', kind, ids: [ids.recordId] });
    reply.header('ETag', etagOf(1));
    return JSON.parse(body).data;
  });
