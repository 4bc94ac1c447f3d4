import { setTimeout as sleep } from 'node:timers/promises';
import { basic } from '@chairside/test-support';
import type { Service } from './service.ts';

/** How often the key is rotated. */
const INTERVAL_MS = 1000;
const OVERLAP_HOURS = 1;

export type Rotations = {
  /** The rotations whose new secret is known. */
  readonly count: number;
  /** A line for each call that was refused although its secret was valid. */
  readonly refused: readonly string[];
  stop(): Promise<void>;
};

/**
 * Rotates a key again and again, and calls both apis with its present and its former secret, which are both valid. A key whose
 * rotation got no response is replaced by another.
 */
export const startRotations = (
  { api, secondApi, call, callSecond, practice }: Service,
  signal: AbortSignal,
): Rotations => {
  const headers = { authorization: `Token ${practice.administrator.token}` };
  const { password } = practice.administrator;
  const leaving = new AbortController();
  const refused: string[] = [];
  let count = 0;
  let id: string | undefined;
  let secrets: string[] = [];

  const ask = async (method: string, path: string, body?: object) => {
    const { status, json } = await call(method, path, body, headers);
    return status === 200 ? json : undefined;
  };

  /** A rotation without a response may still be done later, and end either secret, so the key is not used any more. */
  const leave = async (): Promise<void> => {
    secrets = [];
    if (id !== undefined && (await ask('DELETE', `/api/apikeys/${id}`)) !== undefined) id = undefined;
  };

  const rotate = async (): Promise<void> => {
    await ask('POST', '/api/sessions/current/confirm', { password });
    const [present] = secrets;
    if (id === undefined || present === undefined) {
      await leave();
      const made = await ask('POST', '/api/apikeys', { name: 'rotated' });
      if (made === undefined) return;
      id = made._id;
      secrets = [made.secret];
      return;
    }
    secrets = [];
    const rotated = await ask('POST', `/api/apikeys/${id}/rotate`, { overlapHours: OVERLAP_HOURS });
    if (rotated === undefined) return;
    secrets = [rotated.secret, present];
    count++;
  };

  const check = async (): Promise<void> => {
    for (const [place, caller] of Object.entries({ first: call, second: callSecond }))
      for (const [age, secret] of secrets.entries()) {
        const authorization = basic(secret);
        const { status, requestId } = await caller('GET', '/api/apikeys/current', undefined, {
          authorization,
        });
        if (status === 401)
          refused.push(
            `the ${place} api refused the ${age === 0 ? 'present' : 'former'} secret of a rotated key: request ${requestId}`,
          );
      }
  };

  const run = async (): Promise<void> => {
    for (;;) {
      await sleep(INTERVAL_MS, undefined, { signal: AbortSignal.any([signal, leaving.signal]) });
      await Promise.all([api.whenUp(), secondApi.whenUp()]);
      // If an api does not respond, the next round tries again.
      await rotate().catch(() => {});
      await check().catch(() => {});
    }
  };
  const running = run().catch(() => {});
  return {
    get count() {
      return count;
    },
    refused,
    async stop() {
      leaving.abort();
      await running;
    },
  };
};
