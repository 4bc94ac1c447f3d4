import type { Evidence, StoredDelivery } from './evidence.ts';
import type { Life } from './history.ts';

/** Which processes the workers were that Deliveries name: each has logged the Deliveries whose end it told. */
export const findWorkers = ({ lives, deliveries }: Evidence) => {
  const workers = new Map(deliveries.map(({ _id, worker }) => [_id, worker]));
  const known = new Map<string, Life>();
  const unknown: Life[] = [];
  const impostors: string[] = [];
  for (const life of lives) {
    const own = new Set(life.reported.flatMap((id) => workers.get(id) ?? []));
    if (own.size > 1)
      impostors.push(`${life.target} told how Deliveries of others ended (born ${life.bornAt})`);
    if (own.size === 0) unknown.push(life);
    for (const worker of own) known.set(worker, life);
  }
  /** The processes that may have had a Delivery. */
  const livesOf = ({ worker = '' }: StoredDelivery): readonly Life[] => {
    const life = known.get(worker);
    // Who was killed before it told of anything.
    return life === undefined ? unknown : [life];
  };
  return { livesOf, impostors };
};
