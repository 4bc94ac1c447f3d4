import type { OAuthStore, Payload } from '@chairside/mongodb/oauth';
import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import type { AuthorizationMetrics } from './metrics.ts';
import { stored } from './unavailable.ts';

/** How long a client stays registered that no administrator has connected yet. */
const UNUSED_CLIENT_LIFE_MS = 24 * 60 * 60 * 1000;
/** How long a client stays registered after the last token was issued to it. */
const USED_CLIENT_LIFE_MS = 90 * 24 * 60 * 60 * 1000;
/** How long a grant waits for its code to be exchanged. Its tokens prolong it. */
export const NEW_GRANT_LIFE_MS = 10 * 60 * 1000;

export type AdapterEvents = Pick<AuthorizationMetrics, 'grantEnded' | 'clientRegistered'>;

/** The parts of a model that cannot occur here, because its feature is off. */
const unused = async (): Promise<never> => {
  throw new Error('this feature of the authorization server is off');
};

/** Clients have a collection of their own: they are no secrets, and live longer. */
const clientAdapter = ({ clients }: OAuthStore, { clientRegistered }: AdapterEvents): Adapter => ({
  async upsert(id, payload) {
    const now = new Date();
    await stored(clients.save(id, payload as Payload, now, new Date(now.getTime() + UNUSED_CLIENT_LIFE_MS)));
    clientRegistered();
  },
  find: async (id) => (await stored(clients.find(id, new Date()))) as AdapterPayload | undefined,
  destroy: (id) => stored(clients.remove(id)),
  findByUid: unused,
  findByUserCode: unused,
  consume: unused,
  revokeByGrantId: unused,
});

/**
 * The authorization server keeps no session of its own, so that signing out of the dashboard leaves none behind: each
 * authorization asks for the session of the dashboard.
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

/** Codes, tokens, grants and interactions. */
const stateAdapter = (
  kind: string,
  { state, clients, grants }: OAuthStore,
  { grantEnded }: AdapterEvents,
): Adapter => {
  const isToken = kind === 'AccessToken' || kind === 'RefreshToken';

  /** A grant lives as long as its tokens. */
  const keepGrant = async (payload: AdapterPayload, now: number, expireAt: Date): Promise<void> => {
    if (!isToken || payload.grantId === undefined) return;
    await Promise.all([
      grants.keep(payload.grantId, expireAt),
      payload.clientId !== undefined && clients.keep(payload.clientId, new Date(now + USED_CLIENT_LIFE_MS)),
    ]);
  };

  return {
    async upsert(id, payload, expiresIn) {
      const now = Date.now();
      const life = kind === 'Grant' || expiresIn === undefined ? NEW_GRANT_LIFE_MS : expiresIn * 1000;
      const expireAt = new Date(now + life);
      const grantId =
        kind === 'Grant' ? id : isToken || kind === 'AuthorizationCode' ? payload.grantId : undefined;
      await stored(state.save(kind, id, payload as Payload, { grantId, expireAt }));
      await stored(keepGrant(payload, now, expireAt));
    },

    async find(id) {
      const found = await stored(state.find(kind, id, new Date()));
      if (found === undefined) return undefined;
      const { payload, consumedTime } = found;
      return { ...payload, ...(consumedTime && { consumed: Math.floor(consumedTime.getTime() / 1000) }) };
    },

    async consume(id) {
      if (await stored(state.consume(kind, id, new Date()))) return;
      // Another caller used it between the read and now. One of the two callers is not the app that it was issued to.
      const grantId = await stored(state.grantOf(kind, id));
      if (grantId !== undefined) {
        await stored(grants.end(grantId));
        grantEnded('replay');
      }
      throw new errors.InvalidGrant('it was used before');
    },

    async destroy(id) {
      if (kind === 'Grant') return stored(grants.end(id));
      await stored(state.remove(kind, id));
    },

    revokeByGrantId: (grantId) => stored(state.removeKind(kind, grantId)),
    findByUid: unused,
    findByUserCode: unused,
  };
};

/** What the authorization server stores, in the form that oidc-provider asks for. */
export const adapterOf =
  (store: OAuthStore, events: AdapterEvents) =>
  (kind: string): Adapter => {
    if (kind === 'Client') return clientAdapter(store, events);
    if (kind === 'Session') return noSessions;
    return stateAdapter(kind, store, events);
  };
