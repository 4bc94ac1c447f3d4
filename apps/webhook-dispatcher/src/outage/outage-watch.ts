import { type Attempt, SLOWED_FROM_FAILURES } from '@chairside/domain';
import { createReachedHosts, type ReachedHosts } from './reached-hosts.ts';

/**
 * How many attempts that fail to reach their hosts wait for the verdict together, before hosts are probed at once. An
 * attempt that reaches its host resets the count.
 */
const ATTEMPTS = 20;
/**
 * How long after such a failure hosts are probed at the latest, unless an attempt has reached its host meanwhile. Few
 * attempts are made if there are few events, many dispatchers, or subscriptions that are slowed down.
 */
const QUIET_MS = 2000;
/** How often hosts are probed during an outage. Perhaps this process has no delivery whose attempt could end it. */
const RECHECK_MS = 10_000;
/** Maximum number of hosts that are probed in one round. */
const PROBES = 3;
/**
 * If the failed attempts went to this many hosts or more, refused connections and unknown names may be a fault of our
 * network.
 */
const HOSTS = 5;
/** The pause between rounds of probes. It protects the hosts. */
const REST_MS = 1000;

/**
 * `reached`: the probe opened a connection. `refused`: the connection was refused or reset, or the name does not exist.
 * `silent`: the probe ended in another way, usually without any response.
 */
export type ProbeResult = 'reached' | 'refused' | 'silent';

/** The facts about an attempt that the outage watch uses. */
export type Reach = {
  /** Scheme, name and port of the URL. */
  origin: string;
  organizationId: string;
  subscriptionId: string;
  /**
   * Whether the delivery is of kind `event`. Customers start tests and redeliveries themselves, so their failures are
   * no evidence of an outage.
   */
  isEvent: boolean;
  /** Whether a connection was opened. */
  reached: boolean;
  /** The failures in a row of the subscription before this attempt. */
  failures: number;
};

/**
 * Whether an attempt reached its host. An attempt that failed during the name lookup or while the connection was being
 * opened did not reach it. This includes timeouts in these phases, because a cut cable causes timeouts and no refusals.
 */
export const reachedHost = (attempt: Attempt): boolean => {
  if (attempt.outcome === 'succeeded') return true;
  if (attempt.cause === 'dns' || attempt.cause === 'connect') return false;
  const { tls, firstByte } = attempt.timings;
  return attempt.cause !== 'timeout' || tls !== undefined || firstByte !== undefined;
};

/**
 * Whether the probes confirm an outage. A refused connection shows that the network works, unless the failed attempts
 * went to many hosts: then a firewall or a name server on our side is the likely cause.
 *
 * @param hosts how many hosts the failed attempts went to
 */
export const isConfirmed = (hosts: number, results: readonly ProbeResult[]): boolean =>
  results.length > 0 &&
  results.every((result) => result === 'silent' || (result === 'refused' && hosts >= HOSTS));

export type OutageWatchOptions = {
  /** Opens a connection to an origin and sends nothing. */
  probe(origin: string): Promise<ProbeResult>;
  /** Whether any dispatcher has reached the host of this subscription in the last ten minutes. */
  wasReached(reach: Reach): Promise<boolean>;
  /** Whether another dispatcher has declared an outage. */
  isDeclared(): Promise<boolean>;
  /**
   * Called when an outage begins and when it is over.
   *
   * @param isAdopted whether only another dispatcher has evidence of it
   */
  onChange(isOut: boolean, isAdopted: boolean): void;
  /** Called when the probes after many failed attempts do not confirm an outage. */
  onVeto(): void;
  onError(error: unknown): void;
};

/** Detects an outage of this service from the attempts of this process. */
export type OutageWatch<T> = {
  isOut(): boolean;
  /** Calls the listener when an outage is over. */
  onOver(listener: () => void): void;
  /** Calls the listener with items that `note` did not return, and that failed in an outage that was detected later. */
  onUnsent(listener: (items: T[]) => void): void;
  /** Ends the timers. */
  stop(): void;
  /**
   * Records an attempt. If the attempt is evidence of an outage, the call may wait for the result of probes.
   *
   * @returns the items, including this one, that failed in an outage of this service, so that nothing was sent. Empty
   *   if there is no outage
   */
  note(item: T, reach: Reach): Promise<T[]>;
};

/**
 * Probes hosts in rounds, with a pause between two rounds.
 *
 * @returns a function that finds out whether these failed attempts were an outage, and which hosts show it. If it shows
 *   no host, another dispatcher has declared the outage
 */
const createProbing = (
  { probe, isDeclared }: Pick<OutageWatchOptions, 'probe' | 'isDeclared'>,
  hosts: ReachedHosts,
) => {
  let restsUntil = Number.NEGATIVE_INFINITY;
  return async (failed: readonly Reach[]): Promise<{ isOutage: boolean; origins: string[] }> => {
    const organizations = new Set(failed.map(({ organizationId }) => organizationId));
    const failedOrigins = new Set(failed.map(({ origin }) => origin));
    const rest = restsUntil - performance.now();
    if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
    const origins = hosts.candidates(PROBES, { organizations, origins: failedOrigins });
    // A process that has reached no host recently has no evidence of its own.
    if (origins.length === 0) return { isOutage: await isDeclared(), origins };
    const results = await Promise.all(origins.map(probe));
    restsUntil = performance.now() + REST_MS;
    const known = failed.filter(({ organizationId, origin }) => hosts.has(organizationId, origin));
    return { isOutage: isConfirmed(new Set(known.map(({ origin }) => origin)).size, results), origins };
  };
};

