import { UnusableDatabaseError } from '@chairside/runtime';
import { type Db, type Document, MongoServerError } from 'mongodb';
import { hasNoViews } from '../driver/ferretdb.ts';
import { shapes } from '../records/documents.ts';
import { visible } from '../records/record-query.ts';
import { onlyFields } from './practice-settings.ts';

/**
 * The name of the view ends with the version of its definition. A changed definition gets the next version, so that
 * processes of two versions run side by side, each with its own view.
 */
export const SCHEDULE_BUSY = 'scheduleBusyV1';
const APPOINTMENTS = shapes.appointment.collection;

/**
 * The fields of an appointment that the view contains. Reads of the schedule return no other field of an appointment.
 */
export const BUSY_FIELDS = [
  'organizationId',
  'clinicId',
  'providerId',
  'startTime',
  'endTime',
  'status',
] as const;

const PIPELINE: readonly Document[] = [{ $match: visible }, { $project: onlyFields(BUSY_FIELDS) }];

/** The code of the error `NamespaceExists`. */
const EXISTS = 48;

/** The definition of the collection or view with the name of the view. */
const findView = async (database: Db): Promise<Document | undefined> => {
  const [found] = await database.listCollections({ name: SCHEDULE_BUSY }).toArray();
  return found && { type: found.type, ...('options' in found ? found.options : {}) };
};

const isOurs = ({ type, viewOn, pipeline }: Document): boolean =>
  type === 'view' && viewOn === APPOINTMENTS && JSON.stringify(pipeline) === JSON.stringify(PIPELINE);

/** Whether the view is missing. A database that has no views needs none. */
export const isViewMissing = async (database: Db): Promise<boolean> =>
  !(await hasNoViews(database)) && (await findView(database)) === undefined;

/** @returns false if a collection or view with this name already exists */
const createView = async (database: Db): Promise<boolean> => {
  try {
    await database.createCollection(SCHEDULE_BUSY, { viewOn: APPOINTMENTS, pipeline: [...PIPELINE] });
    return true;
  } catch (error) {
    // Another process has created the view first.
    if (error instanceof MongoServerError && error.code === EXISTS) return false;
    throw error;
  }
};

/**
 * Creates the view if it is missing and the database supports views. The call may be repeated, even by several
 * processes at once.
 *
 * @throws {UnusableDatabaseError} if another collection or view has its name
 */
export const applyView = async (database: Db): Promise<void> => {
  if (await hasNoViews(database)) return;
  let found = await findView(database);
  if (found === undefined) {
    if (await createView(database)) return;
    found = await findView(database);
  }
  if (found !== undefined && isOurs(found)) return;
  throw new UnusableDatabaseError(
    `The view ${SCHEDULE_BUSY} cannot be created: a ${found?.type ?? 'collection'} with this name and another definition exists. ` +
      `Stop all processes, drop it with mongosh, db.${SCHEDULE_BUSY}.drop(), and start again.`,
  );
};

/**
 * The collection or view from which the times of appointments are read, and the conditions that each read must contain.
 */
export type BusySource = { collection: string; conditions: Document };

/** The appointments themselves. A read of them has ids, and needs a user who may read appointments. */
export const ownAppointments: BusySource = { collection: APPOINTMENTS, conditions: visible };

/**
 * Returns the view, or the collection of appointments if the database has no views. In that case, only the projection
 * of each read excludes the other fields of appointments.
 *
 * @throws {UnusableDatabaseError} if the view is missing: a read would find no appointment, so all slots would appear
 *   free
 */
const findBusySource = async (database: Db): Promise<BusySource> => {
  if (await hasNoViews(database)) return ownAppointments;
  // With these options, listing needs no privilege beyond reading the view.
  const options = { nameOnly: true, authorizedCollections: true };
  const [found] = await database.listCollections({ name: SCHEDULE_BUSY }, options).toArray();
  if (found?.type === 'view') return { collection: SCHEDULE_BUSY, conditions: {} };
  throw new UnusableDatabaseError(
    `The view ${SCHEDULE_BUSY} is missing, or the user of MONGODB_URL may not read it. Start an api of this version, or run chairside-admin indexes apply. Then give the user the role of docs/schedule.md.`,
  );
};

/** Returns a function like {@link findBusySource} that remembers the source. After a failure, the next call tries again. */
export const openBusySource = (database: Db): (() => Promise<BusySource>) => {
  let found: Promise<BusySource> | undefined;
  return () => {
    found ??= findBusySource(database).catch((error: unknown) => {
      found = undefined;
      throw error;
    });
    return found;
  };
};
