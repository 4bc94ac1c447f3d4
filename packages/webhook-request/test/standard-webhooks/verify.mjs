import { createInterface } from 'node:readline';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';

for await (const line of createInterface({ input: process.stdin })) {
  const { secret, body, headers } = JSON.parse(line);
  try {
    new Webhook(secret).verify(body, headers);
    console.log('accept');
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    console.log('refuse');
  }
}
