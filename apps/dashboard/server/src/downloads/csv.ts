import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '@chairside/domain';
import { stringify } from 'csv-stringify/sync';
import type { ApiPage } from '../api.ts';

/** The names of what a file refers to, by their ids. */
export type Names = ReadonlyMap<string, string>;

/** The columns of a file, each with a function that returns its cell for a row of the list. */
export type Columns<Row> = Readonly<Record<string, (row: Row, names: Names) => string | number | undefined>>;

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

type List<Row> = {
  columns: Columns<Row>;
  first: ApiPage;
  /** Reads the page that begins at a cursor. */
  readNext(cursor: string): Promise<ApiPage>;
  /** A column of names is empty for an id that is not in it. */
  names: Names;
  /** Ends a wait. */
  signal: AbortSignal;
  /** The most rows of a file. Without it, the file has all. */
  maxRows?: number;
};

/** The rows of a page as CSV. While a slow reader takes the rows, only this text stays in memory, not the page. */
const asText = <Row>(
  { columns, names }: List<Row>,
  { body, nextCursor }: ApiPage,
  max: number,
): { text: string; count: number; isCut: boolean; nextCursor: string | null } => {
  const all = body as Row[];
  const rows = all.slice(0, max);
  const cells = Object.values(columns);
  return {
    text: linesOf(rows.map((row) => cells.map((cellOf) => cellOf(row, names)))),
    count: rows.length,
    isCut: all.length > max,
    nextCursor,
  };
};

/** The last row of a file that does not contain all rows of its list, as long as the others. */
const cutRow = <Row>({ columns, maxRows }: List<Row>): string[] =>
  Object.keys(columns).map((_, index) =>
    index === 0 ? `This file ends after ${maxRows} rows. Choose a shorter time for the others.` : '',
  );

/**
 * Yields a list as CSV, page by page. The next page is requested when the reader has taken the previous one, so at most
 * one page is in memory.
 *
 * @throws {Error} if a page cannot be read; the file then remains incomplete
 */
export async function* listAsCsv<Row>(list: List<Row>): AsyncGenerator<string, void, undefined> {
  const { columns, first, readNext, signal, maxRows = Number.POSITIVE_INFINITY } = list;
  yield linesOf([Object.keys(columns)]);
  let left = maxRows;
  let page = asText(list, first, left);
  while (true) {
    const { text, count, nextCursor } = page;
    left -= count;
    if (text !== '') yield text;
    // Without rows left, one more page shows whether there are others.
    if (page.isCut) return yield linesOf([cutRow(list)]);
    if (nextCursor === null) return;
    page = asText(list, await readPatiently(() => readNext(nextCursor), signal), left);
  }
}
