import { within } from '@chairside/concurrency';
import { loggableError } from '@chairside/telemetry';
import type { MongoClient } from 'mongodb';
import type { Collection, Database } from '../driver/database.ts';
import { isDatabaseInTheMaking } from '../driver/ferretdb.ts';
import { isUnavailableAtStart, NoResponseError } from '../driver/unavailable.ts';
import type { SettingDocument } from '../encryption/encryption-check.ts';
import { checkEncryption } from '../encryption/encryption-check.ts';
import type { Secrets } from '../encryption/secrets.ts';
import { checkVault, type VaultParts } from '../encryption/vault.ts';
import { checkForm, type FormDocument, storeForm } from './database-form.ts';
import { applyIndexes, IndexMissingError } from './indexes.ts';
import {
  checkRunningForms,
  EarlierVersionRunsError,
  type ProcessDocument,
  type Registration,
} from './running-processes.ts';
import { checkServerVersion } from './server-version.ts';
import { applyViews } from './views.ts';

/** How long a starting process waits for a connection to the database before it reports the wait. */
const QUIET_WAIT_MS = 2000;
const RETRY_DELAY_MS = 1000;

/**
 * Called when a starting process waits for its database: `onWaiting` once, with the first error, then `onReady` once.
 */
export type StartListener = { onWaiting(error: unknown): void; onReady(): void };

/** Returns a listener that logs the wait. */
export const loggedWait = (log: {
  warn(fields: object, message: string): void;
  info(message: string): void;
}): StartListener => ({
  onWaiting: (error) => log.warn({ reason: loggableError(error).message }, 'waiting for MongoDB'),
  onReady: () => log.info('MongoDB is ready'),
});

export type PreparationOptions = {
  clients: readonly MongoClient[];
  database: Database;
  /**
   * A database without a time limit for operations. It is used to create the indexes and the views, which may take long.
   */
  untimedDatabase: Database;
  collections: {
    databaseForm: Collection<FormDocument>;
    processes: Collection<ProcessDocument>;
    settings: Collection<SettingDocument>;
  };
  registration: Registration | undefined;
  /** Reads the database's clock. */
  readClock(): Promise<unknown>;
  secrets: Secrets;
  vaultParts: VaultParts;
  /** The size of the largest collection on which an index may be built; default: any. */
  indexBuildMaxDocuments: number | undefined;
};

/** Connects the clients. If the database does not respond soon, `wait` is called, which reports the wait or throws. */
const connect = async (
  clients: readonly MongoClient[],
  lastFailure: () => Error | undefined,
  wait: (error: unknown) => void,
): Promise<void> => {
  // The clients are connected explicitly, because a client whose first connection failed does not retry by itself.
  const connecting = Promise.all(clients.map((client) => client.connect()));
  if ((await within(connecting, QUIET_WAIT_MS)) === undefined) {
    connecting.catch(() => {});
    wait(lastFailure() ?? new NoResponseError('The database does not respond yet.'));
  }
  await connecting;
};

/** Whether a process can go on as soon as an operator has built an index, or has stopped other processes. */
const isWaitForOperator = (error: unknown): boolean =>
  error instanceof IndexMissingError || error instanceof EarlierVersionRunsError;

/** Implements `prepare` of the store. */
export const prepare = async (
  {
    clients,
    database,
    untimedDatabase,
    collections,
    registration,
    readClock,
    secrets,
    vaultParts,
    indexBuildMaxDocuments,
  }: PreparationOptions,
  listener: StartListener | undefined,
): Promise<void> => {
  const { databaseForm, processes, settings } = collections;
  let hasWaited = false;
  let lastFailure: Error | undefined;
  const keepFailure = ({ failure }: { failure: Error }) => {
    lastFailure = failure;
  };
  clients[0]?.on('serverHeartbeatFailed', keepFailure);
  const wait = (error: unknown) => {
    if (listener === undefined) throw error;
    if (!hasWaited) listener.onWaiting(error);
    hasWaited = true;
  };
  const isPrepared = async (): Promise<boolean> => {
    try {
      await connect(clients, () => lastFailure, wait);
      await checkServerVersion(database.driver);
      await readClock();
      // Every process registers before it reads the form, and stores the form before it reads the registrations for the
      // last time. So of two processes whose forms exclude each other, at least one finds the other.
      await registration?.register();
      registration?.keep();
      await checkForm(databaseForm);
      await checkEncryption(settings, secrets);
      await checkVault(vaultParts);
      await checkRunningForms(database, processes);
      await applyIndexes(untimedDatabase.driver, indexBuildMaxDocuments);
      await applyViews(untimedDatabase.driver);
      await storeForm(databaseForm);
      await checkRunningForms(database, processes);
      return true;
    } catch (error) {
      if (isDatabaseInTheMaking(error)) return false;
      if (!isUnavailableAtStart(error) && !isWaitForOperator(error)) throw error;
      wait(error);
      return false;
    }
  };
  try {
    while (!(await isPrepared())) await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
    if (hasWaited) listener?.onReady();
  } catch (error) {
    // A process that is refused does not run.
    await registration?.end();
    throw error;
  } finally {
    clients[0]?.off('serverHeartbeatFailed', keepFailure);
  }
};
