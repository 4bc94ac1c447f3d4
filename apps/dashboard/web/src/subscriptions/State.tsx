import type { WebhookSubscription } from '@chairside/client';
import { Ban } from 'lucide-react';
import { Chip, type Tone } from '../components/texts/Chip.tsx';
import { stateText } from './states.ts';

const TONES: Readonly<Record<WebhookSubscription['state'], Tone>> = {
  new: 'idle',
  healthy: 'good',
  failing: 'warning',
  slowed: 'warning',
  recovering: 'info',
  disabled: 'bad',
  off: 'idle',
  replaced: 'idle',
};

/** The state of a subscription in words. */
export const State = ({
  subscription,
}: {
  subscription: Pick<WebhookSubscription, 'state' | 'active' | 'replaces' | 'withheld'>;
}) => (
  <Chip
    tone={subscription.withheld === undefined ? TONES[subscription.state] : 'warning'}
    icon={subscription.withheld === undefined && subscription.state === 'off' ? Ban : undefined}
  >
    {stateText(subscription)}
  </Chip>
);
