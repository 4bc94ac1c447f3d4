/** The rows of the long list. */
export const PATIENTS = 100_000;
/** Maximum number of rows of a page. */
export const PAGE = 1000;
