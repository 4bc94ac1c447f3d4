import type { WebhookDelivery } from '@chairside/client';
import { useQuery } from '@tanstack/react-query';
import { Card } from '../../components/page-parts/Card.tsx';
import { Problem } from '../../components/states/Problem.tsx';
import { Waiting } from '../../components/states/Waiting.tsx';
import { CopyButton } from '../../components/texts/CopyText.tsx';
import { Preformatted } from '../../components/texts/Preformatted.tsx';
import { visibleText } from '../../components/texts/visible-text.ts';
import { bodyOf } from '../../events/body.ts';
import { eventQuery } from '../../events/requests.ts';
import { Headers } from './Headers.tsx';

/** The headers of the request, as far as they can be reconstructed: without the fixed ones of the subscription. */
const headersOf = ({ _id, subscriptionId, event, eventId }: WebhookDelivery): Record<string, string> => ({
  'Content-Type': 'application/json',
  'User-Agent': 'Chairside-Webhooks/1.0',
  'X-Service-Event': event,
  'X-Service-Signature': 'not stored',
  'X-Service-Event-Id': eventId,
  'X-Service-Delivery-Id': _id,
  'X-Service-Subscription-Id': subscriptionId,
  'Webhook-Id': eventId,
  'Webhook-Timestamp': 'not stored',
  'Webhook-Signature': 'not stored',
});

/** The request that was sent. Its body is that of the event; its headers are reconstructed. */
export const SentRequest = ({ delivery }: { delivery: WebhookDelivery }) => {
  const isTest = delivery.kind === 'test';
  const { data, error, isPending } = useQuery({ ...eventQuery(delivery.eventId), enabled: !isTest });
  return (
    <Card
      title="What was sent"
      {...(data !== undefined && { end: <CopyButton of="the body" text={bodyOf(data, delivery.payload)} /> })}
    >
      {delivery.url !== undefined && (
        <p>
          <code>POST {visibleText(delivery.url)}</code>
        </p>
      )}
      <h3>Headers (reconstructed, without the fixed ones of the subscription)</h3>
      <Headers headers={headersOf(delivery)} />
      <h3>Body</h3>
      <Problem error={error} />
      {isTest && <p className="quiet">A test sends the event test.ping, which has no record.</p>}
      {!isTest && isPending && <Waiting of="the event" />}
      {data !== undefined && <Preformatted>{bodyOf(data, delivery.payload)}</Preformatted>}
    </Card>
  );
};
