import type { EventEmitter } from 'node:events';
import { Refusal } from '@chairside/domain';

/** Maximum number of requests that one session has in flight. A browser sends at most six at once. */
const MAX_OF_SESSION = 24;
/** Maximum number of requests to the api in flight, each on a connection of its own. */
export const MAX_IN_FLIGHT = 128;

/** Limits the requests in flight: in all, and of each session, so that one session cannot take every connection. */
export const createAdmission = ({ ofSession = MAX_OF_SESSION, inAll = MAX_IN_FLIGHT } = {}) => {
  const bySession = new Map<string, number>();
  let inFlight = 0;

  const leave = (token: string): void => {
    inFlight -= 1;
    const left = (bySession.get(token) ?? 1) - 1;
    if (left === 0) bySession.delete(token);
    else bySession.set(token, left);
  };

  /**
   * Admits a request until its response ends.
   *
   * @param token the access token of the session
   * @throws {Refusal} TooManyRequests, or ServiceUnavailable if all connections are in use
   */
  return (response: EventEmitter, token: string): void => {
    const own = bySession.get(token) ?? 0;
    if (own >= ofSession)
      throw new Refusal(
        'TooManyRequests',
        `This session has ${ofSession} requests in flight. Try again later.`,
        {
          retryAfter: 1,
        },
      );
    if (inFlight >= inAll)
      throw new Refusal('ServiceUnavailable', 'The dashboard is overloaded. Try again later.', {
        retryAfter: 1,
      });
    inFlight += 1;
    bySession.set(token, own + 1);
    response.once('close', () => leave(token));
  };
};
