import type { ChairsideEvent } from '@chairside/client';
import { visibleText } from '../components/texts/visible-text.ts';

/** Reconstructs the body of the webhook from an event of the log. Characters that would hide text are escaped. */
export const bodyOf = ({ id, event, timestamp, data }: ChairsideEvent): string =>
  visibleText(JSON.stringify({ id, event, timestamp, data }, null, 2));
