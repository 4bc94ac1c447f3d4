import { type FoundApiKey, findApiKey } from '../access/api-keys.ts';
import { type EveryProgramToken, openProgramTokens } from '../access/program-tokens.ts';
import { openSessions, type Sessions } from '../access/sessions.ts';
import type { AuditTrail } from '../audit/audit.ts';
import type { Stops } from '../stops/stops.ts';
import { openStoreBase, type StoreBase, type StoreOptions } from './store-base.ts';
import type { StoreParts } from './store-parts.ts';

/** What finds out who sends a request, before its organization is known. */
export type Credentials = {
  findApiKey(secret: string, now: Date): Promise<FoundApiKey | undefined>;
  sessions: Sessions;
  programTokens: EveryProgramToken;
  audit: AuditTrail;
  stops: Stops;
};

/** The store of a service with requests: everything of one organization, and of all organizations only credentials. */
export type Store = StoreBase & { everyOrganization: Credentials };

export const openCredentials = ({ collections, passwords, trail, stops }: StoreParts): Credentials => {
  const { apiKeys, operators, sessions } = collections;
  return {
    findApiKey: (secret, now) => findApiKey(apiKeys, secret, now),
    sessions: openSessions(sessions, operators, passwords, stops),
    programTokens: openProgramTokens({ ...collections, trail }),
    audit: trail,
    stops,
  };
};

/** @param options see {@link openStoreBase} */
export const openStore = (options: StoreOptions): Store => {
  const { base, parts } = openStoreBase(options);
  return { ...base, everyOrganization: openCredentials(parts) };
};
