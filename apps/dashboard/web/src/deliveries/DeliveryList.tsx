import type { WebhookDelivery } from '@chairside/client';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { List } from '../components/lists/List.tsx';
import type { Column } from '../components/lists/Table.tsx';
import { Chip } from '../components/texts/Chip.tsx';
import { CopyId } from '../components/texts/CopyText.tsx';
import { Middle } from '../components/texts/Middle.tsx';
import { durationText } from '../components/texts/numbers.ts';
import { Receiver } from '../components/texts/Receiver.tsx';
import { Time } from '../components/texts/Time.tsx';
import { tip } from '../components/texts/tip.ts';
import { answerOf, Outcome } from './Outcome.tsx';
import { repairedIn, together } from './together.ts';

const KINDS: Readonly<Record<WebhookDelivery['kind'], string | undefined>> = {
  event: undefined,
  redelivery: 'Redelivery',
  test: 'Test',
};

const Kind = ({ delivery: { kind }, isRepaired }: { delivery: WebhookDelivery; isRepaired: boolean }) => {
  if (isRepaired) return <Chip tone="good">Redelivered</Chip>;
  return KINDS[kind] === undefined ? null : <Chip tone="plain">{KINDS[kind]}</Chip>;
};

const columnsOf = (
  receiverOf: ((subscriptionId: string) => string) | undefined,
  clinicName: ((clinicId: string) => string) | undefined,
  repaired: ReadonlySet<string>,
): Column<WebhookDelivery>[] => [
  { name: 'Outcome', cell: ({ outcome }) => <Outcome outcome={outcome} />, card: '1' },
  {
    name: 'Event',
    cell: (delivery) => (
      <>
        <Link className="row-link" to="/deliveries/$deliveryId" params={{ deliveryId: delivery._id }}>
          {delivery.event}
        </Link>
        <Kind delivery={delivery} isRepaired={repaired.has(delivery._id)} />
      </>
    ),
    isHeader: true,
    card: '2w',
    ...(receiverOf === undefined && { grow: 2 as const }),
  },
  ...(receiverOf === undefined
    ? []
    : [
        {
          name: 'Receiver',
          cell: ({ subscriptionId, url }: WebhookDelivery) => (
            <Receiver url={url ?? receiverOf(subscriptionId)} />
          ),
          grow: 2 as const,
          card: '3w' as const,
        },
      ]),
  ...(clinicName === undefined
    ? []
    : [
        {
          name: 'Clinic',
          cell: ({ clinicId }: WebhookDelivery) => <Middle>{clinicName(clinicId)}</Middle>,
          grow: 1 as const,
          from: 'medium' as const,
        },
      ]),
  {
    name: 'Answer',
    cell: (delivery) => {
      const answer = answerOf(delivery);
      return answer !== undefined && <span {...tip(delivery.reason ?? answer)}>{answer}</span>;
    },
    grow: 1,
    card: '4w',
  },
  {
    name: 'Duration',
    cell: ({ duration }) => duration !== undefined && durationText(duration),
    isNumber: true,
    from: 'medium',
  },
  { name: 'Created', cell: ({ createdTime }) => <Time value={createdTime} />, isNumber: true, card: '1r' },
  { name: 'Id', cell: ({ _id }) => <CopyId id={_id} of="the id of the delivery" />, from: 'wide' },
];

/**
 * Deliveries as a list, the newest first, with the attempts of one event for one subscription together.
 *
 * @param props.receiverOf returns the URL of a subscription; without it, the list has no column of receivers
 * @param props.clinicName returns the name of a clinic; without it, the list has no column of clinics
 */
export const DeliveryList = ({
  query,
  deliveries,
  receiverOf,
  clinicName,
  empty,
}: {
  query: { error: unknown; refetch(): unknown };
  deliveries: readonly WebhookDelivery[] | undefined;
  receiverOf?: (subscriptionId: string) => string;
  clinicName?: (clinicId: string) => string;
  empty: ReactNode;
}) => (
  <List
    of="deliveries"
    query={query}
    rows={deliveries && together(deliveries)}
    columns={columnsOf(receiverOf, clinicName, repairedIn(deliveries ?? []))}
    keyOf={({ _id }) => _id}
    empty={empty}
  />
);
