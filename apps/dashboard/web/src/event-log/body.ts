import type { ChairsideEvent } from '@chairside/client';

/** The body of the webhook, out of what the log returns. */
export const bodyOf = ({ id, event, timestamp, data }: ChairsideEvent): string =>
  JSON.stringify({ id, event, timestamp, data }, null, 2);
