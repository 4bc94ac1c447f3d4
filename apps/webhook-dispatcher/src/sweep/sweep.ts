import { holdLease, type Lease, type LeaseOptions } from '../lease.ts';
import type { Found, RoundClock, SweepPart } from './part.ts';

const INTERVAL_MS = 1000;
/** A round of a part begins no further step after this time. */
const ROUND_TIME_MS = 1000;
/** How long a part may take to finish a round before the process counts as not ready. */
const MAX_AGE_MS = 60_000;

export type SweepOptions = Pick<LeaseOptions, 'lanes' | 'worker' | 'onError'> & {
  parts: readonly SweepPart[];
  onFound(found: Partial<Found>): void;
};

export type Sweep = {
  /** Milliseconds since the part that is furthest behind finished a round; 0 while another process sweeps. */
  age(): number;
  /** Whether a part has not finished a round for a minute. */
  isStuck(): boolean;
  /** Resolves when the current rounds have ended. */
  stop(): Promise<void>;
};

/** The clock of a round that begins now. */
const clockOf = (lease: Lease): RoundClock => {
  const startedAt = performance.now();
  return {
    now: lease.now,
    ago: (milliseconds) => new Date(lease.now().getTime() - milliseconds),
    mayContinue: () => lease.isHeld() && performance.now() - startedAt < ROUND_TIME_MS,
  };
};

/**
 * Searches the database for due work every second. One process at a time runs the sweep. The cost of its queries
 * depends on the amount of due work. The parts run independently, so a part that fails or takes long does not delay the
 * others.
 */
export const startSweep = ({ parts, lanes, worker, onFound, onError }: SweepOptions): Sweep => {
  const finishedAt = new Map(parts.map((part) => [part, performance.now()]));
  const age = () => performance.now() - Math.min(...finishedAt.values());
  /** The rounds in flight, by part. */
  const inFlight = new Map<SweepPart, Promise<void>>();
  const lease = holdLease({
    lanes,
    name: 'sweep',
    worker,
    onOther() {
      for (const part of parts) if (!inFlight.has(part)) finishedAt.set(part, performance.now());
    },
    onError,
  });

  const run = async (part: SweepPart): Promise<void> => {
    try {
      const found = await part.round(clockOf(lease));
      finishedAt.set(part, performance.now());
      if (found) onFound({ [part.name]: found });
    } catch (error) {
      onError(error);
    }
    inFlight.delete(part);
  };
  const timer = setInterval(() => {
    if (!lease.isHeld()) return;
    for (const part of parts) if (!inFlight.has(part)) inFlight.set(part, run(part));
  }, INTERVAL_MS);

  return {
    age,
    isStuck: () => age() > MAX_AGE_MS,
    async stop() {
      clearInterval(timer);
      await lease.stop();
      await Promise.all(inFlight.values());
    },
  };
};
