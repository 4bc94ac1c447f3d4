import { setTimeout as sleep } from 'node:timers/promises';
import { isHealthy } from './behaviours.ts';
import { openRandom } from './random.ts';
import type { Service } from './service.ts';

/** How often a secret is replaced. */
const INTERVAL_MS = 2000;

/** A switch from one subscription to another. Times are milliseconds since 1970. */
export type Switch = {
  replaced: string;
  subscriptionId: string;
  /** The time of the first request to switch. */
  from: number;
  /** The switch was done at this time or earlier. */
  by: number;
};

type Subscription = { _id: string; active: boolean; replaces?: string; replacedBy?: string };
type Created = Subscription & { secret: string };

export type Replacements = {
  readonly switches: readonly Switch[];
  /** Resolves when the replacement that was begun has ended, or the api does not respond. */
  stop(): Promise<void>;
};

const PATH = '/api/webhooksubscriptions';

/**
 * Replaces the secrets of healthy receivers again and again, while events are sent to them. The replaced subscriptions are
 * kept, so chains of them grow.
 */
export const startReplacements = (
  { api, call, practice, names, receivers }: Service,
  seed: number,
  signal: AbortSignal,
): Replacements => {
  const headers = { authorization: `Token ${practice.administrator.token}` };
  const random = openRandom(seed, 'replacements');
  const leaving = new AbortController();
  const switches: Switch[] = [];
  /** When a switch was requested for the first time, by the id of the replacement. */
  const requested = new Map<string, number>();

  const ask = async <T>(method: string, path: string, body?: object): Promise<T | undefined> => {
    const { status, json } = await call(method, path, body, headers);
    return status === 200 ? json : undefined;
  };

  const begin = async (replaced: string): Promise<Created | undefined> => {
    const created = await ask<Created>('POST', PATH, { replaces: replaced });
    const name = names.get(replaced) ?? '';
    if (created === undefined) return undefined;
    receivers.list.find((each) => each.name === name)?.secrets.set(created._id, created.secret);
    names.set(created._id, name);
    return created;
  };

  const switchTo = async ({ _id }: Subscription, replaced: string): Promise<void> => {
    const from = requested.get(_id) ?? Date.now();
    requested.set(_id, from);
    if ((await ask('PUT', `${PATH}/${_id}`, { active: true })) === undefined) return;
    if (switches.some(({ subscriptionId }) => subscriptionId === _id)) return;
    switches.push({ replaced, subscriptionId: _id, from, by: Date.now() });
  };

  const look = async (): Promise<void> => {
    const all = (await ask<Subscription[]>('GET', PATH)) ?? [];
    // A switch without a response is requested again. This finds it done, or does it.
    const open = all.find(
      ({ _id, replaces }) =>
        replaces !== undefined && !switches.some(({ subscriptionId }) => subscriptionId === _id),
    );
    if (open?.replaces !== undefined) {
      if (names.has(open._id)) return switchTo(open, open.replaces);
      // The response with its secret was lost.
      return void (await ask('DELETE', `${PATH}/${open._id}`));
    }
    const current = all.filter(
      ({ _id, active, replacedBy }) => active && replacedBy === undefined && isHealthy(names.get(_id) ?? ''),
    );
    if (current.length === 0) return;
    const { _id } = random.pick(current);
    const created = await begin(_id);
    if (created !== undefined) await switchTo(created, _id);
  };

  const run = async (): Promise<void> => {
    for (;;) {
      await sleep(INTERVAL_MS, undefined, { signal: AbortSignal.any([signal, leaving.signal]) });
      await api.whenUp();
      // If the api does not respond, the next round tries again.
      await look().catch(() => {});
    }
  };
  const running = run().catch(() => {});
  return {
    switches,
    async stop() {
      leaving.abort();
      await running;
    },
  };
};
