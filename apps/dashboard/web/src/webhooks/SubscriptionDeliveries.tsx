import { useQuery } from '@tanstack/react-query';
import { ContinueSearch } from '../components/ContinueSearch.tsx';
import { Pager } from '../components/Pager.tsx';
import { Problem } from '../components/Problem.tsx';
import { DeliveryTable } from '../delivery-list/DeliveryTable.tsx';
import { keptSince } from '../delivery-list/period.ts';
import { deliveriesQuery } from '../delivery-list/requests.ts';
import type { DeliverySearch } from '../delivery-list/search.ts';

/** The deliveries of one subscription, for as long as the service keeps them. */
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
  const { data, error, isPending } = useQuery(
    deliveriesQuery({
      webhookSubscriptionId: subscriptionId,
      since: keptSince(),
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
      <ContinueSearch page={data} />
      {!isPending && (
        <Pager
          isFirst={cursor === undefined}
          next={data?.nextCursor}
          onFirst={() => onChange(undefined)}
          onNext={onChange}
        />
      )}
    </>
  );
};
