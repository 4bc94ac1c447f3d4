/** A text in every name and reminder. The database must not show it. */
export const CANARY = 'paradiesvogel';
