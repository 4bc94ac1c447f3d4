import type { WebhookDelivery } from '@chairside/client';
import { remedyOf } from '@chairside/client/words';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { api } from '../api/client.ts';
import { ClinicTime } from '../clinics/ClinicTime.tsx';
import { useClinicZone } from '../clinics/requests.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { Facts } from '../components/Facts.tsx';
import { PageHeading } from '../components/PageHeading.tsx';
import { Problem } from '../components/Problem.tsx';
import { Time } from '../components/Time.tsx';
import { visibleText } from '../components/visible-text.ts';
import { Outcome } from '../outcomes/Outcome.tsx';
import { withPrompts } from '../session/prompts.ts';
import { deliveryQuery } from './requests.ts';
import { SentRequest } from './SentRequest.tsx';
import { Waterfall } from './Waterfall.tsx';
import './DeliveryPage.css';

const DeliveryFacts = ({ delivery }: { delivery: WebhookDelivery }) => (
  <Facts>
    <dt>Event</dt>
    <dd>
      {delivery.event}{' '}
      {delivery.kind === 'test' ? (
        <code>{delivery.eventId}</code>
      ) : (
        <Link to="/events/$eventId" params={{ eventId: delivery.eventId }}>
          {delivery.eventId}
        </Link>
      )}
    </dd>
    <dt>Subscription</dt>
    <dd>
      <Link to="/webhooks/$subscriptionId" params={{ subscriptionId: delivery.subscriptionId }}>
        {delivery.subscriptionId}
      </Link>
    </dd>
    <dt>Kind</dt>
    <dd>{delivery.kind}</dd>
    <dt>Created</dt>
    <dd>
      <Time value={delivery.createdTime} />
    </dd>
    <dt>Attempt</dt>
    <dd>{delivery.attemptTime === undefined ? 'none' : <Time value={delivery.attemptTime} />}</dd>
    <dt>At the clinic</dt>
    <dd>
      <ClinicTime
        value={delivery.attemptTime ?? delivery.createdTime}
        timeZone={useClinicZone(delivery.clinicId)}
      />
    </dd>
    {delivery.attemptTime !== undefined && (
      <>
        <dt>URL</dt>
        <dd>{delivery.url === undefined ? 'not recorded' : <code>{visibleText(delivery.url)}</code>}</dd>
      </>
    )}
    {delivery.address !== undefined && (
      <>
        <dt>Address</dt>
        <dd>
          <code>{delivery.address}</code>
        </dd>
      </>
    )}
    {delivery.redeliveryOf !== undefined && (
      <>
        <dt>Repeats</dt>
        <dd>
          <Link to="/deliveries/$deliveryId" params={{ deliveryId: delivery.redeliveryOf }}>
            {delivery.redeliveryOf}
          </Link>
        </dd>
      </>
    )}
    {delivery.redeliveries !== undefined && delivery.redeliveries.length > 0 && (
      <>
        <dt>Repeated by</dt>
        <dd>
          <ul className="plain">
            {delivery.redeliveries.map(({ _id, outcome, createdTime }) => (
              <li key={_id}>
                <Outcome outcome={outcome} />{' '}
                <Link to="/deliveries/$deliveryId" params={{ deliveryId: _id }}>
                  <Time value={createdTime} />
                </Link>
              </li>
            ))}
          </ul>
        </dd>
      </>
    )}
  </Facts>
);

/** The outcome of a delivery and, after a failure, its reason and the probable remedy. */
const Explanation = ({ delivery }: { delivery: WebhookDelivery }) => {
  const remedy = remedyOf(delivery);
  return (
    <section aria-label="Outcome" className={`explanation ${delivery.outcome}`}>
      <p>
        <Outcome outcome={delivery.outcome} />
        {delivery.statusCode !== undefined && <span> Status {delivery.statusCode}</span>}
        {delivery.code !== undefined && <code> {delivery.code}</code>}
      </p>
      {delivery.reason !== undefined && <p className="reason">{delivery.reason}</p>}
      {remedy !== undefined && <p>{remedy}</p>}
    </section>
  );
};

/** The kept headers of a response, as they were sent. */
const headersOf = ({ responseHeaders = {} }: WebhookDelivery): string =>
  Object.entries(responseHeaders)
    .map(([name, value]) => `${name}: ${visibleText(value)}`)
    .join('\n');

const ReceivedResponse = ({ delivery }: { delivery: WebhookDelivery }) => (
  <section aria-labelledby="received">
    <h2 id="received">What came back</h2>
    {headersOf(delivery) !== '' && (
      <>
        <h3>Headers (a selection)</h3>
        <pre>{headersOf(delivery)}</pre>
        <h3>Body</h3>
      </>
    )}
    {delivery.responseBody ? (
      <>
        <pre>{visibleText(delivery.responseBody)}</pre>
        {delivery.responseBodyTruncated && (
          <p className="quiet">This is only the beginning: the rest of the body was not stored.</p>
        )}
      </>
    ) : (
      <p className="quiet">
        {delivery.statusCode === undefined ? 'No response.' : 'A response without a body.'}
      </p>
    )}
  </section>
);

/** One delivery: the reason of a failure, the request, the response, and the button that redelivers it. */
export const DeliveryPage = () => {
  const { deliveryId } = useParams({ from: '/signed-in/deliveries/$deliveryId' });
  // The key discards the state of requests about a delivery when another delivery is shown.
  return <OneDelivery key={deliveryId} deliveryId={deliveryId} />;
};

const OneDelivery = ({ deliveryId }: { deliveryId: string }) => {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { data: delivery, error, isPending } = useQuery(deliveryQuery(deliveryId));
  const redeliver = useMutation({
    mutationFn: () => withPrompts(() => api.webhookDeliveries.redeliver(deliveryId)),
    async onSuccess(made) {
      queries.setQueryData(['delivery', made._id], made);
      await navigate({ to: '/deliveries/$deliveryId', params: { deliveryId: made._id } });
    },
  });
  return (
    <>
      <PageHeading>Delivery</PageHeading>
      <p className="quiet">
        <code>{deliveryId}</code>
      </p>
      <Problem error={error} />
      {isPending && <p role="status">Loading the delivery…</p>}
      {delivery !== undefined && (
        <>
          <Explanation delivery={delivery} />
          <Problem error={redeliver.error} />
          {delivery.kind !== 'test' && (
            <ActionButton className="primary" request={redeliver}>
              Redeliver
            </ActionButton>
          )}
          <DeliveryFacts delivery={delivery} />
          <Waterfall delivery={delivery} />
          <SentRequest delivery={delivery} />
          <ReceivedResponse delivery={delivery} />
        </>
      )}
    </>
  );
};
