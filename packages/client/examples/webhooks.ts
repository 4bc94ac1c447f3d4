import type { Chairside, WebhookDelivery } from '@chairside/client';

/** Subscribes to the events of a clinic, and sends a test. */
export async function subscribe(chairside: Chairside, clinicId: string, url: string) {
  const { _id, secret } = await chairside.webhookSubscriptions.create({
    clinicId,
    url,
    events: ['patient.*'],
  });
  const test = await chairside.webhookSubscriptions.test(_id);
  // Store the secret: no later response contains it.
  return { _id, secret, test };
}

/** Redelivers each failed delivery of the last hour. Returns the redeliveries. */
export async function redeliverFailed(chairside: Chairside, webhookSubscriptionId: string) {
  const since = new Date(Date.now() - 3_600_000);
  const failed = chairside.webhookDeliveries.list({ webhookSubscriptionId, outcome: 'failed', since });
  const again: WebhookDelivery[] = [];
  for await (const { _id } of failed) again.push(await chairside.webhookDeliveries.redeliver(_id));
  return again;
}
