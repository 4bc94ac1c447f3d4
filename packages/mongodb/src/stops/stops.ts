import { batched } from '@chairside/concurrency';
import { clock, type ResourceLimit } from '@chairside/domain';
import type { Collection } from '../driver/database.ts';
import { deleteUnique } from '../driver/ferretdb.ts';
import { isDuplicateKey } from '../driver/statements.ts';

/** Maximum number of stops. Each process reads all of them. */
const MAX_STOPS = 1000;
/** How long the stops are cached. A stop must be in force within a second in every process. */
const LIFE_MS = 500;

export const stopLimits: readonly ResourceLimit[] = [
  {
    id: 'stops',
    part: 'Webhooks',
    resource: 'Suspended organizations and blocked hosts, together',
    value: MAX_STOPS,
    unit: 'in the service',
    beyond: '`chairside-admin` refuses another one',
  },
];

/** What an operator of the service can stop: an organization, or the deliveries to a host. */
export type StopTarget =
  | { organizationId: string; host?: never }
  /** The host, with its port if that is not the default of the scheme. */
  | { host: string; organizationId?: never };

/** Who stopped it, as given to chairside-admin, and why. */
type StopAuthor = { by: string; reason?: string };
export type StopDocument = { _id: string; organizationId?: string; host?: string; time: Date } & StopAuthor;
export type Stop = StopTarget & StopAuthor & { time: string };

/** The stops that are in force. */
export type Stopped = { organizations: ReadonlySet<string>; hosts: ReadonlySet<string> };

/** Reads the stops, for the processes that obey them. */
export type Stops = {
  read(): Promise<Stopped>;
};

/** Changes the stops, for chairside-admin. */
export type StopChanges = {
  /** @returns `present` if it is stopped already; the first stop is kept then */
  add(stop: StopTarget & StopAuthor): Promise<'added' | 'present' | 'limitReached'>;
  /** @returns whether there was such a stop */
  remove(target: StopTarget): Promise<boolean>;
  /** All stops, the oldest first. */
  list(): Promise<Stop[]>;
};

const idOf = ({ organizationId, host }: StopTarget): string =>
  organizationId === undefined ? `host ${host}` : `organization ${organizationId}`;

export const openStops = (collection: Collection<StopDocument>): Stops => ({
  async read() {
    const all = await collection.find({}, { projection: { organizationId: 1, host: 1 } }).toArray();
    return {
      organizations: new Set(all.flatMap(({ organizationId }) => organizationId ?? [])),
      hosts: new Set(all.flatMap(({ host }) => host ?? [])),
    };
  },
});

const caches = new WeakMap<Stops, () => Promise<Stopped>>();

/**
 * @returns a function that returns the stops as they were at most half a second ago. All callers with the same stops share one
 *   cache, and concurrent calls share a query
 */
export const cachedStops = (stops: Stops): (() => Promise<Stopped>) => {
  const cache = caches.get(stops) ?? createCache(stops);
  caches.set(stops, cache);
  return cache;
};

const createCache = (stops: Stops): (() => Promise<Stopped>) => {
  let cached: { stopped: Stopped; readAt: number } | undefined;
  const read = batched<undefined, Stopped>(async (calls) => {
    const readAt = performance.now();
    const stopped = await stops.read();
    cached = { stopped, readAt };
    return calls.map(() => stopped);
  }, Number.POSITIVE_INFINITY);
  return async () =>
    cached !== undefined && performance.now() - cached.readAt < LIFE_MS ? cached.stopped : read(undefined);
};

export const openStopChanges = (collection: Collection<StopDocument>): StopChanges => ({
  async add(stop) {
    const _id = idOf(stop);
    if ((await collection.findOne({ _id }, { projection: { _id: 1 } })) !== null) return 'present';
    if ((await collection.countDocuments({}, { limit: MAX_STOPS })) >= MAX_STOPS) return 'limitReached';
    try {
      await collection.insertOne({ _id, ...stop, time: clock.now() });
      return 'added';
    } catch (error) {
      if (isDuplicateKey(error)) return 'present';
      throw error;
    }
  },
  remove: (target) => deleteUnique(collection, { _id: idOf(target) }),
  async list() {
    const all = await collection.find({}, { sort: { time: 1, _id: 1 } }).toArray();
    return all.map(({ _id, time, ...stop }) => ({ ...stop, time: time.toISOString() }) as Stop);
  },
});
