/** The number of rows of a page of a list. */
export const PAGE_SIZE = 50;
