import type { WebhookDelivery } from '@chairside/client';
import { OUTCOMES, remedyOf } from '@chairside/client/words';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { RotateCw } from 'lucide-react';
import { api } from '../../api/client.ts';
import { ClinicTime } from '../../clinics/ClinicTime.tsx';
import { useClinicChoices, useClinicZone } from '../../clinics/requests.ts';
import { ActionButton } from '../../components/menus/ActionButton.tsx';
import { Card } from '../../components/page-parts/Card.tsx';
import { PageHeading } from '../../components/page-parts/PageHeading.tsx';
import { useIfShown } from '../../components/states/if-shown.ts';
import { Note } from '../../components/states/Note.tsx';
import { Problem } from '../../components/states/Problem.tsx';
import { Waiting } from '../../components/states/Waiting.tsx';
import { Chip } from '../../components/texts/Chip.tsx';
import { CopyId } from '../../components/texts/CopyText.tsx';
import { durationText } from '../../components/texts/numbers.ts';
import { Preformatted } from '../../components/texts/Preformatted.tsx';
import { Receiver } from '../../components/texts/Receiver.tsx';
import { Time } from '../../components/texts/Time.tsx';
import { visibleText } from '../../components/texts/visible-text.ts';
import { answerOf, Outcome } from '../../deliveries/Outcome.tsx';
import { deliveriesOfEventQuery, deliveryQuery } from '../../deliveries/requests.ts';
import { isUnsuccessful } from '../../deliveries/unsuccessful.ts';
import { withPrompts } from '../../session/prompts.ts';
import { subscriptionsQuery, useSubscriptionUrls } from '../../subscriptions/requests.ts';
import { SendTest } from '../../subscriptions/SendTest.tsx';
import { Withheld } from '../../subscriptions/Withheld.tsx';
import { Headers } from './Headers.tsx';
import { SentRequest } from './SentRequest.tsx';
import { Waterfall } from './Waterfall.tsx';
import '../../components/texts/Facts.css';

const DeliveryFacts = ({ delivery }: { delivery: WebhookDelivery }) => {
  const clinics = useClinicChoices();
  return (
    <dl className="strip">
      <div>
        <dt>Created</dt>
        <dd>
          <Time value={delivery.createdTime} exactly />
        </dd>
      </div>
      <div>
        <dt>Attempt</dt>
        <dd>{delivery.attemptTime === undefined ? 'none' : <Time value={delivery.attemptTime} exactly />}</dd>
      </div>
      <div>
        <dt>At the clinic</dt>
        <dd>
          {clinics.find(({ value }) => value === delivery.clinicId)?.label ?? delivery.clinicId},{' '}
          <ClinicTime
            value={delivery.attemptTime ?? delivery.createdTime}
            timeZone={useClinicZone(delivery.clinicId)}
          />
        </dd>
      </div>
      <div>
        <dt>Event</dt>
        <dd>
          {delivery.kind === 'test' ? (
            <code>{delivery.eventId}</code>
          ) : (
            <Link to="/events/$eventId" params={{ eventId: delivery.eventId }}>
              {delivery.eventId}
            </Link>
          )}
        </dd>
      </div>
      {delivery.attemptTime !== undefined && delivery.url === undefined && (
        <div>
          <dt>URL</dt>
          <dd>not recorded</dd>
        </div>
      )}
      {delivery.payload === 'ids' && (
        <div>
          <dt>Data</dt>
          <dd>only ids</dd>
        </div>
      )}
      {delivery.address !== undefined && (
        <div>
          <dt>Address</dt>
          <dd>
            <code>{delivery.address}</code>
          </dd>
        </div>
      )}
      {delivery.redeliveryOf !== undefined && (
        <div>
          <dt>Repeats</dt>
          <dd>
            <Link to="/deliveries/$deliveryId" params={{ deliveryId: delivery.redeliveryOf }}>
              an earlier delivery
            </Link>
          </dd>
        </div>
      )}
    </dl>
  );
};

/** Why a queued delivery waits, if its subscription is held. */
const WithheldBy = ({ id }: { id: string }) => (
  <Withheld subscription={useQuery(subscriptionsQuery).data?.find(({ _id }) => _id === id)} />
);

const TONES = {
  queued: 'info',
  sending: 'info',
  succeeded: 'good',
  failed: 'bad',
  skipped: 'warning',
  interrupted: 'warning',
} as const;

/** The latest redelivery that succeeded, of a delivery that did not succeed itself. */
const repairOf = (delivery: WebhookDelivery) =>
  isUnsuccessful(delivery)
    ? delivery.redeliveries?.find(({ outcome }) => outcome === 'succeeded')
    : undefined;

/**
 * The outcome of a delivery and, after a failure, its reason, the probable remedy and the way to it. If a later
 * redelivery succeeded, nothing is left to do.
 */
const Explanation = ({ delivery }: { delivery: WebhookDelivery }) => {
  const repair = repairOf(delivery);
  const remedy = repair === undefined ? remedyOf(delivery) : undefined;
  return (
    <Note
      tone={repair === undefined ? TONES[delivery.outcome] : 'idle'}
      label="Outcome"
      {...(delivery.cause === 'redirect' &&
        repair === undefined && {
          actions: (
            <Link
              className="button primary"
              to="/webhooks/$subscriptionId"
              params={{ subscriptionId: delivery.subscriptionId }}
              search={{ tab: 'settings' }}
            >
              Change URL…
            </Link>
          ),
        })}
    >
      <p className="strong">
        <span>{OUTCOMES[delivery.outcome]}</span>
        {delivery.statusCode !== undefined && <span> Status {delivery.statusCode}</span>}
        {delivery.code !== undefined && <code> {delivery.code}</code>}
      </p>
      {delivery.reason !== undefined && <p className="strong">{visibleText(delivery.reason)}</p>}
      {repair !== undefined && (
        <p>
          <Link to="/deliveries/$deliveryId" params={{ deliveryId: repair._id }}>
            Redelivered
          </Link>{' '}
          <Time value={repair.createdTime} />, succeeded.
        </p>
      )}
      {remedy !== undefined && <p>{remedy}</p>}
    </Note>
  );
};

