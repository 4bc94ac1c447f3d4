import type { WebhookDelivery } from '@chairside/client';
import { useQuery } from '@tanstack/react-query';
import { Problem } from '../components/Problem.tsx';
import { bodyOf } from '../event-log/body.ts';
import { eventQuery } from '../event-log/requests.ts';

/** The headers of the request, as far as they can be reconstructed. */
const headersOf = ({ _id, event, eventId }: WebhookDelivery): string =>
  [
    'Content-Type: application/json',
    'User-Agent: Chairside-Webhooks/1.0',
    `X-Service-Event: ${event}`,
    'X-Service-Signature: not stored',
    `X-Service-Event-Id: ${eventId}`,
    `X-Service-Delivery-Id: ${_id}`,
  ].join('\n');

/** The request that was sent. Its body is that of the event; its headers are reconstructed. */
export const SentRequest = ({ delivery }: { delivery: WebhookDelivery }) => {
  const isTest = delivery.kind === 'test';
  const { data, error, isPending } = useQuery({ ...eventQuery(delivery.eventId), enabled: !isTest });
  return (
    <section aria-labelledby="sent">
      <h2 id="sent">What was sent</h2>
      <h3>Headers (reconstructed)</h3>
      <pre>{headersOf(delivery)}</pre>
      <h3>Body</h3>
      <Problem error={error} />
      {isTest && <p className="quiet">A test sends the event test.ping, which has no record.</p>}
      {!isTest && isPending && <p role="status">Loading the event…</p>}
      {data !== undefined && <pre>{bodyOf(data)}</pre>}
    </section>
  );
};
