import { useQuery } from '@tanstack/react-query';
import { Pager } from '../components/Pager.tsx';
import { DeliveryTable } from '../deliveries/DeliveryTable.tsx';
import { deliveriesQuery } from '../deliveries/requests.ts';
import type { DeliverySearch } from '../deliveries/search.ts';
import { Problem } from '../layout/Problem.tsx';

const MONTH = 30 * 24 * 60 * 60_000;

/** The deliveries of one subscription, as long as they are kept. */
export const SubscriptionDeliveries = ({
  subscriptionId,
  search,
  onChange,
}: {
  subscriptionId: string;
  search: Pick<DeliverySearch, 'outcome' | 'cause' | 'cursor'>;
  onChange(cursor: string | undefined): void;
}) => {
  const { outcome, cause, cursor } = search;
  // The start of a day, so that the query stays the same while the page is open.
  const since = new Date(Math.floor((Date.now() - MONTH) / 86_400_000) * 86_400_000).toISOString();
  const { data, error, isPending } = useQuery(
    deliveriesQuery({
      webhookSubscriptionId: subscriptionId,
      since,
      ...(outcome !== undefined && { outcome }),
      ...(cause !== undefined && { cause }),
      ...(cursor !== undefined && { cursor }),
    }),
  );
  return (
    <>
      <Problem error={error} />
      {isPending && <p role="status">Loading deliveries…</p>}
      {data?.data.length === 0 && <p className="empty">There is no delivery yet.</p>}
      {data !== undefined && data.data.length > 0 && <DeliveryTable deliveries={data.data} />}
      <Pager
        isFirst={cursor === undefined}
        next={data?.nextCursor}
        onFirst={() => onChange(undefined)}
        onNext={onChange}
      />
    </>
  );
};
