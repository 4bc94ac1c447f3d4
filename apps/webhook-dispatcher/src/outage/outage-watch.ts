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

export const createOutageWatch = <T>(options: OutageWatchOptions): OutageWatch<T> => {
  const { probe, wasReached, isDeclared, onChange, onVeto, onError } = options;
  const hosts = createReachedHosts();
  const probeHosts = createProbing(options, hosts);
  /** The failed attempts since an attempt has reached its host or hosts were probed. */
  let last: { item: T; reach: Reach }[] = [];
  const overListeners: (() => void)[] = [];
  const unsentListeners: ((items: T[]) => void)[] = [];
  let isOut = false;
  let isAdopted = false;
  let reachedAt = Number.NEGATIVE_INFINITY;
  let probing: Promise<boolean> | undefined;
  let quiet: NodeJS.Timeout | undefined;
  let recheck: NodeJS.Timeout | undefined;
  /**
   * Increases each time hosts are about to be probed, and each time an attempt reaches its host. The result of probes
   * from an earlier turn is ignored.
   */
  let turns = 0;

  const end = (): void => {
    if (!isOut) return;
    isOut = false;
    clearInterval(recheck);
    onChange(false, isAdopted);
    for (const listener of overListeners) listener();
  };

  const isOver = async (origins: readonly string[]): Promise<boolean> =>
    origins.length === 0
      ? !(await isDeclared())
      : (await Promise.all(origins.map(probe))).some((result) => result === 'reached');

  /** @param origins the hosts that show the outage; empty if another dispatcher has declared it */
  const begin = (origins: readonly string[]): void => {
    isOut = true;
    isAdopted = origins.length === 0;
    recheck = setInterval(async () => {
      const turn = turns;
      if ((await isOver(origins).catch(() => false)) && turn === turns) end();
    }, RECHECK_MS);
    onChange(true, isAdopted);
  };

  /** @returns whether it is an outage */
  const confirm = async (failed: readonly Reach[]): Promise<boolean> => {
    const turn = ++turns;
    const { isOutage, origins } = await probeHosts(failed).catch((error: unknown) => {
      onError(error);
      return { isOutage: false, origins: [] };
    });
    // An attempt reached its host while the probes were in flight, so there is no outage.
    if (turn !== turns) return false;
    probing = undefined;
    if (isOutage) begin(origins);
    else if (failed.length >= ATTEMPTS) onVeto();
    return isOutage;
  };

  /** Probes hosts after the failures so far. */
  const probeNow = (): { failed: T[]; verdict: Promise<boolean> } => {
    const failed = last;
    last = [];
    clearTimeout(quiet);
    quiet = undefined;
    const verdict = confirm(failed.map(({ reach }) => reach));
    probing = verdict;
    return { failed: failed.map(({ item }) => item), verdict };
  };

  const probeLate = async (): Promise<void> => {
    const { failed, verdict } = probeNow();
    if (await verdict) for (const listener of unsentListeners) listener(failed);
  };

  const noteReached = ({ origin, organizationId }: Reach): void => {
    hosts.add(organizationId, origin);
    reachedAt = performance.now();
    last = [];
    clearTimeout(quiet);
    quiet = undefined;
    probing = undefined;
    turns++;
    end();
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
    isOut: () => isOut,
    onOver: (listener) => void overListeners.push(listener),
    onUnsent: (listener) => void unsentListeners.push(listener),
    async note(item, reach) {
      if (reach.reached) {
        noteReached(reach);
        return [];
      }
      if (!isOut && reach.isEvent) await learnFromOthers(reach);
      if (isOut) return [item];
      if (!reach.isEvent) return [];
      // Attempts that fail while probes are in flight get the same result. If it is an outage, they are requeued and do
      // not count towards disabling a subscription.
      if (probing !== undefined) return (await probing) ? [item] : [];
      last.push({ item, reach });
      if (last.length >= ATTEMPTS || isRare(reach)) {
        const { failed, verdict } = probeNow();
        return (await verdict) ? failed : [];
      }
      quiet ??= setTimeout(() => void probeLate(), QUIET_MS);
      return [];
    },
    stop() {
      clearTimeout(quiet);
      clearInterval(recheck);
    },
  };
};
