import type { Attempt } from '@chairside/domain';

/** How many attempts in a row, and to how many hosts, must have reached nobody. */
const ATTEMPTS = 20;
const HOSTS = 5;

/** An attempt as it is judged: where it went, and whether it got as far as a connection. */
export type Reach = { host: string; reached: boolean };

/**
 * Whether an attempt got through to its host. One that ended while a name was looked up or a connection was opened has
 * sent nothing, whatever it is called.
 */
export const reachedHost = (attempt: Attempt): boolean => {
  if (attempt.outcome === 'succeeded') return true;
  if (attempt.cause === 'dns' || attempt.cause === 'connect') return false;
  const { tls, firstByte } = attempt.timings;
  return attempt.cause !== 'timeout' || tls !== undefined || firstByte !== undefined;
};

/**
 * Whether it is we who cannot reach anybody: the last twenty attempts, to at least five hosts, reached none of them.
 *
 * @param last attempts in the order in which they ended
 */
export const isOutage = (last: readonly Reach[]): boolean => {
  const window = last.slice(-ATTEMPTS);
  return (
    window.length === ATTEMPTS &&
    window.every(({ reached }) => !reached) &&
    new Set(window.map(({ host }) => host)).size >= HOSTS
  );
};

/** Watches the attempts of this process for an outage on our side. */
export type OutageWatch<T> = {
  isOut(): boolean;
  /**
   * Takes note of an attempt.
   *
   * @returns the items that our own outage has failed, this one among them: they were never sent
   */
  note(item: T, reach: Reach): T[];
};

/** @param onChange told when an outage begins and when it is over */
export const createOutageWatch = <T>(onChange: (isOut: boolean) => void): OutageWatch<T> => {
  let last: { item: T; reach: Reach }[] = [];
  let isOut = false;

  return {
    isOut: () => isOut,
    note(item, reach) {
      if (isOut) {
        if (!reach.reached) return [item];
        isOut = false;
        last = [];
        onChange(false);
        return [];
      }
      last = [...last, { item, reach }].slice(-ATTEMPTS);
      if (!isOutage(last.map((each) => each.reach))) return [];
      const unsent = last.map((each) => each.item);
      isOut = true;
      last = [];
      onChange(true);
      return unsent;
    },
  };
};
