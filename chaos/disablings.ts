/** A subscription that was found disabled; times in milliseconds since 1970. */
export type Disabling = {
  subscriptionId: string;
  at: number;
  reason: string;
  /** When an operator first asked to enable it again. */
  enabledFrom: number;
  /** When it was known to be enabled. */
  enabledBy: number;
};

/** A subscription, as the api or the database shows it. */
export type SubscriptionSeen = {
  _id: string;
  active: boolean;
  disabledTime?: string | Date;
  disabledReason?: string;
};

export type Disablings = {
  all: readonly Disabling[];
  /** Takes note of what is seen now. */
  note(seen: SubscriptionSeen, now: number): void;
  /** Takes note that somebody asks now for a subscription to be enabled, whatever comes of it. */
  enabling(id: string, now: number): void;
};

/** Notes when subscriptions were disabled and enabled, as far as somebody who looks now and then can tell. */
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
