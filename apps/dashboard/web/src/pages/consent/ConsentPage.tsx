import { useMutation, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Check, X } from 'lucide-react';
import { ActionButton } from '../../components/menus/ActionButton.tsx';
import { PageHeading } from '../../components/page-parts/PageHeading.tsx';
import { PlainPage } from '../../components/page-parts/PlainPage.tsx';
import { Note } from '../../components/states/Note.tsx';
import { Problem } from '../../components/states/Problem.tsx';
import { Waiting } from '../../components/states/Waiting.tsx';
import { AskedTools } from '../../components/texts/AskedTools.tsx';
import { visibleText } from '../../components/texts/visible-text.ts';
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
  <Note tone="warning">
    <p>
      Your browser then opens <strong>{redirectHost}</strong>
    </p>
    <p className="small">
      {WARNINGS[redirectKind] ?? 'The app has chosen its name itself, so check this address.'}
    </p>
  </Note>
);

/** What an app can read through the connector (docs/connector.md). */
const CAN = [
  'Clinics, with opening hours and free times',
  'Names of providers',
  'Procedures and prices',
  'Times at which a clinic or a provider is not available',
  'How many appointments there are on each day',
];
const CANNOT = ['See any patient or single appointment', 'Change anything'];

const Access = () => (
  <>
    <section aria-labelledby="can">
      <h2 id="can">It can read</h2>
      <ul className="rights">
        {CAN.map((right) => (
          <li key={right}>
            <Check aria-hidden="true" />
            {right}
          </li>
        ))}
      </ul>
    </section>
    <section aria-labelledby="cannot">
      <h2 id="cannot">It cannot</h2>
      <ul className="rights none">
        {CANNOT.map((right) => (
          <li key={right}>
            <X aria-hidden="true" />
            {right}
          </li>
        ))}
      </ul>
    </section>
  </>
);

const Decision = ({ id }: { id: string }) => {
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
        <ActionButton request={deny}>Deny</ActionButton>
        {role === 'administrator' && (
          <ActionButton className="primary" request={allow}>
            Allow
          </ActionButton>
        )}
      </div>
      <p className="quiet small">
        An administrator can disconnect it at any time under Connected apps, and sees there what it has asked.
      </p>
    </>
  );
};

/** Asks the operator whether an app may read through the connector. */
export const ConsentPage = () => {
  const { interactionId } = useParams({ from: '/alone/oauth/consent/$interactionId' });
  const { data, error, isPending } = useQuery(consentQuery(interactionId));
  const { email = '', name = email, organization } = useSession();
  return (
    <PlainPage isWide foot={`Signed in as ${visibleText(name)}, ${visibleText(organization.name)}`}>
      <PageHeading
        title={TITLE}
        {...(data !== undefined && {
          note: (
            <span>
              It wants to read from <b>{visibleText(data.organization ?? 'your practice')}</b>.
            </span>
          ),
        })}
      >
        {data === undefined ? TITLE : `Connect ${data.app}`}
      </PageHeading>
      {isPending && <Waiting of="the request" />}
      <Problem error={error} />
      {data !== undefined && (
        <div className="stack consent">
          <Destination {...data} />
          <Access />
          {data.asked.length > 0 && (
            <section aria-labelledby="asked">
              <h2 id="asked">It has asked before</h2>
              <AskedTools tools={data.asked} />
            </section>
          )}
          <Decision id={interactionId} />
        </div>
      )}
    </PlainPage>
  );
};
