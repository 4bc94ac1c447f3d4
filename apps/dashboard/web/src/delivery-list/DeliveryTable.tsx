import type { WebhookDelivery } from '@chairside/client';
import { CAUSES } from '@chairside/client/words';
import { Link } from '@tanstack/react-router';
import { ScrollTable } from '../components/ScrollTable.tsx';
import { Time } from '../components/Time.tsx';
import { Outcome } from '../outcomes/Outcome.tsx';

/**
 * Deliveries as rows, the newest first.
 *
 * @param props.receiverOf returns the URL of a subscription; without it, the table has no column of subscriptions
 */
export const DeliveryTable = ({
  deliveries,
  receiverOf,
}: {
  deliveries: readonly WebhookDelivery[];
  receiverOf?: (subscriptionId: string) => string;
}) => (
  <ScrollTable
    label="Table of deliveries"
    columns={[
      'Created',
      'Event',
      ...(receiverOf === undefined ? [] : ['Subscription']),
      'Outcome',
      'Cause',
      { number: 'Status' },
      { number: 'Duration' },
    ]}
  >
    {deliveries.map((delivery) => (
      <tr key={delivery._id}>
        <td>
          <Link to="/deliveries/$deliveryId" params={{ deliveryId: delivery._id }}>
            <Time value={delivery.createdTime} />
          </Link>
        </td>
        <td>
          {delivery.event}
          {delivery.kind !== 'event' && <span className="quiet"> ({delivery.kind})</span>}
        </td>
        {receiverOf !== undefined && <td className="url">{receiverOf(delivery.subscriptionId)}</td>}
        <td>
          <Outcome outcome={delivery.outcome} />
        </td>
        <td>{delivery.cause !== undefined && CAUSES[delivery.cause]}</td>
        <td className="number">{delivery.statusCode}</td>
        <td className="number">{delivery.duration !== undefined && `${Math.round(delivery.duration)} ms`}</td>
      </tr>
    ))}
  </ScrollTable>
);
