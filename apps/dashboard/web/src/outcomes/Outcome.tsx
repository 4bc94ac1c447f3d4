import type { WebhookDelivery } from '@chairside/client';
import { Badge } from '../components/Badge.tsx';
import { OUTCOMES } from './labels.ts';

/** The outcome of a delivery. */
export const Outcome = ({ outcome }: { outcome: WebhookDelivery['outcome'] }) => (
  <Badge look={outcome}>{OUTCOMES[outcome]}</Badge>
);
