import { type FoundApiKey, findApiKey } from '../access/api-keys.ts';
import { type Challenges, openChallenges } from '../access/challenges.ts';
import { type FactorChecks, openFactorChecks } from '../access/factor-checks.ts';
import { type OperatorLinks, openOperatorLinks } from '../access/operator-links.ts';
import { organizationNameIn } from '../access/organization-document.ts';
import { type EveryProgramToken, openProgramTokens, programTokensOf } from '../access/program-tokens.ts';
import { openSessions, type Sessions } from '../access/sessions.ts';
import type { AuditTrail } from '../audit/audit.ts';
import { mailsOf } from '../mails/organization-mails.ts';
import type { Stops } from '../stops/stops.ts';
import { type SendsMail, sendsMailBy } from './sends-mail.ts';
import { openStoreBase, type StoreBase, type StoreOptions } from './store-base.ts';
import type { StoreParts } from './store-parts.ts';

/** What finds out who sends a request, before its organization is known. */
export type Credentials = {
  findApiKey(secret: string, now: Date): Promise<FoundApiKey | undefined>;
  sessions: Sessions;
  programTokens: EveryProgramToken;
  audit: AuditTrail;
  sendsMail: SendsMail;
  operatorLinks: OperatorLinks;
  challenges: Challenges;
  factorChecks: FactorChecks;
  stops: Stops;
};

/** The store of a service with requests: everything of one organization, and of all organizations only credentials. */
export type Store = StoreBase & { everyOrganization: Credentials };

export const openCredentials = ({
  database,
  collections,
  ciphers,
  passwords,
  trail,
  lanes,
  stops,
  secrets,
  factorRequirements,
}: StoreParts): Credentials => {
  const { apiKeys, operators, sessions, mails } = collections;
  const challenges = openChallenges(collections.challenges);
  return {
    findApiKey: (secret, now) => findApiKey(apiKeys, secret, now),
    sessions: openSessions({
      sessions,
      operators,
      passwords,
      challenges,
      stops,
      factorRequirements,
    }),
    challenges,
    factorChecks: openFactorChecks(operators, secrets),
    programTokens: openProgramTokens({ ...collections, trail }),
    audit: trail,
    operatorLinks: openOperatorLinks({
      operators,
      collectionsOf: (organizationId) => ({ ...collections, organizationId }),
      mailsOf: (organizationId) => mailsOf(mails, () => ciphers.of(organizationId), organizationId),
      programTokensOf: (organizationId) => programTokensOf({ ...collections, trail }, organizationId),
      organizationName: (organizationId) => organizationNameIn(database, organizationId),
      passwords,
    }),
    sendsMail: sendsMailBy(lanes),
    stops,
  };
};

/** @param options see {@link openStoreBase} */
export const openStore = (options: StoreOptions): Store => {
  const { base, parts } = openStoreBase(options);
  return { ...base, everyOrganization: openCredentials(parts) };
};
