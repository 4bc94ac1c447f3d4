/** A document that stores facts which somebody is to be told. */
export type Noticed = {
  /**
   * When to look for facts of this document that were not told; absent if there are none. It is never later than the time of
   * the oldest of them, unless that waits for a certain time. One that is too early costs a look.
   */
  noticeAt?: Date;
};

/**
 * The times of a fact that may happen again before it is told. It waits for further ones from `since` on, and `time` tells the
 * last one.
 */
export type UntoldTimes = { since: Date; time: Date };

/** Matches documents with facts. It is a range for the reason that `hasOutbox` has (outbox.ts). */
export const hasNotice = { noticeAt: { $gt: new Date(0) } };
