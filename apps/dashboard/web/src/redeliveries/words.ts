import type { WebhookRedelivery } from '@chairside/client';
import type { Tone } from '../components/texts/Chip.tsx';
import { countText } from '../components/texts/numbers.ts';

/** The label and the tone of a redelivery. It is green only if every delivery succeeded. */
export const stateOf = ({ state, waiting, failed }: WebhookRedelivery): [string, Tone] => {
  if (state === 'running') return ['Running', 'info'];
  if (waiting > 0) return ['Sending', 'info'];
  if (failed > 0) return [`${countText(failed)} failed`, 'bad'];
  return state === 'done' ? ['Done', 'good'] : ['Stopped', 'idle'];
};

export const progressOf = ({ made, waiting, succeeded, failed, gone }: WebhookRedelivery): string => {
  const parts = [
    `${countText(made)} created`,
    `${countText(waiting)} waiting`,
    `${countText(succeeded)} succeeded`,
    `${countText(failed)} failed`,
    ...(gone > 0 ? [`${countText(gone)} without an event`] : []),
  ];
  return parts.join(', ');
};
