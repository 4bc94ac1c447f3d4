import { setTimeout as sleep } from 'node:timers/promises';
import { basic, createPractice, type Practice } from '@chairside/test-support';
import { CANARY } from './canary.ts';
import { type Service, subscribe } from './service.ts';

/** How often a practice is made whose receiver is gone. */
const INTERVAL_MS = 5000;
/** How often its subscription is looked at, and more events are made for it. */
const LOOK_MS = 2000;
/** The events that it gets at first. Twenty failures in a row disable a subscription. */
const EVENTS = 25;
const MORE_EVENTS = 5;

/** The administrator of a practice whose only receiver is gone. */
export type Owner = { operatorId: string; email: string; subscriptionId: string };

export type Owners = {
  readonly all: readonly Owner[];
  /** Makes no more events. */
  stop(): Promise<void>;
};

/**
 * Makes practices, each with one receiver that was killed, and events for it until its subscription is disabled. Each owner
 * must be told once.
 */
export const startOwners = (service: Service, signal: AbortSignal): Owners => {
  const { api, call, store, receivers, names } = service;
  const all: Owner[] = [];
  const leaving = new AbortController();
  const either = AbortSignal.any([signal, leaving.signal]);
  const playing = new Set<Promise<void>>();

  const write = async ({ apiKey, clinicIds: [clinicId] }: Practice, mark: string): Promise<void> => {
    await api.whenUp();
    const headers = { authorization: basic(apiKey) };
    // A write without a response is none of this part's business.
    await call('POST', '/api/patients', { clinicId, name: `${CANARY} ${mark}` }, headers).catch(() => {});
  };
  const isActive = async ({ administrator }: Practice, subscriptionId: string): Promise<boolean> => {
    const headers = { authorization: `Token ${administrator.token}` };
    const path = `/api/webhooksubscriptions/${subscriptionId}`;
    const response = await call('GET', path, undefined, headers).catch(() => undefined);
    return response?.json.active !== false;
  };
  const play = async (): Promise<void> => {
    const practice = await createPractice(store);
    const subscriptionId = await subscribe({ practice, receivers, names }, practice.clinicIds[0], 'refuses');
    const { _id: operatorId, email } = practice.administrator;
    all.push({ operatorId, email, subscriptionId });
    let count = 0;
    const writeMore = async (events: number): Promise<void> => {
      const end = count + events;
      while (count < end && !either.aborted) await write(practice, `${practice.organizationId} ${count++}`);
    };
    await writeMore(EVENTS);
    while (await isActive(practice, subscriptionId)) {
      await sleep(LOOK_MS, undefined, { signal: either });
      await writeMore(MORE_EVENTS);
    }
  };
  const run = async (): Promise<void> => {
    for (;;) {
      // While the database is away, no practice can be made.
      const played = play()
        .catch(() => {})
        .finally(() => playing.delete(played));
      playing.add(played);
      await sleep(INTERVAL_MS, undefined, { signal: either });
    }
  };
  const running = run().catch(() => {});
  return {
    all,
    async stop() {
      leaving.abort();
      await running;
      await Promise.all(playing);
    },
  };
};
