/*
 * The schedule of a practice: its settings, and the times at which its clinics are busy. This module is the export
 * `@chairside/mongodb/schedule`, the only part of the store that the read-only connector may import. It reads the
 * collections of settings, the clinics, the form of the database, and the view `scheduleBusyV1` (the appointments on a
 * database without views). It never writes, and it has no access to patients.
 */

import { within } from '@chairside/concurrency';
import { UnusableDatabaseError } from '@chairside/startup';
import { MongoServerError } from 'mongodb';
import { type ClientOptions, createClient, withTimeLimit } from '../connection/client.ts';
import { createClockReadings, type SkewListener } from '../connection/clock-readings.ts';
import { databaseNamedBy } from '../connection/connection-string.ts';
import { NoResponseError } from '../driver/unavailable.ts';
import { checkForm } from '../preparation/database-form.ts';
import { openBusySource } from '../schedule/busy-view.ts';
import { createOccupiedReads } from '../schedule/occupied-reads.ts';
import { type OrganizationSchedule, scheduleOf } from '../schedule/organization-schedule.ts';
import { collectionsOf } from './collections.ts';

export type { AvailabilityListener, ClientOptions, CommandListener, Patience } from '../connection/client.ts';
export { checkConnectionString } from '../connection/connection-string.ts';
export { isUnavailableAtStart, mayReadLater } from '../driver/unavailable.ts';
export { loggedSkew } from '../preparation/running-processes.ts';
export { MAX_BLOCKS, MAX_BUSY_INTERVALS } from '../schedule/occupied-reads.ts';
export {
  MAX_SETTINGS,
  type OrganizationSchedule,
  type ScheduleClinic,
  type SettingList,
  type WholeRange,
} from '../schedule/organization-schedule.ts';
export type { ClinicRange } from '../schedule/schedule-conditions.ts';

/** How long the database may take to respond to a ping. */
const PING_TIMEOUT_MS = 2000;
/** The name of the database if the URL contains none. */
const DEFAULT_DATABASE = 'chairside';

/** The error code of a command that the database user has no right to. */
const UNAUTHORIZED = 13;
const explainRight = (error: unknown): never => {
  if (!(error instanceof MongoServerError && error.code === UNAUTHORIZED)) throw error;
  throw new UnusableDatabaseError(
    'The user of MONGODB_URL may not read the collection databaseForm. Give the user the role of docs/schedule.md.',
    { cause: error },
  );
};

/** A connection to the schedules of all organizations. `organization` returns the schedule of one of them. */
export type Schedule = {
  organization(id: string): OrganizationSchedule;
  /**
   * Connects explicitly. Without this call, the first operation connects.
   *
   * @throws if the database stays unavailable for as long as the options say
   */
  connect(): Promise<void>;
  /**
   * Checks that this version can read the form of the database, and that the times of appointments can be read, so that
   * a process can refuse to start. Keeps the clock of this process at that of the database from then on. Changes nothing
   * in the database.
   *
   * @throws {UnusableDatabaseError} if it cannot, if the view is missing, or if the user may not read either
   */
  check(): Promise<void>;
  /** @throws when the database does not respond within two seconds */
  ping(): Promise<void>;
  close(): Promise<void>;
};

/**
 * Opens the schedules of a database. No encryption keys are needed, because the settings contain no secrets.
 *
 * @param options.url its path names the database (default `chairside`)
 * @throws {MongoParseError} when the URL is not a connection string
 */
export const openSchedule = ({
  onSkew = () => {},
  ...options
}: ClientOptions & { onSkew?: SkewListener }): Schedule => {
  const client = createClient(options);
  const name = databaseNamedBy(options.url) ?? DEFAULT_DATABASE;
  const database = withTimeLimit(client.db(name), options.patience ?? {});
  const clockReadings = createClockReadings(database, onSkew);
  const occupied = { busySource: openBusySource(database), reads: createOccupiedReads() };
  return {
    organization: (id) => scheduleOf(database, id, occupied),
    async connect() {
      await client.connect();
    },
    async check() {
      await clockReadings.begin();
      await checkForm(collectionsOf(database).databaseForm).catch(explainRight);
      await occupied.busySource();
    },
    async ping() {
      const response = await within(database.driver.command({ ping: 1 }), PING_TIMEOUT_MS);
      if (response === undefined) throw new NoResponseError('The database does not respond.');
    },
    async close() {
      clockReadings.end();
      await client.close();
    },
  };
};
