import type { ChairsideEvent } from '@chairside/client';
import { visibleText } from '../components/texts/visible-text.ts';

/** Reconstructs the body of the webhook from an event of the log. Characters that would hide text are escaped. */
export const bodyOf = ({ clinicIds, loggedTime, ...sent }: ChairsideEvent): string =>
  visibleText(JSON.stringify(sent, null, 2));
