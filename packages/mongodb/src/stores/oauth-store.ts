/*
 * The storage of the OAuth 2.0 authorization server. This module is the export `@chairside/mongodb/oauth`, the only
 * part of the store that the authorization server may import. It reads and writes the collections `oauthState`,
 * `oauthClients`, `oauthLimits` and `connections`, reads the access of operators, the names of organizations and which
 * are suspended, adds audit entries,
 * and registers its process. It has no access to patients.
 */
import { within } from '@chairside/concurrency';
import { OPERATOR_ACCESS, type ViewedOperator } from '../access/operator-view.ts';
import { type AuditTrail, openAuditTrail } from '../audit/audit.ts';
import { auditedSetWriter } from '../audit/audited-sets.ts';
import { type ClientOptions, createClient, withTimeLimit } from '../connection/client.ts';
import { createClockReadings } from '../connection/clock-readings.ts';
import { databaseNamedBy } from '../connection/connection-string.ts';
import { NoResponseError } from '../driver/unavailable.ts';
import { openViewSource } from '../driver/views.ts';
import { openSecrets } from '../encryption/secrets.ts';
import { type OAuthClients, openOAuthClients } from '../oauth/clients.ts';
import { type OAuthGrants, openOAuthGrants } from '../oauth/grants.ts';
import { type OAuthLimits, openOAuthLimits } from '../oauth/limits.ts';
import { type OAuthState, openOAuthState } from '../oauth/state.ts';
import { openRegistration, type RegistrationOptions } from '../preparation/running-processes.ts';
import { openStops } from '../stops/stops.ts';
import { collectionsOf } from './collections.ts';

export type { ConnectionDocument } from '../access/connection-document.ts';
export type { AuditTrail } from '../audit/audit.ts';
export type { Patience } from '../connection/client.ts';
export { checkConnectionString } from '../connection/connection-string.ts';
export { mayReadLater } from '../driver/unavailable.ts';
export type { OAuthClients } from '../oauth/clients.ts';
export type { GrantingOperator, OAuthGrants, Standing } from '../oauth/grants.ts';
export type { Limit, OAuthLimits } from '../oauth/limits.ts';
export type { OAuthState, Payload, StoredState } from '../oauth/state.ts';
export { deriveOAuthKey, oauthStorageKeys } from '../oauth/storage-keys.ts';
export { loggedRegistration } from '../preparation/running-processes.ts';

/** How long the database may take to respond to a ping. */
const PING_TIMEOUT_MS = 2000;
/** The name of the database if the URL contains none. */
const DEFAULT_DATABASE = 'chairside';

/** The repositories of the authorization server. */
export type OAuthStore = {
  state: OAuthState;
  clients: OAuthClients;
  limits: OAuthLimits;
  grants: OAuthGrants;
  trail: Pick<AuditTrail, 'add' | 'addUnique'>;
  /**
   * Registers this process in the database and keeps its clock at that of the database, until `close`. While the database
   * is unreachable, it tries again.
   */
  register(): void;
  /** @throws if the database does not respond within two seconds */
  ping(): Promise<void>;
  close(): Promise<void>;
};

/**
 * Opens the store of the authorization server. The first operation connects.
 *
 * @param options.url its path names the database (default `chairside`)
 * @param options.keys `id:base64,id:base64,…`, each key of 32 bytes; the first encrypts, all decrypt
 * @param options.registration if absent, `register` does nothing
 * @param options.auditRetentionDays how long new audit entries are kept
 * @throws {MongoParseError} when the URL is not a connection string
 */
export const openOAuthStore = ({
  keys,
  auditRetentionDays,
  registration: registrationOptions,
  ...options
}: ClientOptions & {
  keys: string;
  auditRetentionDays: number;
  registration?: RegistrationOptions | undefined;
}): OAuthStore => {
  const client = createClient(options);
  const name = databaseNamedBy(options.url) ?? DEFAULT_DATABASE;
  const database = withTimeLimit(client.db(name), options.patience ?? {});
  const collections = collectionsOf(database);
  const secrets = openSecrets(keys);
  const registration = registrationOptions && openRegistration(collections, registrationOptions);
  const clockReadings = registrationOptions && createClockReadings(database, registrationOptions.onSkew);
  const state = openOAuthState(collections.oauthState, secrets);
  const operatorSource = openViewSource(database.driver, OPERATOR_ACCESS);
  const operators = async () => database.collection<ViewedOperator>((await operatorSource()).collection);
  return {
    state,
    clients: openOAuthClients(collections.oauthClients, secrets),
    limits: openOAuthLimits(collections.oauthLimits),
    grants: openOAuthGrants({ ...collections, operators, stops: openStops(collections.stops) }, state),
    trail: openAuditTrail(
      collections.auditEntries,
      auditedSetWriter(collections.auditedSets),
      auditRetentionDays,
    ),
    register() {
      registration?.keep();
      clockReadings?.begin().catch(() => {});
    },
    async ping() {
      const response = await within(database.driver.command({ ping: 1 }), PING_TIMEOUT_MS);
      if (response === undefined) throw new NoResponseError('The database does not respond.');
    },
    async close() {
      clockReadings?.end();
      await registration?.end();
      await client.close();
    },
  };
};
