import type { WebhookSubscription } from '@chairside/client';
import { STATES } from '@chairside/client/words';
import { Ban } from 'lucide-react';
import { Chip, type Tone } from '../components/Chip.tsx';

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
export const State = ({ state }: { state: WebhookSubscription['state'] }) => (
  <Chip tone={TONES[state]} icon={state === 'off' ? Ban : undefined}>
    {STATES[state]}
  </Chip>
);
