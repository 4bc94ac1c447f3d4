import { newId, Refusal } from '@chairside/domain';
import type { KeyUse, ReservedIds } from '@chairside/mongodb';
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

/**
 * Makes a write that an `Idempotency-Key` protects, once: whoever repeats the request gets what it made, with
 * `Idempotent-Replayed: true`. A crash between the write and the answer makes it no second time, because who takes over
 * writes with the same ids.
 *
 * @param write makes the write with these ids; undefined when it was made before
 * @param read what was made with these ids
 * @throws {Refusal} Conflict when the key was used with another body, or while the first caller is still at work
 */
export const once = async <R>(
  { request, reply }: WriteCall,
  write: (ids: ReservedIds) => Promise<R | undefined>,
  read: (ids: ReservedIds) => Promise<R | undefined>,
): Promise<R> => {
  const { idempotency: keys } = request.store;
  const use = useOf(request);

  const find = async (ids: ReservedIds): Promise<R | undefined> => {
    const made = await read(ids);
    if (made !== undefined) reply.header('Idempotent-Replayed', 'true');
    return made;
  };
  const replay = async (ids: ReservedIds): Promise<R> => {
    const made = await find(ids);
    if (made === undefined) throw new Error(`what a finished write made is gone: ${JSON.stringify(ids)}`);
    return made;
  };

  if (use === undefined) {
    const written = await write(newIds());
    if (written === undefined) throw new Error('a new id exists already');
    return written;
  }
  const reservation = await keys.reserve(
    use,
    JSON.stringify([request.params, request.body]),
    newIds(),
    new Date(),
  );
  switch (reservation.outcome) {
    case 'done':
      return replay(reservation.ids);
    case 'running':
      throw new Refusal(
        'Conflict',
        'The first request with this Idempotency-Key is still running. Try again later.',
        {
          retryAfter: reservation.seconds,
        },
      );
    case 'other_body':
      throw new Refusal(
        'Conflict',
        'This Idempotency-Key was used with another body. Use a new key for a new request.',
      );
    case 'reserved':
    case 'taken_over':
      try {
        const { ids, outcome } = reservation;
        // What was made may have been deleted since, or what it refers to: it is not made, nor refused, a second time.
        const found = outcome === 'taken_over' ? await find(ids) : undefined;
        const written = found ?? (await write(ids)) ?? (await replay(ids));
        await keys.finish(use);
        return written;
      } catch (error) {
        const isRefused = error instanceof Refusal && error.name !== 'ServiceUnavailable';
        await (isRefused ? keys.release(use) : keys.endLease(use, new Date()));
        throw error;
      }
  }
};

/**
 * Creates a record once: whoever repeats the request gets the record as it was then, out of its event.
 *
 * @param write as {@link once} has it
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
