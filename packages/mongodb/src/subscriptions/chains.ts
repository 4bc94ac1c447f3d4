/**
 * The place of a subscription that was created to replace another. Subscriptions that replace each other are a chain. One
 * of them at a time gets the events.
 */
export type ChainPlace = {
  /** The first subscription of the chain, which has no place. */
  _id: string;
  /** When the first subscription was created. Events from then on belong to the chain. */
  createdTime: Date;
  /** One more than that of the replaced subscription; that of the first one is 0. Unique in the chain. */
  generation: number;
  replaces: string;
  /** When the subscription was enabled, and so replaced the other one. Absent while it is pending. */
  switchedTime?: Date;
};

/** A subscription with what decides which one of a chain gets the events. */
export type ChainMember = { _id: string; chain?: ChainPlace };

/** The id of the first subscription of a chain. */
export const chainIdOf = ({ _id, chain }: ChainMember): string => chain?._id ?? _id;

export const isPending = ({ chain }: Pick<ChainMember, 'chain'>): boolean =>
  chain !== undefined && chain.switchedTime === undefined;

const generationOf = ({ chain }: ChainMember): number => chain?.generation ?? 0;

/**
 * The members of a chain that got the events one after the other, the newest first. The first of them gets the events
 * now. No time decides: the switch to a replacement is one update of its own document.
 */
const switchedTo = <M extends ChainMember>(members: readonly M[]): M[] =>
  members
    .filter((member) => !isPending(member))
    .toSorted((one, other) => generationOf(other) - generationOf(one));

/** The member of each chain that gets its events. If none was switched to, what they were to replace is deleted. */
export const currentMembers = <M extends ChainMember>(subscriptions: readonly M[]): M[] =>
  [...Map.groupBy(subscriptions, chainIdOf).values()].flatMap((members) => {
    const [pending] = members.toSorted((one, other) => generationOf(one) - generationOf(other));
    const current = switchedTo(members)[0] ?? pending;
    return current === undefined ? [] : [current];
  });

/** Finds the replacement that gets the events of a subscription, or got them before it was itself replaced. */
export const successorOf = <M extends ChainMember>(
  subscription: ChainMember,
  members: readonly M[],
): M | undefined =>
  switchedTo(members).findLast((member) => generationOf(member) > generationOf(subscription));

/** The members that got the events before this one. */
export const predecessorsOf = <M extends ChainMember>(
  subscription: ChainMember,
  members: readonly M[],
): M[] => members.filter((member) => generationOf(member) < generationOf(subscription));

/** A member that replaces this one, or is to replace it. */
export const replacementOf = <M extends ChainMember>(
  subscription: ChainMember,
  members: readonly M[],
): M | undefined => members.find((member) => generationOf(member) > generationOf(subscription));

/** The place of a new subscription that is to replace this one. */
export const placeAfter = (replaced: ChainMember & { createdTime: Date }): ChainPlace => ({
  _id: chainIdOf(replaced),
  createdTime: replaced.chain?.createdTime ?? replaced.createdTime,
  generation: generationOf(replaced) + 1,
  replaces: replaced._id,
});
