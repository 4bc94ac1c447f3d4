import type { Service } from './service.ts';

/** A bulk redelivery as requested. Its `since` is unique within its subscription. */
export type Bulk = {
  subscriptionId: string;
  since: string;
  outcomes: readonly string[];
  /** The id of the bulk redelivery from the response of 200; undefined if there was none. */
  id: string | undefined;
  /** The reason if the api refused it. */
  refusal: string | undefined;
};

/** The bulk redeliveries that the operator requests. */
export type BulkRequests = {
  readonly all: readonly Bulk[];
  /** Adds a bulk redelivery, which `send` requests. */
  add(bulk: Pick<Bulk, 'subscriptionId' | 'since' | 'outcomes'>): void;
  /** Sends the requests that have no response yet, and sends them again if they get none. */
  send(): Promise<void>;
  /** Whether a request has no response yet. */
  areOpen(): boolean;
};

export const createBulkRequests = (
  call: Service['call'],
  headers: Readonly<Record<string, string>>,
): BulkRequests => {
  const all: Bulk[] = [];
  const open = () => all.filter(({ id, refusal }) => id === undefined && refusal === undefined);

  /** Sends an idempotency key, so that the request can be retried until it gets a response. */
  const ask = async (bulk: Bulk): Promise<void> => {
    const { subscriptionId, since, outcomes } = bulk;
    const key = { ...headers, 'idempotency-key': `${subscriptionId} ${since}` };
    const path = `/api/webhooksubscriptions/${subscriptionId}/redeliver`;
    const response = await call('POST', path, { since, outcomes }, key);
    if (response.status === 200) bulk.id = response.json._id;
    // A subscription allows ten in an hour. Nothing was created.
    else if (response.status === 429) all.splice(all.indexOf(bulk), 1);
    else if (response.status < 500 && response.status !== 409) bulk.refusal = response.json.message;
  };

  return {
    all,
    add: (bulk) => void all.push({ ...bulk, id: undefined, refusal: undefined }),
    async send() {
      for (const bulk of open()) await ask(bulk);
    },
    areOpen: () => open().length > 0,
  };
};
