import type { Chairside } from './client.ts';
import { ChairsideError } from './errors.ts';
import type { RequestOptions } from './options.ts';
import type {
  Clinic,
  ClinicSubscription,
  CreateWebhookSubscriptions,
  WebhookSubscription,
} from './records.ts';

/** The URL as every request sends it: `https://EXAMPLE.com` is `https://example.com/`. */
const sentTo = (url: string): string => (URL.canParse(url) ? new URL(url).href : url);

/** The URL and the events as text, the same for each spelling of the URL and each order of the events. */
const groupOf = ({ url, events = [] }: { url: string; events?: readonly string[] }): string =>
  JSON.stringify([sentTo(url), [...new Set(events)].sort()]);

/** What else a subscription sends, as text: its payload and the names of its headers, whose values nobody returns. */
const sendsOf = ({
  payload = 'full',
  headers = {},
}: Pick<CreateWebhookSubscriptions, 'payload' | 'headers'>) =>
  JSON.stringify([
    payload,
    Object.keys(headers)
      .map((name) => name.toLowerCase())
      .sort(),
  ]);

/** Statuses that refuse only one clinic, for example because it has the maximum number of subscriptions. */
const REFUSALS: readonly unknown[] = [400, 404, 409];

/**
 * Creates a subscription for each clinic, all with the same URL and events, and yields the result of one clinic after
 * the other. Each subscription has a secret of its own, which is returned only here: store it before you continue.
 *
 * A clinic that already has a subscription with this URL and these events keeps it. So you can call this function again
 * after a failure, and nothing is created twice. If that subscription has another payload or other headers, the result says
 * so, and the subscription stays as it is. A refusal of one clinic leaves the others. After another failure,
 * the rest of the clinics are not tried. If the connection broke, the subscription may exist although its secret is
 * lost. The next call reports it as kept; delete it then, and call this function once more.
 *
 * @throws {ChairsideError} if the clinics or the subscriptions cannot be read; then nothing was created
 * @example
 * for await (const result of createForClinics(chairside, { url: 'https://example.com/webhooks' }))
 *   console.log(result.clinic.name, result.outcome);
 */
export async function* createForClinics(
  { clinics, webhookSubscriptions }: Pick<Chairside, 'clinics' | 'webhookSubscriptions'>,
  fields: CreateWebhookSubscriptions,
  options?: RequestOptions,
): AsyncGenerator<ClinicSubscription, void, undefined> {
  // Both lists are read before the first request that changes something.
  const kept = new Map<string, WebhookSubscription>();
  for await (const one of webhookSubscriptions.list(options))
    if (groupOf(one) === groupOf(fields)) kept.set(one.clinicId, one);
  const all: Clinic[] = [];
  for await (const clinic of clinics.list({}, options)) all.push(clinic);

  let stopped = false;
  for (const clinic of all) {
    const subscription = kept.get(clinic._id);
    if (subscription !== undefined)
      yield { clinic, outcome: sendsOf(subscription) === sendsOf(fields) ? 'kept' : 'differs', subscription };
    else if (stopped) yield { clinic, outcome: 'untried' };
    else {
      let result: ClinicSubscription;
      try {
        const created = await webhookSubscriptions.create({ ...fields, clinicId: clinic._id }, options);
        result = { clinic, outcome: 'created', subscription: created };
      } catch (error) {
        if (!(error instanceof ChairsideError)) throw error;
        stopped = !REFUSALS.includes(error.status);
        result = { clinic, outcome: 'failed', error };
      }
      yield result;
    }
  }
}
