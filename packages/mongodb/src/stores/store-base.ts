import { within } from '@chairside/concurrency';
import { DEFAULT_AUDIT_RETENTION_DAYS, ServiceError } from '@chairside/domain';
import { openFactorRequirements } from '../access/organization-document.ts';
import { openPasswords, type Passwords } from '../access/passwords.ts';
import { openAuditTrail } from '../audit/audit.ts';
import { auditedSetWriter } from '../audit/audited-sets.ts';
import { type ClientOptions, createClient, withTimeLimit } from '../connection/client.ts';
import { createClockReadings } from '../connection/clock-readings.ts';
import { databaseNamedBy } from '../connection/connection-string.ts';
import { createOperationTurns, type OperationTurns } from '../connection/operation-turns.ts';
import { openDeliveries } from '../deliveries/deliveries.ts';
import { Database } from '../driver/database.ts';
import { databaseTime } from '../driver/statements.ts';
import { NoResponseError } from '../driver/unavailable.ts';
import { type Ciphers, type EncryptionListener, openCiphers } from '../encryption/ciphers.ts';
import { openDataKeys } from '../encryption/data-keys.ts';
import { environmentKeys } from '../encryption/key-wrapper.ts';
import { searchStates } from '../encryption/search-state.ts';
import { openSecrets, type Secrets } from '../encryption/secrets.ts';
import { openLaneRequests } from '../lanes/lane-requests.ts';
import { openLaneStore } from '../lanes/lane-store.ts';
import { prepare, type StartListener } from '../preparation/preparation.ts';
import { openRegistration, type RegistrationOptions } from '../preparation/running-processes.ts';
import { openStops } from '../stops/stops.ts';
import { collectionsOf } from './collections.ts';
import { type OrganizationStore, organizationStores } from './organization-store.ts';
import type { StoreParts } from './store-parts.ts';

/** What every door of the store has. */
export type StoreBase = {
  organization(id: string, clinicIds?: readonly string[]): OrganizationStore;
  /** Encryption with the keys of this database, for values that callers receive and send back, such as cursors. */
  secrets: Secrets;
  /** The encryption of what identifies patients. */
  ciphers: Pick<Ciphers, 'of' | 'usedShare'>;
  /** The queue of password hashes, for metrics. */
  passwords: Pick<Passwords, 'waiting'>;
  /** The database operations of organizations that wait for their turn, for metrics. */
  operations: Pick<OperationTurns, 'waiting'>;
  /**
   * Prepares the database: checks its version and the encryption keys, and creates missing indexes and the view.
   *
   * @param listener if given, `prepare` waits for a database that is unavailable; if absent, it throws the first error
   * @throws {SettingsError} when the keys cannot decrypt the stored data
   * @throws {UnusableDatabaseError} when the server is too old, an index or the view has another definition, or the form
   *   of the data excludes this version or a running process
   */
  prepare(listener?: StartListener): Promise<void>;
  /**
   * Connects explicitly, and reads the database's clock. Without this call, the first operation connects.
   *
   * @throws if the database stays unavailable for as long as the store waits; {@link ServiceError} if the vault does
   */
  connect(): Promise<void>;
  /** @throws when the database does not respond within two seconds */
  ping(): Promise<void>;
  close(): Promise<void>;
};

/** How long the database may take to respond to a ping. */
const PING_TIMEOUT_MS = 2000;
/** The name of the database if the URL contains none. */
const DEFAULT_DATABASE = 'chairside';
/** The name of the vault if its URL contains none. */
const DEFAULT_VAULT = 'chairside-vault';
const unreachableVault = (name: string): string =>
  `The vault cannot be reached (${name}). Check that it is running and that VAULT_URL is correct, then run the same command again.`;
/** The vault is read once a minute for each organization. */
const VAULT_OPERATIONS = 5;

/** The options of each door of the store. */
export type StoreOptions = ClientOptions & {
  encryptionKeys: string;
  /** A second database for the data keys. If empty, the database itself has them. */
  vaultUrl?: string | undefined;
  /** How long new audit entries are kept. */
  auditRetentionDays?: number;
  /** Hashes passwords; by default the store creates a queue of its own. */
  passwords?: Passwords | undefined;
  indexBuildMaxDocuments?: number | undefined;
  /**
   * If given, `prepare` registers this process in the database and keeps its clock at that of the database, until
   * `close`.
   */
  registration?: RegistrationOptions | undefined;
  encryption?: EncryptionListener;
};

