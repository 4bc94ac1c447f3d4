import { Refusal } from '@chairside/domain';
import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route accepts an `Idempotency-Key`. */
    idempotent?: true;
  }
}

const HEADER = 'idempotency-key';
const KEY_FORM = /^[\x20-\x7e]{1,255}$/;

/** The `Idempotency-Key` of a request; undefined when it has none, or its route accepts none. */
export const idempotencyKeyOf = ({ headers, routeOptions }: FastifyRequest): string | undefined => {
  const key = headers[HEADER];
  return routeOptions.config.idempotent === true && typeof key === 'string' ? key : undefined;
};

/**
 * On POST routes, refuses an invalid key, and any key if the route accepts none. A caller that sends a key relies on
 * it, so ignoring the key would hide a mistake.
 */
export const idempotencyKeys = (app: FastifyInstance): void => {
  app.addHook('preValidation', async ({ headers, method, routeOptions }) => {
    const key = headers[HEADER];
    if (key === undefined || method !== 'POST') return;
    if (routeOptions.config.idempotent !== true) {
      throw new Refusal('BadRequest', 'This route does not accept the header Idempotency-Key. Remove it.');
    }
    if (typeof key !== 'string' || !KEY_FORM.test(key)) {
      throw new Refusal(
        'BadRequest',
        'The header Idempotency-Key must have 1 to 255 printable ASCII characters.',
      );
    }
  });
};
