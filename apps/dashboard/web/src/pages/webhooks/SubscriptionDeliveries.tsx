import { useQuery } from '@tanstack/react-query';
import { Pager } from '../../components/lists/Pager.tsx';
import { usePage } from '../../components/lists/page.ts';
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
  const page = usePage(query);
  return (
    <>
      <DeliveryList
        query={query}
        deliveries={page?.data}
        empty={
          <Empty title="No delivery in the last 30 days">
            <p>Press “Send test” to see whether the receiver responds.</p>
          </Empty>
        }
      />
      <Pager
        isFirst={cursor === undefined}
        page={page}
        onFirst={() => onChange(undefined)}
        onNext={onChange}
      />
    </>
  );
};
