import type { WholeService } from '@chairside/test-support';
import { expect } from 'vitest';

/** The number of concurrent writers. */
const WRITERS = 8;
/** How many webhooks must arrive before each fault, and after the last one. */
const BETWEEN = 40;

/** The ids of the records that the api acknowledged, and the statuses of all its responses. */
type Seen = { acknowledged: string[]; statuses: Set<number> };

const writeUntil = async (service: WholeService, ended: AbortSignal): Promise<Seen> => {
  const [clinicId] = service.practice.clinicIds;
  const seen: Seen = { acknowledged: [], statuses: new Set() };
  const write = async (): Promise<void> => {
    while (!ended.aborted) {
      const { status, json } = await service.call('POST', '/api/patients', { clinicId });
      seen.statuses.add(status);
      if (status === 200) seen.acknowledged.push(json._id);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  return seen;
};

/**
 * Writes through the api while the database becomes unavailable several times. Expects that every event of an
 * acknowledged write arrives once, that no event arrives twice, and that the api responds with 200 or 503 only.
 *
 * @param fault makes the database unavailable; resolves when the database accepts writes again
 */
export const expectNothingLost = async (
  service: WholeService,
  fault: () => Promise<void>,
  rounds: number,
): Promise<void> => {
  const { receiver, database } = service;
  const untilMore = () => {
    const count = receiver.posts.length + BETWEEN;
    return receiver.until((posts) => posts.length >= count);
  };
  const ended = new AbortController();
  const writing = writeUntil(service, ended.signal);
  const failing = (async () => {
    for (let round = 0; round < rounds; round++) {
      await untilMore();
      await fault();
    }
    await untilMore();
  })();
  await Promise.race([failing, writing]).finally(() => ended.abort());
  const { acknowledged, statuses } = await writing;

  expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
  const arrived = () => receiver.posts.map(({ json }) => json.data._id);
  await receiver.until(() => new Set(acknowledged).isSubsetOf(new Set(arrived())));
  // A write that was not acknowledged may have been stored. Then its event is delivered as well.
  const open = async () => ({
    unpublished: await database.collection('patients').countDocuments({ outboxAt: { $exists: true } }),
    unfinished: await database.collection('deliveries').countDocuments({ status: { $ne: 'succeeded' } }),
  });
  await expect.poll(open).toEqual({ unpublished: 0, unfinished: 0 });
  expect(arrived()).toHaveLength(new Set(arrived()).size);
};
