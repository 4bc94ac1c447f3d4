import type { Attempt } from '@chairside/domain';
import { createReachedHosts, type ReachedHosts } from './reached-hosts.ts';

/** How many attempts in a row must fail, each to a host that was reached recently, before hosts are probed. */
const ATTEMPTS = 20;
/** Maximum number of hosts that are probed before an outage is declared. */
const PROBES = 3;
/**
 * If the failed attempts went to this many hosts, refused connections and unknown names may be a fault of our network.
 */
const HOSTS = 5;
/** The pause between rounds of probes. It protects the hosts. */
const REST_MS = 1000;

/** Whether a probe opened a connection, was refused, or ended in another way, usually without any response. */
export type ProbeResult = 'reached' | 'refused' | 'silent';

/** The facts about an attempt that the outage watch uses. */
export type Reach = {
  /** Scheme, name and port of the URL. */
  origin: string;
  organizationId: string;
  /**
   * Whether the delivery is of kind `event`. Customers start tests and redeliveries themselves, so these do not
   * count as evidence.
   */
  isEvent: boolean;
  /** Whether a connection was opened. */
  reached: boolean;
};

/**
 * Whether an attempt reached its host. An attempt that ended during the name lookup or while the connection was
 * being opened has sent nothing. A timeout in these phases counts as not reached, because a cut cable causes
 * timeouts and no refusals.
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
  /** Called when a probe shows that failed attempts were no outage. */
  onVeto(): void;
};

/** Detects an outage of this service from the attempts of this process. */
export type OutageWatch<T> = {
  isOut(): boolean;
  /** Calls the listener when an outage is over. */
  onOver(listener: () => void): void;
  /**
   * Records an attempt. If the attempt failed, counts as evidence, and probes are in flight, waits for their result.
   *
   * @returns the items, including this one, that failed in an outage of this service: they were never sent. Empty if
   *   there is no outage.
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
