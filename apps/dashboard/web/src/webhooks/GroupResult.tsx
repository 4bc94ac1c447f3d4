import type { ClinicSubscription } from '@chairside/client';
import { Link } from '@tanstack/react-router';
import { CopyText } from '../components/CopyText.tsx';
import { Problem } from '../components/Problem.tsx';
import { ScrollTable } from '../components/ScrollTable.tsx';

const OUTCOMES: Readonly<Record<ClinicSubscription['outcome'], string>> = {
  created: 'Created',
  kept: 'Kept: the clinic already had it',
  failed: 'Failed',
  untried: 'Not tried after the failure',
};

const Detail = ({ result, name }: { result: ClinicSubscription; name: string }) => {
  if (result.outcome === 'created')
    return <CopyText label={`Secret of ${name}`} text={result.subscription.secret} />;
  if (result.outcome === 'failed') return <Problem error={result.error} />;
  if (result.outcome === 'untried') return null;
  return (
    <Link to="/webhooks/$subscriptionId" params={{ subscriptionId: result.subscription._id }}>
      {result.subscription._id}
    </Link>
  );
};

/** What was done for each clinic, with the secrets of the new subscriptions. */
export const GroupResult = ({ results }: { results: readonly ClinicSubscription[] }) => {
  const isComplete = results.every(({ outcome }) => outcome === 'created' || outcome === 'kept');
  return (
    <>
      <p>
        {isComplete
          ? 'Each clinic has a subscription. '
          : 'Not every clinic has a subscription. Create them again: only those that are missing are created. '}
        The receiver verifies with the list of all secrets, one for each clinic. A secret is shown only once:
        copy it now.
      </p>
      <ScrollTable label="Table of clinics" columns={['Clinic', 'Result', 'Secret or subscription']}>
        {results.map((result) => (
          <tr key={result.clinic._id}>
            <td>{result.clinic.name ?? result.clinic._id}</td>
            <td>{OUTCOMES[result.outcome]}</td>
            <td>
              <Detail result={result} name={result.clinic.name ?? result.clinic._id} />
            </td>
          </tr>
        ))}
      </ScrollTable>
    </>
  );
};
