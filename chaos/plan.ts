import { openRandom } from './random.ts';

/** What can happen, and how often among all that happens. */
const WEIGHTS = {
  'kill a dispatcher in mid-POST': 40,
  'kill all dispatchers': 5,
  'kill the api after its answer': 36,
  'kill redis': 7,
  'kill mongodb': 5,
  'stop mongodb': 3,
  'pause a dispatcher': 3,
  'pause redis': 2,
  'pause mongodb': 2,
};
export type FaultKind = keyof typeof WEIGHTS;
export const faultKinds = Object.keys(WEIGHTS) as FaultKind[];

/** Milliseconds of pauses. */
const PAUSES = [300, 1000, 3000];
/**
 * Every second one is longer than a process may be silent before it counts as dead: when it goes on, others have claimed what
 * it still means to claim. Hardly anything else has two dispatchers want the same Delivery.
 */
const LONG_PAUSES = [1000, 7000, 40_000, 40_000];
/** Milliseconds between an orderly stop and the start after it, as for maintenance. */
const STOPS = [1000, 3000, 8000];

export type Fault = {
  kind: FaultKind;
  /** Which dispatcher. */
  index: number;
  /** Milliseconds until what was killed starts again. */
  rest: number;
  /** Milliseconds of a pause. */
  pause: number;
  /** Milliseconds until what was stopped in good order starts again. */
  stop: number;
  /** Milliseconds until the next fault. */
  gap: number;
};

/**
 * The faults of a run, in their order, without end.
 *
 * @param long whether there is time for pauses in which a process counts as dead
 */
export function* faultsOf(seed: number, { long }: { long: boolean }): Generator<Fault, never> {
  const random = openRandom(seed, 'faults');
  for (;;) {
    const kind = random.weighted(WEIGHTS);
    const pauses = long && kind === 'pause a dispatcher' ? LONG_PAUSES : PAUSES;
    yield {
      kind,
      index: random.below(100),
      rest: random.pick([0, 0, 100, 1500]),
      pause: random.pick(pauses),
      stop: random.pick(STOPS),
      gap: random.pick([0, 50, 200, 600]),
    };
  }
}
