import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditEntry } from '@chairside/domain';
import { ServiceError } from '@chairside/domain';
import { stringify } from 'csv-stringify/sync';
import type { ApiPage } from '../api.ts';

/** The names of operators, keys and program tokens by their ids. */
export type Names = ReadonlyMap<string, string>;

/** The columns of the file, each with a function that returns its cell for an entry. */
const COLUMNS: Readonly<Record<string, (entry: AuditEntry, names: Names) => string | number | undefined>> = {
  _id: ({ _id }) => _id,
  time: ({ time }) => time,
  principalKind: ({ principal }) => principal.kind,
  principalId: ({ principal }) => principal.id,
  action: ({ action }) => action,
  kind: ({ kind }) => kind,
  ids: ({ ids }) => ids.join(' '),
  result: ({ result }) => result,
  address: ({ address }) => address,
  changes: ({ changes }) => changes && JSON.stringify(changes),
  count: ({ count }) => count,
  part: ({ part }) => part,
  requestId: ({ requestId }) => requestId,
  // It is the last, so that a program that counts columns finds the others.
  principalName: ({ principal }, names) => names.get(principal.id),
};

const cells = Object.values(COLUMNS);

/** Formats rows as CSV (RFC 4180). */
const linesOf = (rows: readonly (readonly unknown[])[]): string =>
  stringify(rows as unknown[][], {
    record_delimiter: '\r\n',
    // A spreadsheet takes a cell that begins with =, +, -, @, tab or CR for a formula.
    escape_formulas: true,
    // By default, the library quotes a cell with CR LF, but not a cell with CR or LF alone. Many programs begin a new
    // row at either.
    quoted_match: /[\r\n]/,
  });

/** Maximum number of requests for one page while the api responds with 429 or 503. */
const MAX_ATTEMPTS = 5;
/** The longest wait before the next attempt, in seconds: the window of the api's rate limit. */
const MAX_WAIT = 60;

/**
 * Reads a page after the first one. The file has already begun, so a 429 or 503 cannot be shown. The request is
 * repeated after a wait.
 */
const readPatiently = async (read: () => Promise<ApiPage>, signal: AbortSignal): Promise<ApiPage> => {
  for (let attempt = 1; ; attempt++) {
    const page = await read();
    if (page.status === 200) return page;
    const mayWait = page.status === 429 || page.status === 503;
    if (!mayWait || attempt === MAX_ATTEMPTS)
      throw new ServiceError(`the api refused a page of the download with status ${page.status}`);
    const seconds = Math.min(Math.max(Number(page.retryAfter) || 1, 1), MAX_WAIT);
    await sleep(seconds * 1000, undefined, { signal });
  }
};

/** The rows of a page as CSV. While a slow reader takes the rows, only this text stays in memory, not the page. */
const asText = ({ body, nextCursor }: ApiPage, names: Names): { text: string; nextCursor: string | null } => {
  const entries = body as AuditEntry[];
  return { text: linesOf(entries.map((entry) => cells.map((cellOf) => cellOf(entry, names)))), nextCursor };
};

/**
 * Yields the audit entries as CSV, page by page. The next page is requested when the reader has taken the previous one,
 * so at most one page is in memory.
 *
 * @param first the first page
 * @param readNext reads the page that begins at a cursor
 * @param names the column `principalName` is empty for an id that is not in it
 * @param signal ends a wait
 * @throws {Error} if a page cannot be read; the file then remains incomplete
 */
export async function* auditEntriesAsCsv(
  first: ApiPage,
  readNext: (cursor: string) => Promise<ApiPage>,
  names: Names,
  signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  yield linesOf([Object.keys(COLUMNS)]);
  let { text, nextCursor } = asText(first, names);
  while (true) {
    if (text !== '') yield text;
    if (nextCursor === null) return;
    const cursor = nextCursor;
    ({ text, nextCursor } = asText(await readPatiently(() => readNext(cursor), signal), names));
  }
}
