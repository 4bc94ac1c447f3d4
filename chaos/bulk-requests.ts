import type { Service } from './service.ts';

/** The request of a bulk redelivery. Its `since` is unique within its subscription. */
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
  /** Adds a request, which `send` sends. */
  add(bulk: Pick<Bulk, 'subscriptionId' | 'since' | 'outcomes'>): void;
  /** Sends each request that has neither succeeded nor been refused. */
  send(): Promise<void>;
  /** Whether a request has neither succeeded nor been refused. */
  areOpen(): boolean;
};

export const createBulkRequests = (
  call: Service['call'],
  headers: Readonly<Record<string, string>>,
): BulkRequests => {
  const all: Bulk[] = [];
  const open = () => all.filter(({ id, refusal }) => id === undefined && refusal === undefined);

  /** Sends the request with an idempotency key, so that it can be retried. */
  const ask = async (bulk: Bulk): Promise<void> => {
    const { subscriptionId, since, outcomes } = bulk;
    const key = { ...headers, 'idempotency-key': `${subscriptionId} ${since}` };
    const path = `/api/webhooksubscriptions/${subscriptionId}/redeliver`;
    const response = await call('POST', path, { since, outcomes }, key);
    if (response.status === 200) bulk.id = response.json._id;
    // The api accepts ten bulk redeliveries of a subscription in an hour. Nothing was created.
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
