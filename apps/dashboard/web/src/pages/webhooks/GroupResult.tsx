import type { ClinicSubscription } from '@chairside/client';
import { Link } from '@tanstack/react-router';
import { Table } from '../../components/lists/Table.tsx';
import { Problem } from '../../components/states/Problem.tsx';
import { CopyText } from '../../components/texts/CopyText.tsx';
import './GroupResult.css';

const OUTCOMES: Readonly<Record<ClinicSubscription['outcome'], string>> = {
  created: 'Created',
  kept: 'Kept: the clinic already had it',
  differs: 'Has other data or headers: open it',
  failed: 'Failed',
  untried: 'Not tried after the failure',
};

const nameOf = ({ clinic: { _id, name } }: ClinicSubscription): string => name ?? _id;

const Detail = ({ result }: { result: ClinicSubscription }) => {
  if (result.outcome === 'created')
    return <CopyText label={`Secret of ${nameOf(result)}`} text={result.subscription.secret} />;
  if (result.outcome === 'failed') return <Problem error={result.error} />;
  if (result.outcome === 'untried') return null;
  return (
    <Link to="/webhooks/$subscriptionId" params={{ subscriptionId: result.subscription._id }}>
      Open
    </Link>
  );
};

/** What was done for each clinic, with the secrets of the new subscriptions. */
export const GroupResult = ({ results }: { results: readonly ClinicSubscription[] }) => {
  const isComplete = results.every(({ outcome }) => outcome !== 'failed' && outcome !== 'untried');
  return (
    <>
      <p>
        {isComplete
          ? 'Each clinic has a subscription. '
          : 'Not every clinic has a subscription. Create them again: only those that are missing are created. '}
        The receiver chooses the secret by the header X-Service-Subscription-Id. A secret is shown only once:
        copy it now.
      </p>
      <div className="group-result">
        <Table
          label="Table of clinics"
          rows={results}
          keyOf={({ clinic }) => clinic._id}
          columns={[
            { name: 'Clinic', cell: nameOf, isHeader: true, card: '1' },
            { name: 'Result', cell: ({ outcome }) => OUTCOMES[outcome], card: '1r' },
            {
              name: 'Secret or subscription',
              cell: (result) => <Detail result={result} />,
              card: '2w',
            },
          ]}
        />
      </div>
    </>
  );
};
