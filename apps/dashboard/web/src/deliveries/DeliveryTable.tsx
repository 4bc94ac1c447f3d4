import type { WebhookDelivery } from '@chairside/client';
import { Link } from '@tanstack/react-router';
import { ScrollTable } from '../components/ScrollTable.tsx';
import { Time } from '../components/Time.tsx';
import { CAUSES } from './cure.ts';
import { Outcome } from './Outcome.tsx';

/** Deliveries as rows, the newest first. */
export const DeliveryTable = ({ deliveries }: { deliveries: readonly WebhookDelivery[] }) => (
  <ScrollTable
    label="Table of deliveries"
    columns={['Created', 'Event', 'Outcome', 'Cause', 'Status', 'Duration']}
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
        <td>
          <Outcome outcome={delivery.outcome} />
        </td>
        <td>{delivery.cause !== undefined && CAUSES[delivery.cause]}</td>
        <td>{delivery.statusCode}</td>
        <td className="number">{delivery.duration !== undefined && `${Math.round(delivery.duration)} ms`}</td>
      </tr>
    ))}
  </ScrollTable>
);
