import type { WebhookDelivery } from '@chairside/client';
import { OUTCOMES } from './cure.ts';

/** The outcome as a word with a colour. The word alone says everything. */
export const Outcome = ({ outcome }: { outcome: WebhookDelivery['outcome'] }) => (
  <span className={`outcome ${outcome}`}>{OUTCOMES[outcome]}</span>
);
