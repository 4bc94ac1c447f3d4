import type { Attempt } from '@chairside/domain';
import type { ProbeResult } from './delivery/probe.ts';
import { createReachedHosts } from './reached-hosts.ts';

/** How many attempts in a row must have failed to reach hosts that were reached a short time ago. */
const ATTEMPTS = 20;
/** How many hosts are probed before an outage is declared. */
const PROBES = 3;
/** From how many hosts on a refused connection or an unknown name may be a fault of our own network. */
const HOSTS = 5;
/** How long after a probe the next one waits, in milliseconds: hosts are not to be flooded. */
const REST = 1000;

/** An attempt as it is judged. */
export type Reach = {
  /** Where it went: scheme, name and port. */
  origin: string;
  organizationId: string;
  /** Whether it is the attempt of an event: tests and redeliveries can be made at will, and are no evidence. */
  isEvent: boolean;
  /** Whether it got as far as a connection. */
  reached: boolean;
};

/**
 * Whether an attempt got through to its host. An attempt that ended while a name was looked up or a connection was
 * opened has sent nothing. A timeout counts as well then: a cut cable refuses nothing, it is silent.
 */
export const reachedHost = (attempt: Attempt): boolean => {
  if (attempt.outcome === 'succeeded') return true;
  if (attempt.cause === 'dns' || attempt.cause === 'connect') return false;
  const { tls, firstByte } = attempt.timings;
  return attempt.cause !== 'timeout' || tls !== undefined || firstByte !== undefined;
};

/**
 * Whether the probes of other hosts confirm that this process can reach nobody. A refusal is an answer, too, unless so
 * many hosts refuse that it rather comes from a firewall or a name server on our side.
 *
 * @param hosts how many hosts the failed attempts went to
 */
export const isConfirmed = (hosts: number, results: readonly ProbeResult[]): boolean =>
  results.length > 0 &&
  results.every((result) => result === 'silent' || (result === 'refused' && hosts >= HOSTS));

export type OutageWatchOptions = {
  /** Tries to connect to an origin, and sends nothing. */
  probe(origin: string): Promise<ProbeResult>;
  /** Told when an outage begins and when it is over. */
  onChange(isOut: boolean): void;
  /** Told when attempts failed as in an outage and a probe was answered. */
  onVeto(): void;
};

/** Watches the attempts of this process for an outage on our side. */
export type OutageWatch<T> = {
  isOut(): boolean;
  /** Calls the listener when an outage is over. */
  onOver(listener: () => void): void;
  /**
   * Takes note of an attempt. Waits for the probes if there are some just now.
   *
   * @returns the items that our own outage has failed, this one among them: they were never sent
   */
  note(item: T, reach: Reach): Promise<T[]>;
};

export const createOutageWatch = <T>({ probe, onChange, onVeto }: OutageWatchOptions): OutageWatch<T> => {
  const hosts = createReachedHosts();
  let last: { item: T; reach: Reach }[] = [];
  const listeners: (() => void)[] = [];
  let isOut = false;
  let probing: Promise<boolean> | undefined;
  let restsUntil = Number.NEGATIVE_INFINITY;
  /** How often something was suspected or got through: tells whether a verdict is still wanted. */
  let turns = 0;

  /** @returns whether it is an outage */
  const confirm = async (failed: readonly Reach[]): Promise<boolean> => {
    const organizations = new Set(failed.map(({ organizationId }) => organizationId));
    const origins = new Set(failed.map(({ origin }) => origin));
    const turn = ++turns;
    // Whatever fails until then waits for the verdict. Nobody is disabled by it meanwhile.
    const rest = restsUntil - performance.now();
    if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
    const candidates = hosts.candidates(PROBES, { organizations, origins });
    const results = await Promise.all(candidates.map(probe));
    restsUntil = performance.now() + REST;
    // An attempt that got through while the probes were under way has ended the suspicion.
    if (turn !== turns) return false;
    probing = undefined;
    if (!isConfirmed(origins.size, results)) {
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
      // Whatever fails while the probes are under way shares their verdict.
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
