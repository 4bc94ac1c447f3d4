import { useQuery } from '@tanstack/react-query';
import { Pager } from '../../components/lists/Pager.tsx';
import { Empty } from '../../components/states/Empty.tsx';
import { DeliveryList } from '../../deliveries/DeliveryList.tsx';
import { keptSince } from '../../deliveries/period.ts';
import { deliveriesQuery } from '../../deliveries/requests.ts';
import type { DeliverySearch } from '../../deliveries/search.ts';

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
  const query = useQuery(
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
      <DeliveryList
        query={query}
        deliveries={query.data?.data}
        empty={
          <Empty title="No delivery in the last 30 days">
            <p>Press “Send test” to see whether the receiver responds.</p>
          </Empty>
        }
      />
      <Pager
        isFirst={cursor === undefined}
        page={query.data}
        onFirst={() => onChange(undefined)}
        onNext={onChange}
      />
    </>
  );
};
