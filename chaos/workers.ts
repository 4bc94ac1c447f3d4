import type { Evidence, StoredDelivery } from './evidence.ts';
import type { Life } from './history.ts';

/** How long after the end of a process its last claim may be stored, in milliseconds. */
const ON_ITS_WAY = 5000;

/** Which processes the workers were that Deliveries name: each has logged the Deliveries whose end it told. */
export const findWorkers = ({ lives, deliveries }: Evidence) => {
  const workers = new Map(deliveries.map(({ _id, worker }) => [_id, worker]));
  const known = new Map<string, Life>();
  const unknown: Life[] = [];
  const possible = new Map<string, readonly Life[]>();
  const impostors: string[] = [];
  for (const life of lives) {
    const own = new Set(life.reported.flatMap((id) => workers.get(id) ?? []));
    if (own.size > 1)
      impostors.push(`${life.target} told how Deliveries of others ended (born ${life.bornAt})`);
    if (own.size === 0) unknown.push(life);
    for (const worker of own) known.set(worker, life);
  }
  // Who was killed before it told of anything: it had what was claimed while it lived.
  for (const [worker, own] of Map.groupBy(deliveries, (delivery) => delivery.worker ?? '')) {
    const claims = own.flatMap(({ claimedAt }) => claimedAt?.getTime() ?? []);
    const [first, last] = [Math.min(...claims), Math.max(...claims)];
    if (!known.has(worker))
      possible.set(
        worker,
        unknown.filter(
          ({ bornAt, diedAt = Number.POSITIVE_INFINITY }) => bornAt <= first && last <= diedAt + ON_ITS_WAY,
        ),
      );
  }
  /** The processes that may have had a Delivery. */
  const livesOf = ({ worker = '' }: StoredDelivery): readonly Life[] => {
    const life = known.get(worker);
    return life === undefined ? (possible.get(worker) ?? []) : [life];
  };
  return { livesOf, impostors };
};