const ReceivedResponse = ({ delivery }: { delivery: WebhookDelivery }) => {
  const { statusCode, duration, responseHeaders = {}, responseBody, responseBodyTruncated } = delivery;
  return (
    <Card
      title="What came back"
      {...(statusCode !== undefined && {
        end: <Chip tone={delivery.cause === undefined ? 'good' : 'bad'}>{`Status ${statusCode}`}</Chip>,
      })}
    >
      {statusCode === undefined ? (
        <p className="quiet">No response.</p>
      ) : (
        duration !== undefined && <p className="small">after {durationText(duration)}</p>
      )}
      {Object.keys(responseHeaders).length > 0 && (
        <>
          <h3>Headers (a selection)</h3>
          <Headers
            headers={responseHeaders}
            marked={delivery.cause === 'redirect' ? 'location' : undefined}
          />
        </>
      )}
      {responseBody ? (
        <>
          <h3>Body</h3>
          <Preformatted>{visibleText(responseBody)}</Preformatted>
          {responseBodyTruncated && (
            <p className="quiet small">This is only the beginning: the rest of the body was not stored.</p>
          )}
        </>
      ) : (
        statusCode !== undefined && <p className="quiet">A response without a body.</p>
      )}
    </Card>
  );
};

/** All deliveries of the event, to every receiver. */
const History = ({ delivery }: { delivery: WebhookDelivery }) => {
  const { data } = useQuery(deliveriesOfEventQuery(delivery.eventId));
  const { urlOf } = useSubscriptionUrls();
  if (data === undefined) return null;
  return (
    <Card title="History of this event" end={<span className="quiet small">newest first</span>}>
      <ol className="history">
        {data.data.map((each) => (
          <li key={each._id} {...(each._id === delivery._id && { 'aria-current': 'true' })}>
            <span>
              <Outcome outcome={each.outcome} />{' '}
              {each._id === delivery._id ? (
                'this delivery'
              ) : (
                <Link to="/deliveries/$deliveryId" params={{ deliveryId: each._id }}>
                  <Receiver url={each.url ?? urlOf(each.subscriptionId)} />
                </Link>
              )}
              {each.kind === 'redelivery' && <span className="quiet">, redelivery</span>}
              {answerOf(each) !== undefined && <span className="quiet">, {answerOf(each)}</span>}
            </span>
            <Time value={each.createdTime} />
          </li>
        ))}
      </ol>
    </Card>
  );
};

/** One delivery: the reason of a failure, the request, the response, and the button that redelivers it. */
export const DeliveryPage = () => {
  const { deliveryId } = useParams({ from: '/signed-in/deliveries/$deliveryId' });
  // The key discards the state of requests about a delivery when another delivery is shown.
  return <OneDelivery key={deliveryId} deliveryId={deliveryId} />;
};

const OneDelivery = ({ deliveryId }: { deliveryId: string }) => {
  const navigate = useNavigate();
  const ifShown = useIfShown();
  const queries = useQueryClient();
  const { data: delivery, error, isPending, refetch } = useQuery(deliveryQuery(deliveryId));
  const { urlOf } = useSubscriptionUrls();
  const redeliver = useMutation({
    mutationFn: () => withPrompts(() => api.webhookDeliveries.redeliver(deliveryId)),
    async onSuccess(made) {
      queries.setQueryData(['delivery', made._id], made);
      const params = { deliveryId: made._id };
      await ifShown(() => navigate({ to: '/deliveries/$deliveryId', params }));
    },
  });
  return (
    <>
      <PageHeading
        back={{ to: '/deliveries', name: 'Deliveries' }}
        note={
          <>
            {delivery !== undefined && (
              <>
                <code>{delivery.event}</code> to{' '}
                <Link to="/webhooks/$subscriptionId" params={{ subscriptionId: delivery.subscriptionId }}>
                  <Receiver url={delivery.url ?? urlOf(delivery.subscriptionId)} />
                </Link>
              </>
            )}
            <CopyId id={deliveryId} of="the id of the delivery" />
          </>
        }
        {...(delivery !== undefined && {
          // A test cannot be redelivered: it is sent again.
          actions:
            delivery.kind === 'test' ? (
              <SendTest subscriptionId={delivery.subscriptionId} />
            ) : (
              <ActionButton
                request={redeliver}
                // After a redirect, the URL must be changed first.
                {...(repairOf(delivery) === undefined &&
                  isUnsuccessful(delivery) &&
                  delivery.cause !== 'redirect' && { className: 'primary' })}
              >
                <RotateCw aria-hidden="true" />
                Redeliver
              </ActionButton>
            ),
        })}
      >
        Delivery
      </PageHeading>
      <Problem error={error} again={refetch} />
      <Problem error={redeliver.error} />
      {isPending && <Waiting of="the delivery" />}
      {delivery !== undefined && (
        <div className="stack">
          <div>
            {delivery.outcome === 'queued' && <WithheldBy id={delivery.subscriptionId} />}
            <Explanation delivery={delivery} />
            <DeliveryFacts delivery={delivery} />
          </div>
          <div className="two">
            <SentRequest delivery={delivery} />
            <div className="stack">
              <ReceivedResponse delivery={delivery} />
              <Waterfall delivery={delivery} />
            </div>
          </div>
          {delivery.kind !== 'test' && <History delivery={delivery} />}
        </div>
      )}
    </>
  );
};
