import type { OutboundMode } from '@chairside/domain';
import { cachedStops, type Stopped, type Stops } from '@chairside/mongodb';
import type { QueuedDelivery, StoredReceiver } from '@chairside/mongodb/dispatch';

/** How often the stops are read while they hold deliveries of this process. */
const CHECK_INTERVAL_MS = 500;

export type OutboundOptions = {
  mode: OutboundMode;
  stops: Stops;
  onError(error: unknown): void;
};

/**
 * Decides whether a delivery may leave: the setting `OUTBOUND`, suspended organizations and blocked hosts. What may not leave
 * waits, and that is no failure of its receiver.
 */
export type Outbound = {
  /** Whether only released deliveries leave. */
  isHolding: boolean;
  /**
   * @returns `withheld` if the delivery must wait, `off` if it must not be sent at all
   * @throws any error of the database. Nothing may be sent then
   */
  check(delivery: QueuedDelivery, receiver: StoredReceiver): Promise<'allowed' | 'withheld' | 'off'>;
  /** Calls the listener when a stop that held a delivery was lifted. */
  onLifted(listener: () => void): void;
  /** Ends the timer. */
  stop(): void;
};

export const createOutbound = ({ mode, stops, onError }: OutboundOptions): Outbound => {
  const stopped = cachedStops(stops);
  const listeners: (() => void)[] = [];
  /** The stops that have held a delivery of this process, as `Stopped` names them. */
  const held = { organizations: new Set<string>(), hosts: new Set<string>() };
  let timer: NodeJS.Timeout | undefined;

  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
  };

  /** Forgets the stops that are no longer in force. @returns whether there was one */
  const forgetLifted = (now: Stopped): boolean => {
    let isLifted = false;
    for (const kind of ['organizations', 'hosts'] as const)
      for (const name of held[kind]) if (!now[kind].has(name)) isLifted = held[kind].delete(name);
    return isLifted;
  };

  const look = async (): Promise<void> => {
    const isLifted = forgetLifted(await stopped());
    if (held.organizations.size + held.hosts.size === 0) stop();
    if (isLifted) for (const listener of listeners) listener();
  };

  const hold = (kind: keyof typeof held, name: string): 'withheld' => {
    held[kind].add(name);
    timer ??= setInterval(() => void look().catch(onError), CHECK_INTERVAL_MS);
    return 'withheld';
  };

  return {
    isHolding: mode === 'hold',
    async check({ organizationId, released }, receiver) {
      const { organizations, hosts } = await stopped();
      if (organizations.has(organizationId)) return hold('organizations', organizationId);
      const host = 'url' in receiver ? new URL(receiver.url).host : undefined;
      if (host !== undefined && hosts.has(host)) return hold('hosts', host);
      if (mode === 'off') return 'off';
      return mode === 'hold' && released !== true ? 'withheld' : 'allowed';
    },
    onLifted: (listener) => void listeners.push(listener),
    stop,
  };
};
