import { setTimeout as sleep } from 'node:timers/promises';
import { openRandom } from './random.ts';
import type { Service } from './service.ts';

/** How often an operator looks, in milliseconds. */
const INTERVAL = 2000;

export type Operator = {
  /** How often a subscription was enabled again. */
  readonly enabled: number;
  /** The Deliveries that were asked for and answered 200. */
  readonly requested: readonly string[];
  stop(): Promise<void>;
};

/**
 * An operator who enables again whatever was disabled, so that bad receivers go on being bad, and has tests and earlier
 * Deliveries sent.
 */
export const startOperator = (
  { api, call, practice }: Service,
  seed: number,
  signal: AbortSignal,
): Operator => {
  const headers = { authorization: `Token ${practice.administrator.token}` };
  const random = openRandom(seed, 'operator');
  const leaving = new AbortController();
  const either = AbortSignal.any([signal, leaving.signal]);
  const requested: string[] = [];
  let enabled = 0;

  const ask = async (method: string, path: string, body?: object) => {
    const { status, json } = await call(method, path, body, headers);
    return status === 200 ? json : undefined;
  };
  const look = async (): Promise<void> => {
    const subscriptions = (await ask('GET', '/api/webhooksubscriptions')) ?? [];
    const one = `/api/webhooksubscriptions/${random.pick(subscriptions as { _id: string }[])._id}`;
    const test = await ask('POST', `${one}/test`);
    if (test !== undefined) requested.push(test._id);
    const deliveries: { _id: string; finalTime?: string }[] = (await ask('GET', `${one}/deliveries`)) ?? [];
    const last = deliveries.find(({ finalTime }) => finalTime !== undefined);
    const again = last && (await ask('POST', `/api/webhookdeliveries/${last._id}/redeliver`));
    if (again !== undefined) requested.push(again._id);
    for (const { _id, active } of subscriptions) {
      if (active) continue;
      const answer = await ask('PUT', `/api/webhooksubscriptions/${_id}`, { active: true });
      if (answer !== undefined) enabled++;
    }
  };
  const run = async (): Promise<void> => {
    for (;;) {
      await sleep(INTERVAL, undefined, { signal: either });
      await api.whenUp();
      // Nobody answers: the next time, then.
      await look().catch(() => {});
    }
  };
  const running = run().catch(() => {});
  return {
    get enabled() {
      return enabled;
    },
    requested,
    async stop() {
      leaving.abort();
      await running;
    },
  };
};
