import { openRandom } from './random.ts';

/** The kinds of faults with their weights. */
const WEIGHTS = {
  'kill a dispatcher in mid-POST': 40,
  'kill all dispatchers': 5,
  'kill the api after its response': 36,
  'kill the second api': 5,
  'pause the second api': 5,
  'kill redis': 7,
  'kill mongodb': 5,
  'kill the mail server': 8,
  'kill a dispatcher in mid-mail': 8,
  'stop mongodb': 3,
  'pause a dispatcher': 3,
  'pause redis': 2,
  'pause mongodb': 2,
};
export type FaultKind = keyof typeof WEIGHTS;
export const faultKinds = Object.keys(WEIGHTS) as FaultKind[];

const PAUSES_MS = [300, 1000, 3000];
/**
 * Half of these pauses are longer than the time after which a process counts as dead. When the process resumes, others
 * have claimed the deliveries that it is about to claim, or booked the times that it is about to book. Hardly anything
 * else makes two dispatchers compete for a delivery.
 */
const LONG_PAUSES = [1000, 7000, 40_000, 40_000];
const PAUSED_LONG: readonly FaultKind[] = ['pause a dispatcher', 'pause the second api'];
/** Milliseconds between a shutdown and the next start, as for maintenance. */
const STOPS = [1000, 3000, 8000];

export type Fault = {
  kind: FaultKind;
  /** Selects the dispatcher. */
  index: number;
  /** Milliseconds between a kill and the restart. */
  rest: number;
  pauseMs: number;
  /** Milliseconds between a shutdown and the restart. */
  stop: number;
  /** Milliseconds until the next fault. */
  gap: number;
};

/**
 * The endless sequence of faults of a run.
 *
 * @param long whether the run has time for pauses after which a process counts as dead
 */
export function* faultsOf(seed: number, { long }: { long: boolean }): Generator<Fault, never> {
  const random = openRandom(seed, 'faults');
  for (;;) {
    const kind = random.weighted(WEIGHTS);
    const pauses = long && PAUSED_LONG.includes(kind) ? LONG_PAUSES : PAUSES_MS;
    yield {
      kind,
      index: random.below(100),
      rest: random.pick([0, 0, 100, 1500]),
      pauseMs: random.pick(pauses),
      stop: random.pick(STOPS),
      gap: random.pick([0, 50, 200, 600]),
    };
  }
}
