/** The rows of the long list. */
export const PATIENTS = 100_000;
/** The most rows of a page. */
export const PAGE = 1000;
