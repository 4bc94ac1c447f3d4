import { beyondFullQueue, createFairQueue, refusalOfFullQueue } from '@chairside/concurrency';
import { clock, PROGRAM_TOKEN_PREFIX, type Principal, Refusal, type ResourceLimit } from '@chairside/domain';
import { disconnected, networkOf, siteOf } from '@chairside/http-server';
import { type Credentials, cachedStops } from '@chairside/mongodb';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { accessOf, authorize } from './authorization.ts';
import { cachedPrincipals } from './principal-cache.ts';
import type { RejectionGuard } from './rate-limit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The API key, the operator or the program token behind the request. It is undefined on routes with `access: 'public'`. */
    principal: Principal;
    /** When the principal was last looked up, by the monotonic clock. */
    identifiedAt: number;
    /**
     * Authenticates and authorizes a request again after it has waited, for example for its body, for its turn, or for
     * a slow reader.
     *
     * @param age how old the last lookup may be, in milliseconds; 0 by default
     * @throws {Refusal} if the credentials have become invalid, if the principal has lost access to the route or to a
     *   clinic, or if too many lookups wait
     */
    authorizeAgain(age?: number): Promise<void>;
  }
}

/**
 * Maximum numbers of lookups of credentials: at once in the process, at once for one network or organization, and
 * waiting. Lookups can use only some of the database operations, so that requests whose turn it is can use the others.
 */
const LOOKUPS = { atOnce: 10, atOnceOfCaller: 5, maxWaiting: 4000 };
/** How many credentials are remembered as valid. */
const MAX_KNOWN = 10_000;

const part = 'Connections and requests';
export const lookupLimits: readonly ResourceLimit[] = [
  {
    id: 'lookups',
    part,
    resource: 'Credentials being looked up',
    value: LOOKUPS.atOnce,
    unit: 'at once in each process',
    beyond: 'the request waits; networks and organizations take turns',
  },
  {
    id: 'lookups_of_network',
    part,
    resource:
      'Credentials being looked up for one organization, if they were valid before; otherwise for one network',
    value: LOOKUPS.atOnceOfCaller,
    unit: 'at once in each process',
    beyond: 'the request waits; networks and organizations take turns',
  },
  {
    id: 'lookups_waiting',
    part,
    resource: 'Requests that wait until their credentials are looked up',
    value: LOOKUPS.maxWaiting,
    unit: 'in each process',
    beyond: beyondFullQueue('a network or organization'),
    metric: 'chairside_api_refusals_total',
  },
];

const unauthorized = (message: string): Refusal => new Refusal('Unauthorized', message);

const credentials = (header: string | undefined): { scheme: 'basic' | 'token'; secret: string } => {
  if (header === undefined) {
    throw unauthorized(
      'Credentials are missing. Send the header Authorization: Basic <base64 of an API key>, or Token <access token>.',
    );
  }
  const [, name = '', value = ''] = /^(\S+) +(\S+)$/.exec(header) ?? [];
  const scheme = name.toLowerCase();
  if (scheme === 'token') return { scheme, secret: value };
  if (scheme !== 'basic') {
    throw unauthorized(
      'The header Authorization must be Basic <base64 of an API key>, or Token <access token>.',
    );
  }
  const secret = Buffer.from(value, 'base64').toString('utf8');
  if (secret.includes(':')) {
    throw unauthorized(
      'The encoded credentials contain a colon. Encode only the secret of the API key in base64, without a user name and without a colon.',
    );
  }
  return { scheme, secret };
};

type Principals = Pick<Credentials, 'findApiKey' | 'sessions' | 'programTokens' | 'stops'>;

/** The refusal of every caller of an organization that an operator of the service has suspended. */
export const suspended = (): Refusal =>
  new Refusal(
    'Forbidden',
    'The operator of this service has suspended the access of your organization. Nothing is lost, and webhooks wait. Ask the operator of the service.',
    { details: { reason: 'organization_suspended' } },
  );

/**
 * @returns a function that looks up the principal of a request. It throws the refusal Unauthorized if there is none,
 *   Forbidden if its organization is suspended, TooManyRequests or ServiceUnavailable if too many lookups wait, and BadRequest if the caller has disconnected
 */
