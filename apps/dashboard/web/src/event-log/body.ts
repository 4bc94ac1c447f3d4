import type { ChairsideEvent } from '@chairside/client';

/** Reconstructs the body of the webhook from an event of the log. */
export const bodyOf = ({ id, event, timestamp, data }: ChairsideEvent): string =>
  JSON.stringify({ id, event, timestamp, data }, null, 2);
