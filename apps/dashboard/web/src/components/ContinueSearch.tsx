import { PAGE_SIZE } from '../api/page-size.ts';

type Page = { data: readonly unknown[]; nextCursor?: string | undefined };

/** Explains a page with few rows: the api stopped after examining many, although there may be more matches. */
export const ContinueSearch = ({ page }: { page: Page | undefined }) =>
  page?.nextCursor !== undefined && page.data.length < PAGE_SIZE ? (
    <p role="status">There are many rows, and not all were searched. “Next page” continues the search.</p>
  ) : null;
