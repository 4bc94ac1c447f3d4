import type { Chairside } from '@chairside/client';
import { fetchAsCli } from '../access/credentials.ts';

/** How often the log is read while someone watches, in milliseconds. */
export const WATCHING = { minWait: 500, maxWait: 500 } as const;

/** What a command that follows the log says when it begins. */
export const WAITING = 'Waiting for events, which appear within two seconds after the write. Ctrl-C ends.';

/** The time limit of the request for the time of the service. */
const TIME_TIMEOUT_MS = 5000;

/**
 * The present time of the service, which orders the log. The clock of this computer may be wrong, and is used only if
 * the service does not respond.
 */
export const timeOfService = async ({ baseUrl }: Chairside): Promise<Date> => {
  try {
    const { headers } = await fetchAsCli(`${baseUrl}/health/live`, {
      method: 'GET',
      headers: {},
      redirect: 'manual',
      signal: AbortSignal.timeout(TIME_TIMEOUT_MS),
    });
    const time = new Date(headers.get('date') ?? '');
    return Number.isNaN(time.getTime()) ? new Date() : time;
  } catch {
    return new Date();
  }
};
