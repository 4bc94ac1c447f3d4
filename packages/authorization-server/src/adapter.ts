import { clock, fromMachineTime, ServiceError, toMachineTime } from '@chairside/domain';
import { siteOf } from '@chairside/http-server';
import type { OAuthStore, Payload } from '@chairside/mongodb/oauth';
import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import { callers } from './callers.ts';
import { DOCUMENT_KIND, USED_CLIENT_LIFE_MS } from './client-documents.ts';
import type { EndGrant } from './ended-grants.ts';
import type { AuthorizationMetrics } from './metrics.ts';
import { stored } from './unavailable.ts';

/** How long a new client stays registered if no administrator connects it. */
const UNUSED_CLIENT_LIFE_MS = 24 * 60 * 60 * 1000;
/** How long a grant waits for its code to be exchanged. Each token that is issued extends the life of the grant. */
export const NEW_GRANT_LIFE_MS = 10 * 60 * 1000;

/** The fields of a payload that are times, in seconds since 1970. oidc-provider reads them from the clock of the machine. */
const TIMES = ['iat', 'iiat', 'exp', 'loginTs'] as const;

/** A payload with its times converted, so that they mean the same to a dashboard on another machine. */
const withTimes = (payload: AdapterPayload, convert: (seconds: number) => number): AdapterPayload => {
  const times = TIMES.flatMap((name) => {
    const seconds = payload[name];
    return typeof seconds === 'number' ? [[name, convert(seconds)] as const] : [];
  });
  return { ...payload, ...Object.fromEntries(times) };
};

/** Stands in for the methods of an adapter that are never called. */
const unused = async (): Promise<never> => {
  throw new ServiceError('this feature of the authorization server is off');
};

/** The adapter of clients, which have a collection of their own. */
const clientAdapter = (
  { clients }: OAuthStore,
  { clientRegistered }: Pick<AuthorizationMetrics, 'clientRegistered'>,
): Adapter => ({
  async upsert(id, payload) {
    const createdTime = clock.now();
    const expireAt = new Date(createdTime.getTime() + UNUSED_CLIENT_LIFE_MS);
    const network = siteOf(callers.getStore()?.address);
    await stored(clients.save(id, payload as Payload, { createdTime, expireAt, network }));
    clientRegistered();
  },
  find: async (id) => (await stored(clients.find(id, clock.now()))) as AdapterPayload | undefined,
  destroy: (id) => stored(clients.remove(id)),
  findByUid: unused,
  findByUserCode: unused,
  consume: unused,
  revokeByGrantId: unused,
});

/**
 * The authorization server stores no session of its own. Each authorization checks the session of the dashboard
 * instead, so signing out of the dashboard leaves no other session behind.
 */
const noSessions: Adapter = {
  upsert: async () => {},
  find: async () => undefined,
  findByUid: async () => undefined,
  destroy: async () => {},
  findByUserCode: unused,
  consume: unused,
  revokeByGrantId: unused,
};

/** The adapter of codes, tokens, grants and interactions. */
const stateAdapter = (kind: string, { state, clients, grants }: OAuthStore, endGrant: EndGrant): Adapter => {
  const isToken = kind === 'AccessToken' || kind === 'RefreshToken';

  /** A new token extends the life of its grant, of its client, and of the client's document. */
  const keepGrant = async (payload: AdapterPayload, now: number, expireAt: Date): Promise<void> => {
    if (!isToken || payload.grantId === undefined) return;
    const { grantId, clientId } = payload;
    const clientExpireAt = new Date(now + USED_CLIENT_LIFE_MS);
    await Promise.all([
      grants.keep(grantId, expireAt),
      clientId !== undefined && clients.keep(clientId, clientExpireAt),
      clientId !== undefined && state.keep(DOCUMENT_KIND, clientId, clientExpireAt),
    ]);
  };

  return {
    async upsert(id, payload, expiresIn) {
      const now = clock.now().getTime();
      const life = kind === 'Grant' || expiresIn === undefined ? NEW_GRANT_LIFE_MS : expiresIn * 1000;
      const expireAt = new Date(now + life);
      const grantId =
        kind === 'Grant' ? id : isToken || kind === 'AuthorizationCode' ? payload.grantId : undefined;
      await stored(
        state.save(kind, id, withTimes(payload, fromMachineTime) as Payload, { grantId, expireAt }),
      );
      await stored(keepGrant(payload, now, expireAt));
    },

    async find(id) {
      const found = await stored(state.find(kind, id, clock.now()));
      if (found === undefined) return undefined;
      const { payload, consumedTime } = found;
      return {
        ...withTimes(payload, toMachineTime),
        ...(consumedTime && { consumed: Math.floor(consumedTime.getTime() / 1000) }),
      };
    },

    async consume(id) {
      if (await stored(state.consume(kind, id, clock.now()))) return;
      // Another caller has used the value since it was read. One of the two callers may not be the app that the value
      // was issued to, so the grant is ended.
      const grantId = await stored(state.grantOf(kind, id));
      if (grantId !== undefined) await endGrant(grantId, 'replay');
      throw new errors.InvalidGrant('it was used before');
    },

    async destroy(id) {
      if (kind === 'Grant') return endGrant(id, callers.getStore()?.revokes ? 'revoked' : 'replay');
      // A token is removed together with its grant. If it was removed before, and ending the grant failed, the next try
      // would not find the token, and the grant would remain.
      if (!isToken) await stored(state.remove(kind, id));
    },

    // oidc-provider also destroys the grant, which removes everything that belongs to it.
    async revokeByGrantId() {},
    findByUid: unused,
    findByUserCode: unused,
  };
};

/** The storage of the authorization server, in the form that oidc-provider requires. */
export const adapterOf =
  (
    store: OAuthStore,
    { metrics, endGrant }: { metrics: Pick<AuthorizationMetrics, 'clientRegistered'>; endGrant: EndGrant },
  ) =>
  (kind: string): Adapter => {
    if (kind === 'Client') return clientAdapter(store, metrics);
    if (kind === 'Session') return noSessions;
    return stateAdapter(kind, store, endGrant);
  };
