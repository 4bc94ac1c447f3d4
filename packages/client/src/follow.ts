import { ChairsideError, invalid } from './errors.ts';
import type { Signal } from './globals.ts';
import type { Page } from './list.ts';
import type { RequestOptions } from './options.ts';
import type { ChairsideEvent, EventFilter } from './records.ts';
import { backoff, delayOf, isTemporary } from './retry.ts';
import type { Runtime } from './runtime.ts';

/** How long the log keeps an event, in milliseconds. */
const LOG_LIFE_MS = 30 * 24 * 60 * 60 * 1000;
/**
 * A reader that has reached the end of the log has seen all events that entered the log longer ago than this, in
 * milliseconds. The log lags by a second; the rest allows for differences between clocks.
 */
const MARGIN_MS = 60_000;
/** A `since` from this long before the present time of this computer on means now, in milliseconds. */
const NOW_MS = 1000;
/** A `since` that is later than this is no present time, whatever the difference between the clocks. */
const AHEAD_MS = 5 * 60_000;
const MIN_WAIT_MS = 1000;
const MAX_WAIT_MS = 10_000;
/** The longest wait after a failure without `Retry-After`, in milliseconds. */
const MAX_FAILURE_WAIT = 60_000;

/**
 * Where and how to follow the event log. Set `since`, `cursor` or both.
 *
 * @example
 * const options: FollowOptions = { since: new Date(), event: 'patient.created', signal: AbortSignal.timeout(60_000) };
 */
export interface FollowOptions
  extends Omit<EventFilter, 'since' | 'until' | 'order'>,
    Pick<RequestOptions, 'signal' | 'timeout'> {
  /**
   * Begins with the first event that entered the log at this time or later. At most 30 days ago. The present time, such
   * as `new Date()`, is read from the clock of the service, so the clock of this computer may be wrong.
   */
  since?: Date | string | undefined;
  /**
   * Where to continue: an {@link EventFollower.cursor} that you stored, or the `resumeCursor` of a page of events. A
   * cursor contains no patient data.
   */
  cursor?: string | undefined;
  /**
   * The wait at the end of the log before the next read, in milliseconds. With jitter, the actual wait is
   * between half of it and all of it. While there are no events, each wait is twice as long as the one before.
   * Default: 1000.
   */
  minWait?: number | undefined;
  /** The longest wait, in milliseconds. Default: 10,000. */
  maxWait?: number | undefined;
  /** Called for each temporary failure, after which the log is read again. */
  onFailure?: ((error: ChairsideError) => void) | undefined;
}

/** The last event that was yielded. The log is ordered by the time of entry, then by the id. */
type Last = readonly [loggedTime: string, id: string];

type Position = {
  /** The `since` filter of the requests. A next cursor of the API is valid only together with the same `since`. */
  since?: string | undefined;
  /** The cursor of the API for the next page. */
  cursor?: string | undefined;
  last?: Last | undefined;
  /** All events that entered the log before this time have been yielded; in milliseconds since 1970. */
  seenUntil?: number | undefined;
};

const PREFIX = 'v1.';

const seal = ({ since, cursor, last, seenUntil }: Position): string =>
  PREFIX +
  btoa(JSON.stringify([since, cursor, last, seenUntil])).replace(
    /[+/=]/g,
    (c) => ({ '+': '-', '/': '_' })[c] ?? '',
  );

/** Parses a cursor of a follower, or a cursor of the API. */
const unseal = (sealed: string): Position => {
  if (!sealed.startsWith(PREFIX)) return { cursor: sealed };
  try {
    const text = atob(sealed.slice(PREFIX.length).replaceAll('-', '+').replaceAll('_', '/'));
    const [since, cursor, last, seenUntil] = JSON.parse(text).map((value: unknown) => value ?? undefined);
    return { since, cursor, last, seenUntil };
  } catch {
    throw invalid('`cursor` must be complete, as the follower returned it.');
  }
};

const begin = ({ since, cursor }: FollowOptions): Position => {
  const position: Position = cursor === undefined ? {} : unseal(cursor);
  if (since === undefined) {
    if (cursor === undefined || cursor === '') throw invalid('Set `since` or `cursor`.');
    return position;
  }
  const time = new Date(since).getTime();
  if (Number.isNaN(time)) throw invalid('`since` must be a date, or a time in ISO 8601 with a zone.');
  // The values of the cursor take precedence over `since`, because the position of the cursor is later.
  return {
    ...position,
    since: position.since ?? (since instanceof Date ? since.toISOString() : since),
    seenUntil: position.seenUntil ?? time,
  };
};

const isAfter = ({ loggedTime, id }: ChairsideEvent, last: Last | undefined): boolean =>
  last === undefined || loggedTime > last[0] || (loggedTime === last[0] && id > last[1]);

const expired = (seenUntil: number): ChairsideError =>
  new ChairsideError({
    name: 'LogExpired',
    message: `The log keeps 30 days, so events since ${new Date(seenUntil).toISOString()} may be missing. Read the full lists, then follow from when you began.`,
  });

/** Requests one page of the log. */
export type ReadPage = (
  query: { since: string | undefined; cursor: string | undefined },
  options: RequestOptions,
) => Promise<Page<ChairsideEvent>>;

/** Requests the present time of the service, in milliseconds since 1970; undefined if the response does not show it. */
export type ReadTime = (options: RequestOptions) => Promise<number | undefined>;

/**
 * Yields the events of the log without end: see {@link Events.follow}.
 *
 * @example
 * const follower: EventFollower = chairside.events.follow({ since: new Date() });
 * for await (const event of follower) console.log(event.event, event.id, follower.cursor);
 */
