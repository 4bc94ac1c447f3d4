import { ChairsideError } from './errors.ts';
import type {
  Clinic,
  ClinicSubscription,
  CreatedWebhookSubscription,
  CreateWebhookSubscriptions,
  WebhookSubscription,
} from './records.ts';

type Requests = {
  clinics: AsyncIterable<Clinic>;
  subscriptions: AsyncIterable<WebhookSubscription>;
  create(clinicId: string): PromiseLike<CreatedWebhookSubscription>;
};

/** The URL as every request sends it: `https://EXAMPLE.com` is `https://example.com/`. */
const sentTo = (url: string): string => (URL.canParse(url) ? new URL(url).href : url);

/** The URL and the events as text, the same for each spelling of the URL and each order of the events. */
const groupOf = ({ url, events = [] }: { url: string; events?: readonly string[] }): string =>
  JSON.stringify([sentTo(url), [...new Set(events)].sort()]);

/** Statuses that refuse only one clinic, for example because it has the maximum number of subscriptions. */
const REFUSALS: readonly unknown[] = [400, 404, 409];

/** Creates a subscription for each clinic that has none with this URL and these events. Its caller describes it. */
export async function* createForClinics(
  { clinics, subscriptions, create }: Requests,
  fields: CreateWebhookSubscriptions,
): AsyncGenerator<ClinicSubscription, void, undefined> {
  // Both lists are read before the first request that changes something.
  const kept = new Map<string, WebhookSubscription>();
  for await (const one of subscriptions) if (groupOf(one) === groupOf(fields)) kept.set(one.clinicId, one);
  const all: Clinic[] = [];
  for await (const clinic of clinics) all.push(clinic);

  let stopped = false;
  for (const clinic of all) {
    const subscription = kept.get(clinic._id);
    if (subscription !== undefined) yield { clinic, outcome: 'kept', subscription };
    else if (stopped) yield { clinic, outcome: 'untried' };
    else {
      let result: ClinicSubscription;
      try {
        result = { clinic, outcome: 'created', subscription: await create(clinic._id) };
      } catch (error) {
        if (!(error instanceof ChairsideError)) throw error;
        stopped = !REFUSALS.includes(error.status);
        result = { clinic, outcome: 'failed', error };
      }
      yield result;
    }
  }
}
