import type { Call } from './call.ts';
import {
  type ChangeOptions,
  type CreateOptions,
  change,
  createOnce,
  pathOf,
  read,
  remove,
  sendOnce,
} from './groups.ts';
import { List, type ListOptions } from './list.ts';
import type { RequestOptions } from './options.ts';
import type {
  CreatedWebhookSubscription,
  CreateWebhookRedelivery,
  CreateWebhookSubscription,
  ReplaceWebhookSubscription,
  UpdateWebhookSubscription,
  WebhookDelivery,
  WebhookDeliveryFilter,
  WebhookRedelivery,
  WebhookStatisticsFilter,
  WebhookStatisticsRow,
  WebhookSubscription,
} from './records.ts';
import type { Transport } from './transport.ts';

const SUBSCRIPTIONS = '/api/webhooksubscriptions';
const DELIVERIES = '/api/webhookdeliveries';

/**
 * Webhook subscriptions. They need the access token of an administrator.
 *
 * @example
 * const subscriptions: WebhookSubscriptions = chairside.webhookSubscriptions;
 */
export class WebhookSubscriptions {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Lists all subscriptions of the organization, without their secrets.
   *
   * @example
   * for await (const { url, active } of chairside.webhookSubscriptions.list()) console.log(url, active);
   */
  list(options?: RequestOptions): List<WebhookSubscription> {
    return new List(this.#transport, { path: SUBSCRIPTIONS, isPaged: false }, options);
  }

  /**
   * Reads one subscription, without its secret.
   *
   * @example
   * const { consecutiveFailures } = await chairside.webhookSubscriptions.get('sub_1');
   */
  get(id: string, options?: RequestOptions): Call<WebhookSubscription> {
    return read(this.#transport, options, () => pathOf(SUBSCRIPTIONS, id));
  }

  /**
   * Creates a subscription. Its secret is returned only here. The request is sent again only if it certainly did not
   * reach the service, because a repeated request would create a second subscription.
   *
   * @example
   * const { secret } = await chairside.webhookSubscriptions.create({ clinicId: 'cli_1', url: 'https://example.com/webhooks' });
   */
  create(fields: CreateWebhookSubscription, options?: RequestOptions): Call<CreatedWebhookSubscription> {
    return sendOnce(this.#transport, options, 'POST', () => SUBSCRIPTIONS, fields);
  }

  /**
   * Creates a subscription with a new secret that is to replace another one. It is not active. Its secret is returned only
   * here.
   *
   * Let the receiver accept both secrets, try the new one with `test`, and switch with `update(id, { active: true })`: each
   * event goes to exactly one of both subscriptions. What was queued is still sent with the old secret. Then delete the old
   * subscription.
   *
   * @example
   * const { _id, secret } = await chairside.webhookSubscriptions.replace('sub_1');
   */
  replace(
    id: string,
    changes: ReplaceWebhookSubscription = {},
    options?: RequestOptions,
  ): Call<CreatedWebhookSubscription> {
    return sendOnce(this.#transport, options, 'POST', () => SUBSCRIPTIONS, { ...changes, replaces: id });
  }

  /**
   * Changes the URL, the events, the payload, the fixed headers and `active`. `active: true` enables a subscription that was
   * disabled after failures. A header that is sent back as it was read keeps its value.
   *
   * @example
   * await chairside.webhookSubscriptions.update('sub_1', { active: true });
   */
  update(id: string, changes: UpdateWebhookSubscription, options?: ChangeOptions): Call<WebhookSubscription> {
    return change(this.#transport, options, () => pathOf(SUBSCRIPTIONS, id), changes);
  }

  /**
   * Deletes a subscription. After one second, no further attempt begins.
   *
   * @returns the deleted subscription
   * @example
   * await chairside.webhookSubscriptions.delete('sub_1');
   */
  delete(id: string, options?: ChangeOptions): Call<WebhookSubscription> {
    return remove(this.#transport, options, () => pathOf(SUBSCRIPTIONS, id));
  }

  /**
   * Sends a signed `test.ping` to the subscription.
   *
   * @returns its delivery, which has not ended yet
   * @example
   * const { _id } = await chairside.webhookSubscriptions.test('sub_1');
   */
  test(id: string, options?: RequestOptions): Call<WebhookDelivery> {
    return sendOnce(this.#transport, options, 'POST', () => pathOf(SUBSCRIPTIONS, id, '/test'));
  }

  /**
   * Redelivers the deliveries of a period in the background. Without `outcomes`, these are the deliveries that failed,
   * were interrupted or were skipped.
   *
   * @example
   * const { _id } = await chairside.webhookSubscriptions.redeliver('sub_1', { since: '2030-01-31T00:00:00Z' });
   */
  redeliver(id: string, which: CreateWebhookRedelivery, options?: CreateOptions): Call<WebhookRedelivery> {
    return createOnce(this.#transport, options, () => pathOf(SUBSCRIPTIONS, id, '/redeliver'), which);
  }

  /**
   * Reads the progress of {@link redeliver}.
   *
   * @example
   * const { state, made } = await chairside.webhookSubscriptions.redelivery('sub_1', 'red_1');
   */
  redelivery(id: string, redeliveryId: string, options?: RequestOptions): Call<WebhookRedelivery> {
    return read(this.#transport, options, () =>
      pathOf(pathOf(SUBSCRIPTIONS, id, '/redeliveries'), redeliveryId),
    );
  }

  /**
   * Stops a bulk redelivery. Deliveries that it has created are still sent.
   *
   * @returns the bulk redelivery
   * @example
   * await chairside.webhookSubscriptions.stopRedelivery('sub_1', 'red_1');
   */
  stopRedelivery(id: string, redeliveryId: string, options?: RequestOptions): Call<WebhookRedelivery> {
    return remove(this.#transport, options, () =>
      pathOf(pathOf(SUBSCRIPTIONS, id, '/redeliveries'), redeliveryId),
    );
  }

  /**
   * Lists the bulk redeliveries of a subscription, the newest first.
   *
   * @example
   * for await (const { state, made } of chairside.webhookSubscriptions.redeliveries('sub_1')) console.log(state, made);
   */
  redeliveries(id: string, options?: ListOptions): List<WebhookRedelivery> {
    const path = pathOf(SUBSCRIPTIONS, id, '/redeliveries');
    return new List(this.#transport, { path, isPaged: true }, options);
  }
}

/**
 * Webhook deliveries. They need the access token of an administrator.
 *
 * @example
 * const deliveries: WebhookDeliveries = chairside.webhookDeliveries;
 */
export class WebhookDeliveries {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Lists deliveries, the newest first: those of one subscription, or of all subscriptions. If the filter has no
   * `webhookSubscriptionId`, or has a `clinicId`, the list begins 24 hours ago unless you set `since`.
   *
   * A page may have fewer rows than `pageSize`, or none, although more follow.
   *
   * @example
   * const failed = chairside.webhookDeliveries.list({ webhookSubscriptionId: 'sub_1', outcome: 'failed' });
   * for await (const { cause, reason } of failed) console.log(cause, reason);
   */
  list(filter?: WebhookDeliveryFilter, options?: ListOptions): List<WebhookDelivery> {
    const { webhookSubscriptionId: id, ...query } = Object(filter) as WebhookDeliveryFilter;
    const source =
      id === undefined || query.clinicId !== undefined
        ? { path: DELIVERIES, query: filter }
        : { path: pathOf(SUBSCRIPTIONS, id, '/deliveries'), query };
    return new List(this.#transport, { ...source, isPaged: true }, options);
  }

  /**
   * Reads one delivery.
   *
   * @example
   * const { outcome, statusCode } = await chairside.webhookDeliveries.get('del_1');
   */
  get(id: string, options?: RequestOptions): Call<WebhookDelivery> {
    return read(this.#transport, options, () => pathOf(DELIVERIES, id));
  }

  /**
   * Sends the event of a delivery again, with the same bytes.
   *
   * @returns the new delivery, which has not ended yet
   * @example
   * const { _id } = await chairside.webhookDeliveries.redeliver('del_1');
   */
  redeliver(id: string, options?: CreateOptions): Call<WebhookDelivery> {
    return createOnce(this.#transport, options, () => pathOf(DELIVERIES, id, '/redeliver'));
  }
}

/**
 * The numbers of deliveries by hour. Reading them needs the access token of an administrator.
 *
 * @example
 * const statistics: WebhookStatistics = chairside.webhookStatistics;
 */
export class WebhookStatistics {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Lists the numbers of deliveries by outcome and duration, for each hour and subscription, the oldest hour first.
   * Without `since`, the list begins 24 hours before `until`.
   *
   * @example
   * for await (const { hour, failed } of chairside.webhookStatistics.list()) console.log(hour, failed);
   */
  list(filter?: WebhookStatisticsFilter, options?: ListOptions): List<WebhookStatisticsRow> {
    return new List(
      this.#transport,
      { path: '/api/webhookstatistics', query: filter, isPaged: true },
      options,
    );
  }
}