const createIdentify = (principals: Principals) => {
  const turns = createFairQueue(LOOKUPS);
  const stopped = cachedStops(principals.stops);
  /**
   * The organizations of credentials that were valid at their last use. These credentials wait for the turn of their
   * organization, because one organization can call from many networks.
   */
  const known = new LRUCache<string, string>({ max: MAX_KNOWN });
  const inTurn = async <T>(caller: string, lookup: () => Promise<T>): Promise<T> => {
    try {
      return await turns.run(caller, lookup);
    } catch (error) {
      throw refusalOfFullQueue(error, {
        what: 'requests',
        whose: 'network or organization',
        retryAfter: 1,
        limit: 'lookups_waiting',
      });
    }
  };
  const findApiKey = cachedPrincipals((secret) => principals.findApiKey(secret, clock.now()));

  /** Finds the operator or the program token of an access token. */
  const findToken = async (
    secret: string,
    { headers, callerAddress, isForwarded }: FastifyRequest,
  ): Promise<Principal | undefined> => {
    if (!secret.startsWith(PROGRAM_TOKEN_PREFIX)) {
      const isBackground = headers['x-background'] === '1';
      return principals.sessions.findOperator(secret, clock.now(), { isBackground });
    }
    // The dashboard forwards requests of people. A program token in its cookie is no session.
    if (isForwarded) return undefined;
    return principals.programTokens.find(secret, clock.now(), networkOf(callerAddress));
  };

  return async (request: FastifyRequest): Promise<Principal> => {
    const { scheme, secret } = credentials(request.headers.authorization);
    const organizationId = known.get(secret);
    const caller =
      organizationId === undefined ? siteOf(request.callerAddress) : `organization ${organizationId}`;
    const principal = await inTurn(caller, async () => {
      if (request.socket.destroyed) throw disconnected();
      return scheme === 'basic' ? findApiKey(secret) : findToken(secret, request);
    });
    if (principal === 'ended')
      throw unauthorized(
        'This API key has ended, or its secret was replaced. Use its new secret, or ask an administrator to move its end.',
      );
    if (principal !== undefined) {
      known.set(secret, principal.organizationId);
      if ((await stopped()).organizations.has(principal.organizationId)) throw suspended();
      return principal;
    }
    known.delete(secret);
    throw unauthorized(
      scheme === 'basic'
        ? 'This API key is not valid. Check the secret, and encode only the secret in base64.'
        : 'This access token is not valid or has ended. Sign in again, or create another program token.',
    );
  };
};

/** Whether a caller has lost a clinic. What the request reads may have begun before. */
const hasFewerClinics = (now: Principal, before: Principal): boolean => {
  if (now.kind === 'operator' || before.kind === 'operator' || now.clinicIds === undefined) return false;
  const { clinicIds } = now;
  return before.clinicIds?.every((id) => clinicIds.includes(id)) !== true;
};

/** Sets `request.principal`, except on routes with `access: 'public'`. */
export const authentication = (
  app: FastifyInstance,
  principals: Principals,
  rejections: RejectionGuard,
): void => {
  const identify = createIdentify(principals);

  app.decorateRequest('principal');
  app.decorateRequest('identifiedAt', 0);
  app.decorateRequest('authorizeAgain', async function (this: FastifyRequest, age = 0) {
    const access = accessOf(this);
    if (access === undefined || access === 'public' || performance.now() - this.identifiedAt < age) return;
    this.identifiedAt = performance.now();
    const before = this.principal;
    this.principal = await identify(this);
    authorize(this.principal, access);
    if (hasFewerClinics(this.principal, before))
      throw new Refusal('Forbidden', 'The clinics of this API key have changed. Send the request again.');
  });

  app.addHook('onRequest', async (request, reply) => {
    const access = accessOf(request);
    if (access === undefined || access === 'public') return;
    request.identifiedAt = performance.now();
    try {
      request.principal = await identify(request);
    } catch (error) {
      if (!(error instanceof Refusal) || error.name !== 'Unauthorized') throw error;
      await rejections.count(request.callerAddress);
      throw error;
    }
    // The dashboard counts its requests by operator and organization, and removes this header.
    const { organizationId, id } = request.principal;
    request.work.caller = organizationId;
    if (request.isForwarded) reply.header('x-principal', `${organizationId} ${id}`);
  });
};

/**
 * Stores the first use of a program token from a network, with an audit entry. This comes after the rate limit, so that
 * nobody who has a token can cause any number of entries.
 */
export const newNetworks = (
  app: FastifyInstance,
  { programTokens }: Pick<Credentials, 'programTokens'>,
): void => {
  app.addHook('onRequest', async ({ principal, callerAddress: address, id: requestId }) => {
    if (principal?.kind !== 'programToken' || !principal.isFromNewNetwork) return;
    await programTokens.addNetwork(principal, { network: networkOf(address), address, requestId });
  });
};
