import { infoOf, type ResponseInfo } from './call.ts';
import { invalid } from './errors.ts';
import type { RequestOptions } from './options.ts';
import { followSignal } from './runtime.ts';
import type { Transport } from './transport.ts';

/** The maximum number of rows of a page. */
const MAX_PAGE = 1000;

/**
 * The options of a list.
 *
 * @example
 * const options: ListOptions = { pageSize: 100, signal: AbortSignal.timeout(60_000) };
 */
export interface ListOptions extends RequestOptions {
  /** The maximum number of rows of a page, from 1 to 1000. Default: 1000. */
  pageSize?: number | undefined;
}

/**
 * One page of a list.
 *
 * @example
 * const page: Page<Patient> = await chairside.patients.list().page();
 * console.log(page.data.length, page.nextCursor);
 */
export interface Page<T> {
  readonly data: T[];
  /** Where the next page begins. Absent on the last page. */
  readonly nextCursor: string | undefined;
  /**
   * Pages of events only, the last page included: the cursor with which a later request continues after this page.
   */
  readonly resumeCursor: string | undefined;
  readonly response: ResponseInfo;
}

export type ListSource = {
  path: string;
  query?: object | undefined;
  /** Whether the api paginates the list. Otherwise the whole list is one page. */
  isPaged: boolean;
  /** Whether the query is sent in the body of a POST, which no proxy writes into its log. */
  isSearch?: boolean;
};

const readPageSize = ({ pageSize = MAX_PAGE }: ListOptions): number => {
  if (Number.isInteger(pageSize) && pageSize >= 1 && pageSize <= MAX_PAGE) return pageSize;
  throw invalid(`\`pageSize\` must be a whole number from 1 to ${MAX_PAGE}.`);
};

/**
 * A list. It sends no request before it is read. Each iteration starts with the first page.
 *
 * It requests pages of 1,000 rows, or of `pageSize` rows. A list that the api does not paginate is one page. It
 * requests the next page while you process the current one. If a twentieth of the rate limit or less is left, it waits
 * for the end of the window before it requests a page.
 *
 * @example
 * for await (const patient of chairside.patients.list({ clinicId: 'cli_1' })) console.log(patient.name);
 *
 * const patients: List<Patient> = chairside.patients.list();
 * const all = await patients.toArray();
 */
export class List<T> implements AsyncIterable<T> {
  readonly #transport: Transport;
  readonly #source: ListSource;
  readonly #options: ListOptions;
  readonly #query: object;

  /** @internal */
  constructor(transport: Transport, source: ListSource, options: ListOptions = {}) {
    this.#transport = transport;
    this.#source = source;
    this.#options = options;
    this.#query = { ...source.query, ...(source.isPaged && { limit: readPageSize(options) }) };
  }

  /**
   * Requests one page, and no other.
   *
   * @param cursor the `nextCursor` of the previous page, with the same filter; absent for the first page
   * @example
   * const first = await chairside.patients.list({}, { pageSize: 20 }).page();
   * const second = await chairside.patients.list({}, { pageSize: 20 }).page(first.nextCursor);
   */
  page(cursor?: string): Promise<Page<T>> {
    return this.#page(cursor, this.#options);
  }

  async #page(cursor: string | undefined, options: RequestOptions): Promise<Page<T>> {
    await this.#transport.waitForRateLimit(options);
    const { path, isSearch } = this.#source;
    const query = { ...this.#query, cursor };
    const response = await this.#transport.send({
      path,
      ...(isSearch === true ? { method: 'POST', body: query } : { method: 'GET', query }),
      isRepeatable: true,
      options,
    });
    return {
      data: response.data as T[],
      nextCursor: response.headers.get('x-next-cursor') ?? undefined,
      resumeCursor: response.headers.get('x-resume-cursor') ?? undefined,
      response: infoOf(response),
    };
  }

  /**
   * Reads page by page. Requests the next page while you process the current one.
   *
   * @example
   * for await (const { data } of chairside.appointments.list().pages()) console.log(data.length);
   */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    const { controller, release } = followSignal(this.#options.signal);
    const options = { ...this.#options, signal: controller.signal } as RequestOptions;
    try {
      let next = this.#page(undefined, options);
      for (;;) {
        const page = await next;
        if (page.nextCursor === undefined) {
          yield page;
          return;
        }
        next = this.#page(page.nextCursor, options);
        // A failure is reported when the reader asks for this page.
        next.catch(() => {});
        yield page;
      }
    } finally {
      // Cancels the request in flight if the reader stops early.
      controller.abort();
      release();
    }
  }

  /** Reads row by row. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const { data } of this.pages()) yield* data;
  }

  /**
   * Reads all rows into memory, or the first `limit` rows.
   *
   * @param options.limit the maximum number of rows to read
   * @example
   * const tomorrow = await chairside.appointments.list({ startTime: new Date() }).toArray({ limit: 50 });
   */
  async toArray({ limit = Number.POSITIVE_INFINITY }: { limit?: number } = {}): Promise<T[]> {
    const rows: T[] = [];
    if (limit <= 0) return rows;
    for await (const { data } of this.pages()) {
      for (const row of data) {
        rows.push(row);
        if (rows.length >= limit) return rows;
      }
    }
    return rows;
  }
}
