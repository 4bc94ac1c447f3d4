import type { ServerResponse } from 'node:http';
import {
  beyondFullQueue,
  createConcurrencyCount,
  createFairQueue,
  type Place,
  refusalOfFullQueue,
} from '@chairside/concurrency';
import { Refusal, type ResourceLimit } from '@chairside/domain';
import { disconnected, untilClosed } from '@chairside/http-server';
import type { CountedAs } from '../principals.ts';

/** Maximum number of requests of one session. Over HTTP/1.1, a browser sends at most six at once. */
const MAX_OF_SESSION = 24;
const MAX_OF_OPERATOR = 32;
/**
 * Maximum number of requests of one organization: a third of `MAX_IN_FLIGHT`, so that two organizations at their limit
 * leave room for the others.
 */
const MAX_OF_ORGANIZATION = 42;
/** Maximum number of requests to the api in flight, each on a connection of its own. */
export const MAX_IN_FLIGHT = 128;
/** Maximum number of requests that wait for their turn. */
const MAX_WAITING = 1000;

const part = 'Dashboard';
const unit = 'in flight or waiting, in each process';
const beyond = '429 TooManyRequests';
export const dashboardRequestLimits: readonly ResourceLimit[] = [
  { id: 'dashboard_session', part, resource: 'Requests of one session', value: MAX_OF_SESSION, unit, beyond },
  {
    id: 'dashboard_operator',
    part,
    resource: 'Requests of one operator',
    value: MAX_OF_OPERATOR,
    unit,
    beyond,
  },
  {
    id: 'dashboard_organization',
    part,
    resource: 'Requests of one organization',
    value: MAX_OF_ORGANIZATION,
    unit,
    beyond,
  },
  {
    id: 'dashboard_in_flight',
    part,
    resource: 'Requests of all sessions together that are in flight to the api',
    value: MAX_IN_FLIGHT,
    unit: 'at once in each process',
    beyond: 'the request waits; organizations take turns',
  },
  {
    id: 'dashboard_waiting',
    part,
    resource: 'Requests that wait for their turn',
    value: MAX_WAITING,
    unit: 'in each process',
    beyond: beyondFullQueue('an organization'),
  },
];

type Counted = Place & { whose: string };

const tooMany = ({ max, whose }: Counted): Refusal =>
  new Refusal('TooManyRequests', `${whose} has ${max} requests in flight. Try again later.`, {
    retryAfter: 1,
  });

/** Limits the requests in flight: of each session, operator and organization, and in all. */
export const createAdmission = () => {
  const inFlight = createConcurrencyCount();
  const turns = createFairQueue({
    atOnce: MAX_IN_FLIGHT,
    atOnceOfCaller: MAX_OF_ORGANIZATION,
    maxWaiting: MAX_WAITING,
  });

  /** Resolves when the request gets a connection to the api, which it keeps until `ended` resolves. */
  const waitForTurn = (organization: string, ended: Promise<unknown>): Promise<void> =>
    new Promise((resolve, reject) => {
      const hold = (): Promise<unknown> => {
        resolve();
        return ended;
      };
      turns.run(organization, hold).catch(reject);
    });

  /**
   * Admits a request until its response has ended and the api has responded. The api continues with a request whose
   * caller has disconnected, on a connection that no other request can use meanwhile.
   *
   * @returns when it is the request's turn: the function to call when the api has responded or failed
   * @throws {Refusal} TooManyRequests, ServiceUnavailable if too many requests wait, or BadRequest if the caller has
   *   disconnected
   */
  return async (
    response: ServerResponse,
    { session, operator, organization }: CountedAs,
  ): Promise<() => void> => {
    const request = inFlight.begin<Counted>([
      { name: session, max: MAX_OF_SESSION, whose: 'This session' },
      // A session whose operator is unknown is counted once.
      ...(operator === session ? [] : [{ name: operator, max: MAX_OF_OPERATOR, whose: 'This operator' }]),
      { name: organization, max: MAX_OF_ORGANIZATION, whose: 'This organization' },
    ]);
    if (request.full !== undefined) throw tooMany(request.full);
    const api = Promise.withResolvers<void>();
    const ended = Promise.all([untilClosed(response), api.promise]);
    ended.then(request.end);
    try {
      await waitForTurn(organization, ended);
    } catch (cause) {
      api.resolve();
      throw refusalOfFullQueue(cause, {
        what: 'requests',
        whose: 'organization',
        retryAfter: 1,
        limit: 'dashboard_waiting',
      });
    }
    if (!response.destroyed) return api.resolve;
    api.resolve();
    throw disconnected();
  };
};
