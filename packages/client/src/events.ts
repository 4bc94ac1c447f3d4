import type { Call } from './call.ts';
import { EventFollower, type FollowOptions } from './follow.ts';
import { pathOf, read } from './groups.ts';
import { List, type ListOptions } from './list.ts';
import type { RequestOptions } from './options.ts';
import type { ChairsideEvent, EventFilter } from './records.ts';
import type { Transport } from './transport.ts';

const PATH = '/api/events';

/**
 * The event log: the events of the last 30 days.
 *
 * @example
 * const events: Events = chairside.events;
 */
export class Events {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Lists the events up to now, in the order in which they entered the log, or the newest first. A key sees only
   * the events of records that it can read.
   *
   * @example
   * const filter = { event: 'patient.deleted', since: new Date(Date.now() - 3_600_000) } as const;
   * for await (const event of chairside.events.list(filter)) console.log(event.data);
   */
  list(filter?: EventFilter, options?: ListOptions): List<ChairsideEvent> {
    return new List(this.#transport, { path: PATH, query: filter, isPaged: true }, options);
  }

  /**
   * Reads one event.
   *
   * @example
   * const { event, data } = await chairside.events.get('evt_1');
   */
  get(id: string, options?: RequestOptions): Call<ChairsideEvent> {
    return read(this.#transport, options, () => pathOf(PATH, id));
  }

  /**
   * Follows the log: yields the events that match the filter, in order and without end. An event appears in the log one
   * to two seconds after the write. The next read yields it: see `minWait` and `maxWait`. No event is missed or
   * repeated. It continues after network failures and restarts of the service. It ends with an error if the api refuses
   * a request, for example because the credential is no longer valid, if `since` or `cursor` is older than the 30 days
   * of the log (`LogExpired`), or if `signal` is aborted.
   *
   * Store {@link EventFollower.cursor} after each event that you have processed, and pass it to `follow` after a
   * restart. If your program crashes after it has processed an event and before it has stored the cursor, it gets that
   * event again: deduplicate by `id`.
   *
   * @example
   * const follower = chairside.events.follow({ since: new Date() });
   * for await (const event of follower) {
   *   if (event.event === 'patient.created') console.log(event.data.name);
   *   await writeFile('cursor', follower.cursor);
   * }
   */
  follow(options: FollowOptions): EventFollower {
    const { since: _, cursor: __, minWait, maxWait, onFailure, signal, timeout, ...filter } = options;
    return new EventFollower(
      ({ since, cursor }, request) => this.list({ ...filter, since }, request).page(cursor),
      async (request) => {
        const { response } = await read(this.#transport, request, () => '/health/live').withResponse();
        return Date.parse(response.headers.get('date') ?? '') || undefined;
      },
      this.#transport.runtime,
      options,
    );
  }
}
