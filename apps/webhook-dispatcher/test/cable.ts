import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { openTestDispatcher } from './dispatcher.ts';
import { closeServers, withoutRoute } from './network.ts';

const DISPATCHERS = 4;

/**
 * Cuts the only receiver of the only subscription off from four dispatchers, while events are written, and expects that
 * nothing is lost: no delivery stays failed, none is skipped, and the subscription stays enabled. Few attempts are made,
 * because the subscription is slowed down, and some dispatchers have reached no host before.
 *
 * @param events how many events are written while the cable is cut
 * @param intervalMs the time between two events
 */
export const expectNothingLost = async (events: number, intervalMs: number): Promise<void> => {
  const dispatcher = await openTestDispatcher();
  try {
    const received: string[] = [];
    const { urls, cut, restore, ...network } = await withoutRoute(received);
    const [url = ''] = urls;
    const { _id } = await dispatcher.subscribe(url);
    const pauses = { FAILING_PAUSE_MS: '1000', FAILING_PAUSE_MAX_MS: '60000' };
    const workers = Array.from({ length: DISPATCHERS }, () => dispatcher.start(pauses, network));
    const deliveries = dispatcher.database.collection('deliveries');
    const count = (status: string) => deliveries.countDocuments({ status });
    await dispatcher.createPatients(1);
    await expect.poll(() => count('succeeded')).toBe(1);

    cut();
    for (let event = 0; event < events; event++) {
      await dispatcher.createPatients(1);
      await sleep(intervalMs);
    }
    const { subscriptions } = dispatcher.practice.store;
    await expect.poll(() => count('failed')).toBe(0);
    expect(await count('skipped')).toBe(0);
    await expect.poll(() => subscriptions.find(_id)).toMatchObject({ active: true, consecutiveFailures: 0 });
    expect(workers.some((worker) => worker.isOut())).toBe(true);

    await restore();
    await expect.poll(() => count('succeeded')).toBe(events + 1);
    expect(new Set(received).size).toBe(events + 1);
    expect(received).toHaveLength(events + 1);
    await expect.poll(() => workers.some((worker) => worker.isOut())).toBe(false);
  } finally {
    await dispatcher.close();
    closeServers();
  }
};
