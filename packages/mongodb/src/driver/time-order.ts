/** The last row of a page, in a list that is sorted by time and then by `_id`. */
export type TimePosition = { time: Date; _id: string };

/**
 * Matches rows after a position: later ones (`$gt`) or, in a list that begins with the newest, earlier ones (`$lt`).
 * The caller adds a range of the field (`$gte` or `$lte`), because MongoDB derives no index bounds from `$or`.
 */
export const beyond = (field: string, comparison: '$gt' | '$lt', { time, _id }: TimePosition) => ({
  $or: [{ [field]: { [comparison]: time } }, { [field]: time, _id: { [comparison]: _id } }],
});
