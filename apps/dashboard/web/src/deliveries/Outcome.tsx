import type { WebhookDelivery } from '@chairside/client';
import { CAUSES, OUTCOMES } from '@chairside/client/words';
import { Ban } from 'lucide-react';
import { Chip, type Tone } from '../components/texts/Chip.tsx';

type OutcomeName = WebhookDelivery['outcome'];

const TONES: Readonly<Record<OutcomeName, Tone>> = {
  queued: 'info',
  sending: 'info',
  succeeded: 'good',
  failed: 'bad',
  skipped: 'idle',
  interrupted: 'warning',
};

/** The outcome of a delivery. */
export const Outcome = ({ outcome }: { outcome: OutcomeName }) => (
  <Chip tone={TONES[outcome]} icon={outcome === 'skipped' ? Ban : undefined}>
    {OUTCOMES[outcome]}
  </Chip>
);

/** A cause in words, for the middle of a sentence. */
export const causeInSentence = (cause: NonNullable<WebhookDelivery['cause']>): string =>
  // An abbreviation keeps its capital letters.
  CAUSES[cause].replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase());

/** What the receiver answered, or why nothing was sent: the cause in words with the status, or the status alone. */
export const answerOf = ({
  cause,
  statusCode,
}: Pick<WebhookDelivery, 'cause' | 'statusCode'>): string | undefined => {
  if (cause === undefined) return statusCode === undefined ? undefined : String(statusCode);
  if (cause === 'status' && statusCode !== undefined) return `Status ${statusCode}`;
  return statusCode === undefined ? CAUSES[cause] : `${CAUSES[cause]} (${statusCode})`;
};
