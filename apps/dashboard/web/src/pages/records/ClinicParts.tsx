import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { allProvidersQuery } from '../../clinics/settings.ts';
import { hoursQuery } from '../../clinics/stored-hours.ts';
import { weekText } from '../../clinics/week-text.ts';
import { Card } from '../../components/page-parts/Card.tsx';
import { Problem } from '../../components/states/Problem.tsx';
import { Waiting } from '../../components/states/Waiting.tsx';
import { Facts } from '../../components/texts/Facts.tsx';
import { countText, nounAfter } from '../../components/texts/numbers.ts';
import { Receiver } from '../../components/texts/Receiver.tsx';
import { visibleText } from '../../components/texts/visible-text.ts';
import { useSession } from '../../session/session.ts';
import { subscriptionsQuery } from '../../subscriptions/requests.ts';
import { State } from '../../subscriptions/State.tsx';

/** The subscriptions of a clinic with their states, for administrators. */
const Subscriptions = ({ clinicId }: { clinicId: string }) => {
  const { data = [] } = useQuery(subscriptionsQuery);
  const own = data.filter((each) => each.clinicId === clinicId);
  if (own.length === 0) return 'None yet';
  return (
    <ul>
      {own.map((subscription) => (
        <li key={subscription._id}>
          <Link to="/webhooks/$subscriptionId" params={{ subscriptionId: subscription._id }}>
            <Receiver url={subscription.url} />
          </Link>{' '}
          <State subscription={subscription} />
        </li>
      ))}
    </ul>
  );
};

/** What belongs to a clinic: its hours, its providers and, for administrators, its subscriptions. */
export const ClinicParts = ({ clinicId }: { clinicId: string }) => {
  const isAdministrator = useSession().role === 'administrator';
  const hours = useQuery(hoursQuery(clinicId));
  const providers = useQuery(allProvidersQuery);
  const subscriptions = useQuery({ ...subscriptionsQuery, enabled: isAdministrator });
  const queries = [hours, providers, subscriptions];
  if (queries.some(({ isLoading }) => isLoading)) return <Waiting of="the hours of the clinic" />;
  const stored = hours.data?.hours;
  const closed = stored?.exceptions.length ?? 0;
  const names = (providers.data ?? []).filter(({ clinicIds }) => clinicIds.includes(clinicId));
  return (
    <div className="part">
      <Problem
        error={queries.find(({ error }) => error !== null)?.error}
        again={() => Promise.all(queries.map((query) => query.refetch()))}
      />
      <Card
        title="Hours and people"
        end={
          <Link to="/schedule" search={{ clinicId }} className="small">
            Open schedule
          </Link>
        }
      >
        <Facts>
          {hours.data !== undefined && (
            <>
              <dt>Opening hours</dt>
              <dd>{stored === undefined ? 'Not set yet' : weekText(stored.weekdays)}</dd>
            </>
          )}
          {stored !== undefined && (
            <>
              <dt>Other days</dt>
              <dd>{closed === 0 ? 'None' : `${countText(closed)} ${nounAfter(closed, 'day')}`}</dd>
              <dt>Chairs</dt>
              <dd>{countText(stored.chairs)}</dd>
            </>
          )}
          {providers.data !== undefined && (
            <>
              <dt>Providers</dt>
              <dd>{names.map(({ name }) => visibleText(name)).join(', ') || 'None yet'}</dd>
            </>
          )}
          {subscriptions.data !== undefined && (
            <>
              <dt>Subscriptions</dt>
              <dd>
                <Subscriptions clinicId={clinicId} />
              </dd>
            </>
          )}
        </Facts>
      </Card>
    </div>
  );
};
