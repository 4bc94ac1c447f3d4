/** A period in which a subscription was disabled. Times are milliseconds since 1970. */
export type Disabling = {
  subscriptionId: string;
  at: number;
  reason: string;
  /** The time of the operator's first request to enable the subscription. */
  enabledFrom: number;
  /** The subscription was enabled again at this time or earlier. */
  enabledBy: number;
};

/** A subscription from the api or the database. */
export type SubscriptionSeen = {
  _id: string;
  active: boolean;
  disabledTime?: string | Date;
  disabledReason?: string;
};

export type Disablings = {
  all: readonly Disabling[];
  /** Records the state of a subscription at this time. */
  note(seen: SubscriptionSeen, now: number): void;
  /** Records a request to enable a subscription, whether or not it succeeds. */
  enabling(id: string, now: number): void;
};

/**
 * Records when subscriptions were disabled and enabled. The times of enabling are only as exact as the observations.
 */
export const createDisablings = (): Disablings => {
  const all: Disabling[] = [];
  const lastOf = (id: string): Disabling | undefined =>
    all.findLast(({ subscriptionId }) => subscriptionId === id);
  const note = ({ _id, active, disabledTime, disabledReason = '' }: SubscriptionSeen, now: number): void => {
    const last = lastOf(_id);
    const at = new Date(disabledTime ?? now).getTime();
    if (last !== undefined && (active || last.at !== at))
      last.enabledBy = Math.min(last.enabledBy, active ? now : at);
    if (active || last?.at === at) return;
    const never = Number.POSITIVE_INFINITY;
    all.push({ subscriptionId: _id, at, reason: disabledReason, enabledFrom: never, enabledBy: never });
  };
  return {
    all,
    note,
    enabling(id: string, now: number): void {
      const last = lastOf(id);
      if (last !== undefined) last.enabledFrom = Math.min(last.enabledFrom, now);
    },
  };
};
