import type { WebhookSubscription } from '@chairside/client';
import { Note } from '../components/states/Note.tsx';
import { WITHHELD } from './states.ts';

/** Why the deliveries of a subscription wait, whatever its state. Nothing if they do not. */
export const Withheld = ({
  subscription,
}: {
  subscription: Pick<WebhookSubscription, 'withheld'> | undefined;
}) =>
  subscription?.withheld === undefined ? null : (
    <Note tone="warning">
      <p className="strong">Deliveries wait</p>
      <p>{WITHHELD[subscription.withheld]}</p>
    </Note>
  );
