import type { WebhookDelivery } from '@chairside/client';
import { OUTCOMES } from '@chairside/client/words';
import { Badge } from '../components/Badge.tsx';

/** The outcome of a delivery. */
export const Outcome = ({ outcome }: { outcome: WebhookDelivery['outcome'] }) => (
  <Badge look={outcome}>{OUTCOMES[outcome]}</Badge>
);
