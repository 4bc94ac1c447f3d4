import type { WebhookSubscription } from '@chairside/client';
import { useQuery } from '@tanstack/react-query';
import { countText, NO_FIGURE, nounAfter, shareText } from '../components/texts/numbers.ts';
import { Time } from '../components/texts/Time.tsx';
import { lastFailureQuery } from '../deliveries/requests.ts';
import type { Outcomes } from './hours.ts';

/**
 * The share of first attempts that succeeded. A subscription that works again shows since when: the share would be that
 * of its outage, as long as most attempts of the period failed.
 *
 * @param props.subscription the only one that is counted, if it is one
 */
export const SuccessRate = ({
  label,
  total: { succeeded, failed },
  subscription,
}: {
  label: string;
  total: Outcomes;
  subscription: WebhookSubscription | undefined;
}) => {
  const works = subscription?.state === 'healthy' || subscription?.state === 'recovering';
  const { data: failure } = useQuery({
    ...lastFailureQuery(subscription ?? { _id: '', consecutiveFailures: 0 }),
    enabled: works && failed > 0,
  });
  const attempts = succeeded + failed;
  const counts = `${countText(succeeded)} of ${countText(attempts)} first ${nounAfter(attempts, 'attempt')}`;
  const since = works && failed > 0 && failure && <Time value={failure.time} />;
  if (works && failed > succeeded)
    return (
      <div>
        <dt>No failure since</dt>
        <dd>
          {since || NO_FIGURE} <small>{counts} succeeded</small>
        </dd>
      </div>
    );
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {attempts > 0 ? (
          <>
            {shareText(succeeded / attempts)}{' '}
            <small>
              {counts}
              {since && <>, no failure since {since}</>}
            </small>
          </>
        ) : (
          NO_FIGURE
        )}
      </dd>
    </div>
  );
};
