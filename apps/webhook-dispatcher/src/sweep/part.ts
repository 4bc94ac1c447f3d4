/** The number of items that the counted parts found, by part. */
export type Found = {
  unpublished: number;
  deadLanes: number;
  requestedLanes: number;
  interrupted: number;
  expired: number;
};

/** The time during one round of a part. */
export type RoundClock = {
  /** The database's time. */
  now(): Date;
  /** The database's time this many milliseconds ago. */
  ago(milliseconds: number): Date;
  /** Whether the round may begin another step: the lease is held, and the time of the round is not over. */
  mayContinue(): boolean;
};

/** One kind of work that the sweep does. */
export type SweepPart = {
  name: keyof Found | 'redeliveries' | 'statistics' | 'programTokens' | 'drafts';
  /**
   * Does work that is due. The number of its documents and the time are limited; the next round does the rest.
   *
   * @returns the number of items found; undefined if this part is not counted
   */
  round(clock: RoundClock): Promise<number | undefined>;
};
