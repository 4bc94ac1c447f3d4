/*
 * The statistics of an hour are computed when the hour is closed. If the outcome of a delivery changes or is stored
 * after that, the field `reopened` of the delivery gets a time of each hour that must be computed again. The statement
 * that changes the delivery also sets the field, so the field needs no write of its own and cannot be lost.
 */

/**
 * Matches deliveries that reopen an hour. The condition is a range instead of `$exists`, and is the same as that of the
 * partial index: see `hasOutbox`.
 */
export const isReopened = { reopened: { $gt: new Date(0) } };

/** An outcome that is stored more than this time after it became known may belong to a closed hour. */
const LATE_MS = 60_000;

/** An expression that adds times to the field `reopened`. */
const reopenedAt = (times: readonly unknown[]) => ({
  $concatArrays: [{ $ifNull: ['$reopened', []] }, [...times]],
});
/** An expression that keeps the field `reopened` as it is, or absent. */
export const keptReopened = { $ifNull: ['$reopened', '$$REMOVE'] };

/**
 * The new value of `reopened` for a delivery that gets an outcome. If the outcome replaces `interrupted`, the hour of
 * the interruption must be computed again. Every other outcome is counted when its hour is closed, unless it is stored
 * too late for that.
 */
export const reopenedBy = (now: Date) => {
  const isLate = { $lt: [now, { $subtract: ['$$NOW', LATE_MS] }] };
  const isChange = { $or: [{ $eq: ['$status', 'interrupted'] }, isLate] };
  return {
    $cond: [isChange, reopenedAt([{ $ifNull: ['$finalTime', now] }, now]), keptReopened],
  };
};

/** The stages of an update that requeues deliveries. The hours of deliveries that were final must be computed again. */
export const requeued = (fields: readonly string[]) => [
  {
    $set: {
      status: 'queued',
      reopened: { $cond: [{ $gt: ['$finalTime', null] }, reopenedAt(['$finalTime']), keptReopened] },
    },
  },
  { $unset: [...fields] },
];
