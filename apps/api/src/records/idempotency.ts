import { newId, Refusal } from '@chairside/domain';
import type { KeyUse, ReservedIds } from '@chairside/mongodb';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { audit } from '../audit/security-actions.ts';
import { etagOf } from './entity-tags.ts';
import type { WriteCall } from './writer.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route takes an `Idempotency-Key`. */
    idempotent?: true;
  }
}

const HEADER = 'idempotency-key';
const KEY_FORM = /^[\x20-\x7e]{1,255}$/;

/** A key where none is taken is refused and never silently ignored. */
export const idempotency = (app: FastifyInstance): void => {
  app.addHook('preValidation', async (request) => {
    const key = request.headers[HEADER];
    if (key === undefined) return;
    if (request.method !== 'POST' || request.routeOptions.config.idempotent !== true) {
      if (request.method === 'POST') {
        throw new Refusal('BadRequest', 'This route takes no header Idempotency-Key. Leave it out.');
      }
      return;
    }
    if (typeof key !== 'string' || !KEY_FORM.test(key)) {
      throw new Refusal(
        'BadRequest',
        'The header Idempotency-Key must have 1 to 255 printable ASCII characters.',
      );
    }
  });
};

const useOf = ({ principal, headers, routeOptions }: FastifyRequest): KeyUse | undefined => {
  const key = headers[HEADER];
  if (typeof key !== 'string') return undefined;
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
  { request, reply, store }: WriteCall,
  write: (ids: ReservedIds) => Promise<R | undefined>,
  read: (ids: ReservedIds) => Promise<R | undefined>,
): Promise<R> => {
  const { idempotency: keys } = store;
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
    const { request, reply, store } = call;
    const body = await store.idempotency.eventBody(kind, ids);
    if (body === undefined) return undefined;
    await audit(request, store, { action: 'read', kind, ids: [ids.recordId] });
    reply.header('ETag', etagOf(1));
    return JSON.parse(body).data;
  });
