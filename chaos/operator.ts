import { setTimeout as sleep } from 'node:timers/promises';
import { createDisablings, type Disablings, type SubscriptionSeen } from './disablings.ts';
import { openRandom } from './random.ts';
import type { Service } from './service.ts';

/** How often the operator checks the subscriptions, in milliseconds. */
const INTERVAL = 1000;
/** How long bulk redeliveries without a response are retried at the end, in milliseconds. */
const ANSWER_WITHIN = 30_000;
/** Receivers whose subscriptions get neither tests nor redeliveries, so that only events affect them. */
const LEFT_ALONE = ['fails', 'resets', 'fails, recovers', 'healthy, closes', 'garbage'];
/** A receiver whose subscription is not enabled again either. */
const LEFT_DISABLED = ['garbage'];
/**
 * Receivers that take five seconds for each delivery. A few redeliveries keep several dispatchers busy with the same
 * lane.
 */
const SLOW = ['hangs', 'drips headers', 'informs for ever'];
const SLOW_WINDOW = 10_000;
/** The windows of bulk redeliveries in milliseconds before now, with their weights, and the selected outcomes. */
const WINDOWS = { 10000: 5, 30000: 3, 120000: 2 };
const OUTCOMES = [
  ['failed', 'interrupted', 'skipped', 'succeeded'],
  ['failed', 'interrupted', 'skipped'],
  ['interrupted', 'succeeded'],
];

/** A bulk redelivery as requested. Its `since` is unique within its subscription. */
export type Bulk = {
  subscriptionId: string;
  since: string;
  outcomes: readonly string[];
  /** Its id from the response 200, if there was one. */
  id: string | undefined;
  /** The reason if the api refused it. */
  refusal: string | undefined;
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
  stop(): Promise<void>;
};

/**
 * Simulates an operator. It enables disabled subscriptions, so that failing receivers get further events, and requests
 * tests, single redeliveries and bulk redeliveries.
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
  const requested: string[] = [];
  const repeated: string[] = [];
  const bulks: Bulk[] = [];
  const disablings = createDisablings();
  let enabled = 0;

  const isAmong = (list: readonly string[], id: string): boolean => list.includes(names.get(id) ?? '');
  const one = (id: string) => `/api/webhooksubscriptions/${id}`;
  const ask = async (method: string, path: string, body?: object) => {
    const { status, json } = await call(method, path, body, headers);
    return status === 200 ? json : undefined;
  };

  const tend = async (id: string): Promise<void> => {
    const test = await ask('POST', `${one(id)}/test`);
    if (test !== undefined) requested.push(test._id);
    const deliveries: { _id: string; finalTime?: string }[] =
      (await ask('GET', `${one(id)}/deliveries`)) ?? [];
    const last = deliveries.find(({ finalTime }) => finalTime !== undefined);
    if (last === undefined) return;
    repeated.push(last._id);
    const again = await ask('POST', `/api/webhookdeliveries/${last._id}/redeliver`);
    if (again !== undefined) requested.push(again._id);
  };

  /** Sends an idempotency key, so that the request can be retried until it gets a response. */
  const askForMany = async (bulk: Bulk): Promise<void> => {
    const { subscriptionId, since, outcomes } = bulk;
    const key = { ...headers, 'idempotency-key': `${subscriptionId} ${since}` };
    const answer = await call('POST', `${one(subscriptionId)}/redeliver`, { since, outcomes }, key);
    if (answer.status === 200) bulk.id = answer.json._id;
    // A subscription allows ten in an hour. Nothing was created.
    else if (answer.status === 429) bulks.splice(bulks.indexOf(bulk), 1);
    else if (answer.status < 500 && answer.status !== 409) bulk.refusal = answer.json.message;
  };
  const open = () => bulks.filter(({ id, refusal }) => id === undefined && refusal === undefined);
  const askAgain = async (): Promise<void> => {
    for (const bulk of open()) await askForMany(bulk);
  };

  const look = async (): Promise<void> => {
    const subscriptions: SubscriptionSeen[] = (await ask('GET', '/api/webhooksubscriptions')) ?? [];
    for (const each of subscriptions) disablings.note(each, Date.now());
    for (const { _id, active } of subscriptions) {
      if (active || isAmong(LEFT_DISABLED, _id)) continue;
      disablings.enabling(_id, Date.now());
      const answer = await ask('PUT', one(_id), { active: true });
      if (answer === undefined) continue;
      disablings.note(answer, Date.now());
      enabled++;
    }
    await askAgain();
    const { _id } = random.pick(subscriptions);
    if (isAmong(LEFT_ALONE, _id)) return;
    const window = isAmong(SLOW, _id) ? SLOW_WINDOW : Number(random.weighted(WINDOWS));
    const since = new Date(Date.now() - window).toISOString();
    bulks.push({
      subscriptionId: _id,
      since,
      outcomes: random.pick(OUTCOMES),
      id: undefined,
      refusal: undefined,
    });
    await tend(_id);
    await askAgain();
  };
  const run = async (): Promise<void> => {
    for (;;) {
      await sleep(INTERVAL, undefined, { signal: either });
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
    requested,
    repeated,
    bulks,
    disablings,
    async stop() {
      leaving.abort();
      await running;
      const end = performance.now() + ANSWER_WITHIN;
      while (open().length > 0 && performance.now() < end) {
        await askAgain().catch(() => {});
        await sleep(500, undefined, { signal });
      }
    },
  };
};
