import { createFairQueue, type Rounds, startRounds } from '@chairside/concurrency';
import { cachedStops, type Stops } from '@chairside/mongodb';
import type { Notices, ToldCounts } from '@chairside/mongodb/dispatch';
import type { Lease } from '../lease.ts';

const INTERVAL_MS = 1000;
/** How many organizations are told something at once. */
const AT_ONCE = 4;
/** More organizations than a round has. */
const MAX_WAITING = 1000;
/** How long an organization rests after a failure, in milliseconds. */
const REST_MS = 30_000;

export type NoticeLoopOptions = {
  notices: Notices;
  stops: Stops;
  lease: Pick<Lease, 'isHeld'>;
  /** Called with the number of facts that mails were made of. */
  onTold(told: ToldCounts): void;
  onError(error: unknown): void;
};

/**
 * Makes mails of facts that were not told, in the process that sends mails. An organization whose facts cannot be told delays
 * no other. One that is suspended is told when it is resumed. A stop waits until the organizations in hand have been told.
 */
export const startNoticeLoop = ({ notices, stops, lease, onTold, onError }: NoticeLoopOptions): Rounds => {
  const stopped = cachedStops(stops);
  const turns = createFairQueue({ atOnce: AT_ONCE, atOnceOfCaller: 1, maxWaiting: MAX_WAITING });
  /** The organizations that are told something now. */
  const inHand = new Map<string, Promise<void>>();
  /** Organizations after a failure, with the end of their rest on the monotonic clock. */
  const resting = new Map<string, number>();

  const tell = async (organizationId: string, signal: AbortSignal): Promise<void> => {
    try {
      await turns.run(organizationId, async () => {
        if (lease.isHeld() && !signal.aborted) onTold(await notices.tell(organizationId));
      });
    } catch (error) {
      resting.set(organizationId, performance.now() + REST_MS);
      onError(error);
    } finally {
      inHand.delete(organizationId);
    }
  };
  const round = async (signal: AbortSignal): Promise<void> => {
    if (!lease.isHeld()) return;
    for (const [id, until] of resting) if (until < performance.now()) resting.delete(id);
    const { organizations: suspended } = await stopped();
    for (const id of await notices.due([...suspended, ...resting.keys(), ...inHand.keys()]))
      inHand.set(id, tell(id, signal));
  };
  const rounds = startRounds(round, INTERVAL_MS, onError);

  return {
    async stop() {
      await rounds.stop();
      await Promise.all(inHand.values());
    },
  };
};
