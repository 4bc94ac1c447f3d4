import type { Attempt } from '@chairside/domain';
import { createReachedHosts, type ReachedHosts } from './reached-hosts.ts';

/**
 * How many attempts must fail to reach their hosts before hosts are probed. Only hosts that were reached recently
 * count, and an attempt that reaches its host resets the count.
 */
const ATTEMPTS = 20;
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
  /**
   * Whether the delivery is of kind `event`. Customers start tests and redeliveries themselves, so their failures are
   * no evidence of an outage.
   */
  isEvent: boolean;
  /** Whether a connection was opened. */
  reached: boolean;
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
  /** Called when an outage begins and when it is over. */
  onChange(isOut: boolean): void;
  /** Called when the probes do not confirm an outage. */
  onVeto(): void;
};

/** Detects an outage of this service from the attempts of this process. */
export type OutageWatch<T> = {
  isOut(): boolean;
  /** Calls the listener when an outage is over. */
  onOver(listener: () => void): void;
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
 * @returns a function that finds out whether these failed attempts were an outage
 */
const createProbing = (probe: OutageWatchOptions['probe'], hosts: ReachedHosts) => {
  let restsUntil = Number.NEGATIVE_INFINITY;
  return async (failed: readonly Reach[]): Promise<boolean> => {
    const organizations = new Set(failed.map(({ organizationId }) => organizationId));
    const origins = new Set(failed.map(({ origin }) => origin));
    const rest = restsUntil - performance.now();
    if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
    const candidates = hosts.candidates(PROBES, { organizations, origins });
    const results = await Promise.all(candidates.map(probe));
    restsUntil = performance.now() + REST_MS;
    return isConfirmed(origins.size, results);
  };
};

export const createOutageWatch = <T>({ probe, onChange, onVeto }: OutageWatchOptions): OutageWatch<T> => {
  const hosts = createReachedHosts();
  const probeHosts = createProbing(probe, hosts);
  let last: { item: T; reach: Reach }[] = [];
  const listeners: (() => void)[] = [];
  let isOut = false;
  let probing: Promise<boolean> | undefined;
  /**
   * Increases each time hosts are about to be probed, and each time an attempt reaches its host. The result of probes
   * from an earlier turn is ignored.
   */
  let turns = 0;

  /** @returns whether it is an outage */
  const confirm = async (failed: readonly Reach[]): Promise<boolean> => {
    const turn = ++turns;
    const isOutage = await probeHosts(failed);
    // An attempt reached its host while the probes were in flight, so there is no outage.
    if (turn !== turns) return false;
    probing = undefined;
    if (!isOutage) {
      onVeto();
      return false;
    }
    isOut = true;
    onChange(true);
    return true;
  };

  const noteReached = ({ origin, organizationId }: Reach): void => {
    hosts.add(organizationId, origin);
    last = [];
    probing = undefined;
    turns++;
    if (!isOut) return;
    isOut = false;
    onChange(false);
    for (const listener of listeners) listener();
  };

  return {
    isOut: () => isOut,
    onOver: (listener) => void listeners.push(listener),
    async note(item, reach) {
      if (reach.reached) {
        noteReached(reach);
        return [];
      }
      if (isOut) return [item];
      if (!reach.isEvent || !hosts.has(reach.organizationId, reach.origin)) return [];
      // Attempts that fail while probes are in flight get the same result. If it is an outage, they are requeued and do
      // not count towards disabling a subscription.
      if (probing !== undefined) return (await probing) ? [item] : [];
      last = [...last, { item, reach }];
      if (last.length < ATTEMPTS) return [];
      const failed = last;
      last = [];
      probing = confirm(failed.map((each) => each.reach));
      return (await probing) ? failed.map((each) => each.item) : [];
    },
  };
};
