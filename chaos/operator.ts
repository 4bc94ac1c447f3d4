import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiResponse } from '@chairside/test-support';
import { type Bulk, createBulkRequests } from './bulk-requests.ts';
import { createDisablings, type Disablings, type SubscriptionSeen } from './disablings.ts';
import { openRandom } from './random.ts';
import type { Service } from './service.ts';

/** How often the operator checks the subscriptions. */
const INTERVAL_MS = 1000;
/** How long bulk redeliveries without a response are retried at the end. */
const RESPONSE_TIMEOUT_MS = 30_000;
/** Receivers whose subscriptions get neither tests nor redeliveries, so that only events affect them. */
const LEFT_ALONE = ['fails', 'resets', 'fails, recovers', 'healthy, closes', 'garbage'];
/** Receivers whose subscriptions are also not enabled again. */
const LEFT_DISABLED = ['garbage'];
/**
 * Receivers that take five seconds for each delivery. A few redeliveries keep several dispatchers busy with the same
 * subscription.
 */
const SLOW = ['hangs', 'drips headers', 'informs for ever'];
const SLOW_WINDOW = 10_000;
/** The lengths of the time ranges of bulk redeliveries, with their weights. Each range ends at the request. */
const WINDOWS_MS = { 10000: 5, 30000: 3, 120000: 2 };
/** The sets of outcomes that bulk redeliveries select. */
const OUTCOMES = [
  ['failed', 'interrupted', 'skipped', 'succeeded'],
  ['failed', 'interrupted', 'skipped'],
  ['interrupted', 'succeeded'],
];

/** A change of what a subscription sends. Times are milliseconds since 1970. */
export type PayloadChange = {
  subscriptionId: string;
  payload: 'full' | 'ids';
  /** The change was not done before this time. */
  from: number;
  /** The change was done at this time or earlier; NaN if there was no response. */
  by: number;
};

export type Operator = {
  /** How often a subscription was enabled again. */
  readonly enabled: number;
  /** The tests and redeliveries that were requested with a response of 200. */
  readonly requested: readonly string[];
  /** The deliveries for which a single redelivery was requested, with any response or none. */
  readonly repeated: readonly string[];
  readonly bulks: readonly Bulk[];
  readonly disablings: Disablings;
  readonly payloadChanges: readonly PayloadChange[];
  stop(): Promise<void>;
};

/** Calls the api as the operator. Returns the content of a response of 200. */
type Ask = (method: string, path: string, body?: object) => Promise<ApiResponse['json'] | undefined>;

const pathOf = (subscriptionId: string) => `/api/webhooksubscriptions/${subscriptionId}`;

/** Requests a test of a subscription, and a redelivery of its newest final delivery. */
const createSingleRequests = (ask: Ask) => {
  const requested: string[] = [];
  const repeated: string[] = [];
  return {
    requested,
    repeated,
    async send(subscriptionId: string): Promise<void> {
      const test = await ask('POST', `${pathOf(subscriptionId)}/test`);
      if (test !== undefined) requested.push(test._id);
      const deliveries: { _id: string; finalTime?: string }[] =
        (await ask('GET', `${pathOf(subscriptionId)}/deliveries`)) ?? [];
      const last = deliveries.find(({ finalTime }) => finalTime !== undefined);
      if (last === undefined) return;
      repeated.push(last._id);
      const again = await ask('POST', `/api/webhookdeliveries/${last._id}/redeliver`);
      if (again !== undefined) requested.push(again._id);
    },
  };
};

/**
 * Simulates an operator. It enables disabled subscriptions, so that failing receivers get further events, changes what
 * subscriptions send, and requests tests, single redeliveries and bulk redeliveries.
 */
export const startOperator = (
  { api, call, practice, names }: Service,
  seed: number,
  signal: AbortSignal,
): Operator => {
  const headers = { authorization: `Token ${practice.administrator.token}` };
  const random = openRandom(seed, 'operator');
  const leaving = new AbortController();
  const either = AbortSignal.any([signal, leaving.signal]);
  const bulks = createBulkRequests(call, headers);
  const disablings = createDisablings();
  const payloadChanges: PayloadChange[] = [];
  let enabled = 0;

  const isAmong = (list: readonly string[], id: string): boolean => list.includes(names.get(id) ?? '');
  const ask: Ask = async (method, path, body) => {
    const { status, json } = await call(method, path, body, headers);
    return status === 200 ? json : undefined;
  };
  const singles = createSingleRequests(ask);

  const changePayload = async (subscriptionId: string): Promise<void> => {
    const payload = random.pick(['full', 'ids'] as const);
    const change = { subscriptionId, payload, from: Date.now(), by: Number.NaN };
    payloadChanges.push(change);
    if ((await ask('PUT', pathOf(subscriptionId), { payload })) !== undefined) change.by = Date.now();
  };

  const look = async (): Promise<void> => {
    type Listed = SubscriptionSeen & { state: string };
    const all: Listed[] = (await ask('GET', '/api/webhooksubscriptions')) ?? [];
    // Without its secret, a receiver cannot verify what a replacement sends. Another part switches to replacements.
    const subscriptions = all.filter(({ _id }) => names.has(_id));
    for (const each of subscriptions) {
      const { _id, active, state } = each;
      if (state === 'replaced' || (state === 'new' && !active)) continue;
      disablings.note(each, Date.now());
      if (active || isAmong(LEFT_DISABLED, _id)) continue;
      disablings.enabling(_id, Date.now());
      const response = await ask('PUT', pathOf(_id), { active: true });
      if (response === undefined) continue;
      disablings.note(response, Date.now());
      enabled++;
    }
    await changePayload(random.pick(subscriptions)._id);
    await bulks.send();
    const { _id } = random.pick(subscriptions);
    if (isAmong(LEFT_ALONE, _id)) return;
    const window = isAmong(SLOW, _id) ? SLOW_WINDOW : Number(random.weighted(WINDOWS_MS));
    const since = new Date(Date.now() - window).toISOString();
    bulks.add({ subscriptionId: _id, since, outcomes: random.pick(OUTCOMES) });
    await singles.send(_id);
    await bulks.send();
  };
  const run = async (): Promise<void> => {
    for (;;) {
      await sleep(INTERVAL_MS, undefined, { signal: either });
      await api.whenUp();
      // If the api does not respond, the next round tries again.
      await look().catch(() => {});
    }
  };
  const running = run().catch(() => {});
  return {
    get enabled() {
      return enabled;
    },
    requested: singles.requested,
    repeated: singles.repeated,
    bulks: bulks.all,
    disablings,
    payloadChanges,
    async stop() {
      leaving.abort();
      await running;
      const end = performance.now() + RESPONSE_TIMEOUT_MS;
      while (bulks.areOpen() && performance.now() < end) {
        await bulks.send().catch(() => {});
        await sleep(500, undefined, { signal });
      }
    },
  };
};
