import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useClinicFilter } from '../../clinics/clinic-filter.ts';
import { Filters } from '../../components/lists/Filters.tsx';
import { PageHeading } from '../../components/page-parts/PageHeading.tsx';
import { Live } from '../../components/states/Live.tsx';
import { Waiting } from '../../components/states/Waiting.tsx';
import { visibleText } from '../../components/texts/visible-text.ts';
import { hideSteps, stepsHidden } from '../../layout/first-steps.ts';
import { serviceStatusQuery } from '../../layout/service-status.ts';
import { programTokensQuery } from '../../principals/requests.ts';
import { useSession } from '../../session/session.ts';
import { useSharedValue } from '../../shared-value.ts';
import { totalOf } from '../../statistics/hours.ts';
import { statisticsQuery } from '../../statistics/requests.ts';
import { Statistics } from '../../statistics/Statistics.tsx';
import { subscriptionsQuery } from '../../subscriptions/requests.ts';
import { Attention } from './Attention.tsx';
import { FactorReminder } from './FactorReminder.tsx';
import { FirstSteps } from './FirstSteps.tsx';
import { useHasWebhook } from './first-steps.tsx';
import { SecurityChanges } from './SecurityChanges.tsx';
import { Told } from './Told.tsx';

/**
 * The problems that need attention, the deliveries over time, what was told, and the latest security changes. Until the
 * first webhook has arrived, the first steps have the place of the deliveries.
 */
export const OverviewPage = () => {
  const { clinicId } = useSearch({ from: '/signed-in/' });
  const navigate = useNavigate({ from: '/' });
  const clinic = useClinicFilter(clinicId, true);
  const filter = clinicId === undefined ? {} : { clinicId };
  const subscriptions = useQuery(subscriptionsQuery);
  const statistics = useQuery(statisticsQuery('day', filter));
  const parts = [subscriptions, useQuery(serviceStatusQuery), useQuery(programTokensQuery), statistics];
  const hasWebhook = useHasWebhook(subscriptions.data, totalOf(statistics.data ?? []));
  const isHidden = useSharedValue(stepsHidden) ?? false;
  const isOver = subscriptions.data !== undefined && hasWebhook === true;
  const { name } = useSession();
  useEffect(() => {
    // They are over, so the account menu need not offer them.
    if (isOver && isHidden) hideSteps(false);
  }, [isOver, isHidden]);
  // The page waits for these parts, because a part that appeared later would move the others.
  if (hasWebhook === undefined || parts.some(({ isPending }) => isPending))
    return (
      <>
        <PageHeading>Overview</PageHeading>
        <Waiting of="the overview" />
      </>
    );
  const hasSteps = !hasWebhook && !isHidden;
  const welcome = `Welcome to Chairside${name === undefined ? '' : `, ${visibleText(name)}`}. Deliveries and failures appear here with the first webhook.`;
  return (
    <>
      <PageHeading note={hasSteps ? welcome : <Live of={parts} />}>Overview</PageHeading>
      <FactorReminder />
      <Attention works={!hasSteps} />
      {hasSteps ? (
        <FirstSteps />
      ) : (
        <section aria-labelledby="statistics" className="part">
          <Statistics filter={filter} clinicId={clinicId} heading={<h2 id="statistics">Deliveries</h2>}>
            <Filters
              search={{ clinicId }}
              filters={[clinic]}
              onChange={(change) => void navigate({ search: (kept) => ({ ...kept, ...change }) })}
            />
          </Statistics>
        </section>
      )}
      <Told />
      <SecurityChanges />
    </>
  );
};