export class EventFollower implements AsyncIterable<ChairsideEvent> {
  readonly #read: ReadPage;
  readonly #readTime: ReadTime;
  readonly #runtime: Runtime;
  readonly #options: FollowOptions;
  #position: Position;
  /** Whether the position is the present time by the clock of this computer. */
  #beginsNow: boolean;
  /** The number of consecutive failures, and of consecutive waits at the end of the log. */
  #failures = 0;
  #waits = 0;

  /** @internal */
  constructor(read: ReadPage, readTime: ReadTime, runtime: Runtime, options: FollowOptions) {
    this.#read = read;
    this.#readTime = readTime;
    this.#runtime = runtime;
    this.#options = options;
    this.#position = begin(options);
    const ahead = (this.#position.seenUntil ?? 0) - runtime.now();
    this.#beginsNow = options.cursor === undefined && ahead >= -NOW_MS && ahead <= AHEAD_MS;
  }

  /**
   * The position after the last event that was yielded. Store it when you have processed that event, and pass it to
   * `follow` after a restart. It also advances while there are no events. If there may be none for 30 days, store it
   * from time to time, because an older cursor is refused.
   *
   * @example
   * for await (const event of follower) {
   *   await work(event);
   *   await writeFile('cursor', follower.cursor);
   * }
   */
  get cursor(): string {
    return seal(this.#position);
  }

  /**
   * Throws if the log no longer contains all events after the position. Returns the current time, in milliseconds.
   *
   * @throws {ChairsideError} LogExpired
   */
  #refuseGap(page: Page<ChairsideEvent>): number {
    // The time of the service, if the header `Date` is readable. A script in a browser cannot read it from another
    // origin.
    const now = Date.parse(page.response.headers.get('date') ?? '') || this.#runtime.now();
    const { seenUntil } = this.#position;
    if (seenUntil !== undefined && seenUntil < now - LOG_LIFE_MS) throw expired(seenUntil);
    return now;
  }

  /** Moves the beginning by the difference between the clock of the service and the clock of this computer. */
  #moveBy(milliseconds: number): void {
    const seenUntil = (this.#position.seenUntil ?? 0) + milliseconds;
    this.#position = { since: new Date(seenUntil).toISOString(), seenUntil };
  }

  /** Reads the page at the position. Returns undefined if the page must be read again. */
  async #next(signal: Signal | undefined): Promise<Page<ChairsideEvent> | undefined> {
    const request = { signal, timeout: this.#options.timeout, retry: false } as const;
    try {
      if (this.#beginsNow) {
        const time = await this.#readTime(request);
        if (time !== undefined) this.#moveBy(time - this.#runtime.now());
        this.#beginsNow = false;
      }
      const { since, cursor } = this.#position;
      const page = await this.#read({ since, cursor }, request);
      this.#failures = 0;
      return page;
    } catch (error) {
      if (!(error instanceof ChairsideError)) throw error;
      if (this.#restarts(error)) return undefined;
      if (!isTemporary(error) && error.status !== 500) throw error;
      this.#options.onFailure?.(error);
      const { random, sleep } = this.#runtime;
      await sleep(delayOf(error, ++this.#failures, MAX_FAILURE_WAIT, random()), signal);
      return undefined;
    }
  }

  /**
   * Handles a cursor that the api refuses, for example because the encryption keys of the service have changed: the
   * next read begins at the time of the position. Returns whether this was possible.
   */
  #restarts({ status, issues }: ChairsideError): boolean {
    const { cursor, last, seenUntil } = this.#position;
    if (status !== 400 || cursor === undefined || !issues.some(({ path }) => path === 'cursor')) return false;
    const since = last?.[0] ?? (seenUntil === undefined ? undefined : new Date(seenUntil).toISOString());
    if (since === undefined) return false;
    this.#position = { since, last, seenUntil };
    return true;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ChairsideEvent, void, undefined> {
    const { signal, minWait = MIN_WAIT_MS, maxWait = MAX_WAIT_MS } = this.#options;
    for (;;) {
      const page = await this.#next(signal);
      if (page === undefined) continue;
      const now = this.#refuseGap(page);
      const events = page.data.filter((event) => isAfter(event, this.#position.last));
      for (const event of events) {
        const seenUntil = Date.parse(event.loggedTime);
        this.#position = { ...this.#position, last: [event.loggedTime, event.id], seenUntil };
        yield event;
        if (signal?.aborted) throw signal.reason;
      }
      this.#moveOn(page, now);
      if (page.nextCursor !== undefined) continue;
      this.#waits = events.length > 0 ? 1 : this.#waits + 1;
      const { random, sleep } = this.#runtime;
      await sleep(backoff(this.#waits, minWait, Math.max(minWait, maxWait), random()), signal);
    }
  }

  /** Moves the position to the end of a page whose events were all yielded. */
  #moveOn({ nextCursor, resumeCursor }: Page<ChairsideEvent>, now: number): void {
    const { since, cursor, last, seenUntil } = this.#position;
    this.#position = {
      // The resume cursor is valid without `since` and if the scopes of the key change; the next cursor is not. Without
      // both, the same page is read again, and the events that were already yielded are skipped.
      since: resumeCursor === undefined ? since : undefined,
      cursor: resumeCursor ?? nextCursor ?? cursor,
      last,
      seenUntil: nextCursor === undefined ? Math.max(seenUntil ?? 0, now - MARGIN_MS) : seenUntil,
    };
  }
}
