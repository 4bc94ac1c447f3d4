import { useMutation, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { ActionButton } from '../../components/menus/ActionButton.tsx';
import { Card } from '../../components/page-parts/Card.tsx';
import { PageHeading } from '../../components/page-parts/PageHeading.tsx';
import { Note } from '../../components/states/Note.tsx';
import { Problem } from '../../components/states/Problem.tsx';
import { Waiting } from '../../components/states/Waiting.tsx';
import { useSession } from '../../session/session.ts';
import { type Consent, consentQuery, decide } from './requests.ts';
import './ConsentPage.css';

const TITLE = 'Connect an app';

const WARNINGS: Readonly<Record<Consent['redirectKind'], string | undefined>> = {
  website: undefined,
  loopback:
    'This is a program on the computer that you use now. Any program there can give itself this name. Allow it only if you have just started the connection yourself.',
  app: 'This opens an app on the device that you use now. Allow it only if you have just started the connection yourself.',
};

const Destination = ({ redirectHost, redirectKind }: Consent) => (
  <>
    <p>
      Your browser then opens <strong>{redirectHost}</strong>. The app has chosen its name itself, so check
      this address.
    </p>
    {WARNINGS[redirectKind] !== undefined && (
      <Note tone="warning">
        <p>{WARNINGS[redirectKind]}</p>
      </Note>
    )}
  </>
);

/** What an app can read through the connector (docs/connector.md). */
const Access = ({ app, organization }: Consent) => (
  <>
    <p>
      {app} will be able to read, from{' '}
      {organization === undefined ? 'your practice' : <strong>{organization}</strong>}:
    </p>
    <ul className="can">
      <li>clinics, with their opening hours and free times</li>
      <li>names of providers</li>
      <li>procedures and prices</li>
      <li>times at which a clinic or a provider is not available</li>
      <li>how many appointments there are on each day</li>
    </ul>
    <p>
      It sees no patient and no single appointment, and it can change nothing. An administrator can disconnect
      it at any time.
    </p>
  </>
);

const DecisionResult = ({ id }: { id: string }) => {
  const { role } = useSession();
  const lead = { onSuccess: (location: string) => window.location.assign(location) };
  const allow = useMutation({ mutationFn: () => decide(id, 'allow'), ...lead });
  const deny = useMutation({ mutationFn: () => decide(id, 'deny'), ...lead });
  const isDecided = allow.isSuccess || deny.isSuccess;
  if (isDecided) return <p role="status">Your browser opens the app…</p>;
  return (
    <>
      <Problem error={allow.error ?? deny.error} />
      {role !== 'administrator' && (
        <p>Only an administrator can allow this. Ask an administrator of your practice to connect the app.</p>
      )}
      <div className="buttons">
        {role === 'administrator' && (
          <ActionButton className="primary" request={allow}>
            Allow
          </ActionButton>
        )}
        <ActionButton request={deny}>Deny</ActionButton>
      </div>
    </>
  );
};

/** Asks the operator whether an app may read through the connector. */
export const ConsentPage = () => {
  const { interactionId } = useParams({ from: '/signed-in/oauth/consent/$interactionId' });
  const { data, error, isPending } = useQuery(consentQuery(interactionId));
  return (
    <>
      <PageHeading title={TITLE}>{data === undefined ? TITLE : `Connect ${data.app}`}</PageHeading>
      {isPending && <Waiting of="the request" />}
      <Problem error={error} />
      {data !== undefined && (
        <div className="stack consent">
          <Destination {...data} />
          <Card title="What it can see">
            <Access {...data} />
          </Card>
          <DecisionResult id={interactionId} />
        </div>
      )}
    </>
  );
};
