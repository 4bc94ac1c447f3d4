import type { BacklogSize } from '@chairside/mongodb';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createMetrics } from './metrics.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const size = (queued: number): BacklogSize => ({
  queued,
  oldestUnsentMs: 0,
  queuedMails: 0,
  oldestMailMs: 0,
  oldestUnpublishedMs: 0,
  disabledSubscriptions: 0,
  slowedSubscriptions: 0,
});
const QUEUED = /^chairside_deliveries_queued (\d+)$/m;

/** The metrics over a database whose queries end when the test ends them. */
const start = () => {
  const queries: PromiseWithResolvers<BacklogSize>[] = [];
  const metrics = createMetrics(
    {
      measure() {
        const query = Promise.withResolvers<BacklogSize>();
        queries.push(query);
        return query.promise;
      },
    },
    { usedShare: () => 0 },
  );
  /** The queued deliveries that a scrape shows within a second; undefined if it shows none. */
  const scrape = async (): Promise<string | undefined> => {
    let text: string | undefined;
    void metrics.expose().then((exposed) => {
      text = exposed.text;
    });
    await vi.advanceTimersByTimeAsync(1000);
    expect(text).toContain('chairside_events_accepted_total');
    return QUEUED.exec(text ?? '')?.[1];
  };
  return { queries, scrape };
};

test('a scrape responds within a second while the database hangs, with recent values only', async () => {
  const { queries, scrape } = start();
  expect(await scrape()).toBeUndefined();
  queries[0]?.resolve(size(7));
  expect(await scrape()).toBe('7');

  // The next query hangs. Concurrent and later scrapes wait for the same one.
  await vi.advanceTimersByTimeAsync(5000);
  expect(await scrape()).toBe('7');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await scrape()).toBe('7');
  expect(queries).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await scrape()).toBeUndefined();

  queries[1]?.resolve(size(8));
  expect(await scrape()).toBe('8');
});

test('values are absent as soon as the database refuses them', async () => {
  const { queries, scrape } = start();
  await scrape();
  queries[0]?.resolve(size(7));
  expect(await scrape()).toBe('7');
  await vi.advanceTimersByTimeAsync(5000);
  const refused = scrape();
  queries[1]?.reject(new Error('refused'));
  expect(await refused).toBeUndefined();
});