type Failed<T> = { item: T; reach: Reach };

/** The timer belongs to its state. */
type State<T> = { timer?: NodeJS.Timeout } & (
  | {
      name: 'watching';
      /** The failed attempts since an attempt has reached its host or hosts were probed. */
      failed: Failed<T>[];
    }
  | { name: 'probing'; verdict: Promise<boolean> }
  | {
      name: 'out';
      /** Whether only another dispatcher has evidence. */
      isAdopted: boolean;
    }
);

const watching = <T>(): State<T> => ({ name: 'watching', failed: [] });

export const createOutageWatch = <T>(options: OutageWatchOptions): OutageWatch<T> => {
  const { probe, wasReached, isDeclared, onChange, onVeto, onError } = options;
  const hosts = createReachedHosts();
  const probeHosts = createProbing(options, hosts);
  const overListeners: (() => void)[] = [];
  const unsentListeners: ((items: T[]) => void)[] = [];
  let reachedAt = Number.NEGATIVE_INFINITY;
  /** The result of probes from an earlier state is ignored. */
  let state: State<T> = watching();
  const become = (next: State<T>): void => {
    clearTimeout(state.timer);
    state = next;
  };

  const end = (isAdopted: boolean): void => {
    become(watching());
    onChange(false, isAdopted);
    for (const listener of overListeners) listener();
  };

  const isOver = async (origins: readonly string[]): Promise<boolean> =>
    origins.length === 0
      ? !(await isDeclared())
      : (await Promise.all(origins.map(probe))).some((result) => result === 'reached');

  /** @param origins the hosts that show the outage; empty if another dispatcher has declared it */
  const begin = (origins: readonly string[]): void => {
    const isAdopted = origins.length === 0;
    const recheck = async (): Promise<void> => {
      if ((await isOver(origins).catch(() => false)) && state === out) end(isAdopted);
    };
    const out: State<T> = { name: 'out', isAdopted, timer: setInterval(recheck, RECHECK_MS) };
    become(out);
    onChange(true, isAdopted);
  };

  /** Probes hosts after these failures. @returns whether it is an outage */
  const probeNow = (failed: readonly Failed<T>[]): Promise<boolean> => {
    const verdict = probeHosts(failed.map(({ reach }) => reach))
      .catch((error: unknown) => {
        onError(error);
        return { isOutage: false, origins: [] };
      })
      .then(({ isOutage, origins }) => {
        // An attempt reached its host while the probes were in flight, so there is no outage.
        if (state !== probing) return false;
        if (isOutage) begin(origins);
        else become(watching());
        if (!isOutage && failed.length >= ATTEMPTS) onVeto();
        return isOutage;
      });
    const probing: State<T> = { name: 'probing', verdict };
    become(probing);
    return verdict;
  };

  const itemsOf = (failed: readonly Failed<T>[]): T[] => failed.map(({ item }) => item);

  const probeLate = async (failed: readonly Failed<T>[]): Promise<void> => {
    if (await probeNow(failed)) for (const listener of unsentListeners) listener(itemsOf(failed));
  };

  const noteReached = ({ origin, organizationId }: Reach): void => {
    hosts.add(organizationId, origin);
    reachedAt = performance.now();
    if (state.name === 'out') end(state.isAdopted);
    else become(watching());
  };

  /** Adds a host that only other dispatchers have reached recently. This process may get its first attempt there now. */
  const learnFromOthers = async (reach: Reach): Promise<void> => {
    const { organizationId, origin } = reach;
    if (hosts.has(organizationId, origin)) return;
    const isKnown = await wasReached(reach).catch((error: unknown) => {
      onError(error);
      return false;
    });
    if (isKnown) hosts.add(organizationId, origin);
  };

  /** Whether the failure slows its subscription down, or is one of the rare ones after that. */
  const isRare = ({ failures }: Reach): boolean =>
    failures + 1 >= SLOWED_FROM_FAILURES && performance.now() - reachedAt >= REST_MS;

  return {
    isOut: () => state.name === 'out',
    onOver: (listener) => void overListeners.push(listener),
    onUnsent: (listener) => void unsentListeners.push(listener),
    async note(item, reach) {
      if (reach.reached) {
        noteReached(reach);
        return [];
      }
      if (state.name !== 'out' && reach.isEvent) await learnFromOthers(reach);
      if (state.name === 'out') return [item];
      if (!reach.isEvent) return [];
      // Attempts that fail while probes are in flight get the same result. If it is an outage, they are requeued and do
      // not count towards disabling a subscription.
      if (state.name === 'probing') return (await state.verdict) ? [item] : [];
      const { failed } = state;
      failed.push({ item, reach });
      if (failed.length >= ATTEMPTS || isRare(reach)) return (await probeNow(failed)) ? itemsOf(failed) : [];
      state.timer ??= setTimeout(() => void probeLate(failed), QUIET_MS);
      return [];
    },
    stop: () => clearTimeout(state.timer),
  };
};
