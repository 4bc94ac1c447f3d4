/** Where a page ended of a list in the order of a time, and of `_id` where that is the same. */
export type TimePosition = { time: Date; _id: string };

/**
 * What comes after a position: what is later (`$gt`), or in a list that begins with the newest what is earlier (`$lt`).
 * The caller adds a range of the field (`$gte` or `$lte`): MongoDB takes no bounds of an index scan from `$or`.
 */
export const beyond = (field: string, comparison: '$gt' | '$lt', { time, _id }: TimePosition) => ({
  $or: [{ [field]: { [comparison]: time } }, { [field]: time, _id: { [comparison]: _id } }],
});