/**
 * @param options.url its path names the database (default `chairside`)
 * @throws {MongoParseError} when the URL is not a connection string
 */
export const openStoreBase = ({
  encryptionKeys,
  vaultUrl = '',
  auditRetentionDays = DEFAULT_AUDIT_RETENTION_DAYS,
  indexBuildMaxDocuments,
  passwords = openPasswords(),
  registration: registrationOptions,
  encryption: listener = { onUnreadable: () => {}, onUnusableKeys: () => {}, onError: () => {} },
  ...options
}: StoreOptions): { base: StoreBase; parts: StoreParts } => {
  const { operationMs, ...untimed } = options.patience ?? {};
  const client = createClient(options);
  const untimedClient =
    operationMs === undefined
      ? client
      : createClient({ ...options, availability: undefined, patience: untimed });
  const name = databaseNamedBy(options.url) ?? DEFAULT_DATABASE;
  const database = withTimeLimit(client.db(name), options.patience ?? {});
  const untimedDatabase = new Database(untimedClient.db(name));

  const secrets = openSecrets(encryptionKeys);
  const collections = collectionsOf(database);
  const vaultClient =
    vaultUrl === ''
      ? undefined
      : createClient({ ...options, url: vaultUrl, maxOperations: VAULT_OPERATIONS });
  const vault =
    vaultClient &&
    withTimeLimit(vaultClient.db(databaseNamedBy(vaultUrl) ?? DEFAULT_VAULT), options.patience ?? {});
  const dataKeys = openDataKeys(
    vault === undefined ? collections.dataKeys : collectionsOf(vault).dataKeys,
    environmentKeys(secrets),
    database.collection('organizations'),
  );
  const searchState = searchStates(database.collection('organizations'));
  const ciphers = openCiphers({ keys: dataKeys, searchState, ...listener });
  const encryption = {
    ciphers,
    dataKeys,
    searchState,
    vaultParts: { settings: collections.settings, secrets, ownKeys: collections.dataKeys, vault },
  };
  const parts: StoreParts = {
    database,
    untimedDatabase,
    collections,
    secrets,
    ...encryption,
    passwords,
    factorRequirements: openFactorRequirements(collections.organizations),
    trail: openAuditTrail(
      collections.auditEntries,
      auditedSetWriter(collections.auditedSets),
      auditRetentionDays,
    ),
    stops: openStops(collections.stops),
    deliveries: openDeliveries(collections.deliveries, ciphers),
    lanes: openLaneStore(database, collections.lanes, collections.leases),
    laneRequests: openLaneRequests(database, collections.laneRequests),
  };

  const registration = registrationOptions && openRegistration(collections, registrationOptions);
  const clockReadings = registrationOptions && createClockReadings(database, registrationOptions.onSkew);
  const turns = createOperationTurns(client.options);

  const base: StoreBase = {
    secrets,
    ciphers,
    passwords,
    operations: turns,
    organization: organizationStores(parts, turns),
    prepare: (listener) =>
      prepare(
        {
          ...parts,
          clients: [client, untimedClient, ...(vaultClient ? [vaultClient] : [])],
          registration,
          readClock: () => clockReadings?.begin() ?? databaseTime(database),
          indexBuildMaxDocuments,
        },
        listener,
      ),
    async connect() {
      // The errors of the driver do not say which of the two databases they are about.
      const connectingVault = vaultClient?.connect().catch((cause: Error) => {
        throw new ServiceError(unreachableVault(cause.name), { cause });
      });
      await Promise.all([client.connect(), connectingVault]);
      await databaseTime(database);
    },
    async ping() {
      const response = await within(database.driver.command({ ping: 1 }), PING_TIMEOUT_MS);
      if (response === undefined) throw new NoResponseError('The database does not respond.');
    },
    async close() {
      clockReadings?.end();
      await ciphers.close();
      await registration?.end();
      await Promise.all([client.close(), untimedClient.close(), vaultClient?.close()]);
    },
  };
  return { base, parts };
};
