/*
 * The schedule of a practice: settings, and when its clinics are busy. This module is the export
 * `@chairside/mongodb/schedule`, the only part of the store that the read-only connector may import. It reads the
 * collections of settings, the clinics, and the view `scheduleBusy`. It never writes, and it cannot read a patient.
 */
import {
  type BusyInterval,
  type CalendarBlock,
  type Clinic,
  MAX_APPOINTMENT_DAYS,
  MAX_BLOCK_DAYS,
  MAX_SLOT_MINUTES,
  type OpeningHours,
  occupyingStatuses,
  type Procedure,
  type Provider,
} from '@chairside/domain';
import { within } from '@chairside/runtime';
import type { Db, Document, FindCursor } from 'mongodb';
import { type BusySource, findBusySource } from './busy-view.ts';
import { type ClientOptions, createClient, withTimeLimit } from './client.ts';
import { databaseNamedBy } from './connection-string.ts';
import { rowsOf } from './database.ts';
import { shapes, toRecord } from './documents.ts';
import { findUnique } from './ferretdb.ts';
import { toHours } from './opening-hours.ts';
import {
  type OpeningHoursDocument,
  onlyFields,
  type SettingShape,
  settingShapes,
} from './practice-settings.ts';
import { visible } from './record-query.ts';
import { NoAnswerError } from './unavailable.ts';

export type { CommandListener, Patience } from './client.ts';
export { isDatabaseUnavailable, type Unavailability, unavailabilityOf } from './unavailable.ts';

const DAY = 86_400_000;
const MINUTE = 60_000;
/** How long the database may take to respond to a ping, in milliseconds. */
const PING_TIMEOUT = 2000;
/** The database if the URL does not name one. */
const DEFAULT_DATABASE = 'chairside';

/** The most rows of a list of settings. */
export const MAX_SETTINGS = 1000;
/** The most calendar blocks, and the most busy intervals, of one read. */
export const MAX_BLOCKS = 20_000;
export const MAX_BUSY_INTERVALS = 100_000;
/** The documents of one batch. */
const BATCH = 5000;

/** A clinic without the time of its last change. */
export type ScheduleClinic = Omit<Clinic, 'lastEditTime'>;

/** A list of settings in the order of their names. `isCut`: there are more than {@link MAX_SETTINGS}. */
export type SettingList<S> = { rows: S[]; isCut: boolean };

/** Everything in a range, or nothing if it is more than one read may return: half of it would be misleading. */
export type WholeRange<R> = { outcome: 'read'; rows: R[] } | { outcome: 'too_many'; limit: number };

/** A time range in a clinic, from `from` to just before `to`. */
export type ClinicRange = { clinicId: string; from: Date; to: Date };

/** The schedule of one organization. Every query names the organization, and returns only the fields of its type. */
export type OrganizationSchedule = {
  /** In the order of their ids. */
  clinics(): Promise<SettingList<ScheduleClinic>>;
  findClinic(clinicId: string): Promise<ScheduleClinic | undefined>;
  /** @param filter.clinicId only providers that work at this clinic */
  providers(filter?: { clinicId?: string | undefined }): Promise<SettingList<Provider>>;
  findProvider(providerId: string): Promise<Provider | undefined>;
  /**
   * @param filter.clinicId only procedures that this clinic offers
   * @param filter.query only procedures whose name or code contains this text, in upper or lower case
   */
  procedures(filter?: {
    clinicId?: string | undefined;
    query?: string | undefined;
  }): Promise<SettingList<Procedure>>;
  findProcedure(procedureId: string): Promise<Procedure | undefined>;
  /** @returns undefined if the hours of this clinic were never set */
  openingHours(clinicId: string): Promise<OpeningHours | undefined>;
  /**
   * The calendar blocks of a clinic that overlap a range, those of its providers included.
   *
   * @param range.providerId adds the blocks of this provider at other clinics
   */
  calendarBlocks(
    range: ClinicRange & { providerId?: string | undefined },
  ): Promise<WholeRange<CalendarBlock>>;
  /**
   * The appointments of a clinic that overlap a range and occupy a chair.
   *
   * @throws {UnusableDatabaseError} if the view is missing, like the next method
   */
  busyIntervals(range: ClinicRange): Promise<WholeRange<BusyInterval>>;
  /** Streams the start and the status of each appointment of a clinic that begins in a range, in any order. */
  appointmentStarts(range: ClinicRange): AsyncGenerator<Pick<BusyInterval, 'startTime' | 'status'>, void>;
};

/** A connection to the schedules of all organizations. It is bound to one of them by `organization`. */
export type Schedule = {
  organization(id: string): OrganizationSchedule;
  /**
   * Connects; otherwise the first operation connects.
   *
   * @throws when the database stays unavailable for as long as the options say
   */
  connect(): Promise<void>;
  /** @throws when the database does not respond within two seconds */
  ping(): Promise<void>;
  close(): Promise<void>;
};

/** Reads at most `limit` rows, and says whether there are more. Then the cursor is closed between two batches. */
const readUpTo = async <D extends Document, R>(
  cursor: FindCursor<D>,
  limit: number,
  toRow: (document: D) => R,
): Promise<{ rows: R[]; isCut: boolean }> => {
  const rows: R[] = [];
  try {
    for await (const document of cursor) {
      if (rows.length === limit) return { rows, isCut: true };
      rows.push(toRow(document));
    }
    return { rows, isCut: false };
  } finally {
    await cursor.close();
  }
};

const wholeRange = <R>({ rows, isCut }: { rows: R[]; isCut: boolean }, limit: number): WholeRange<R> =>
  isCut ? { outcome: 'too_many', limit } : { outcome: 'read', rows };

/** A text as a regular expression that finds it anywhere, in upper or lower case. */
const containing = (text: string): Document => ({
  $regex: text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'),
  $options: 'i',
});

/** The conditions of a search for procedures. A procedure without clinics is offered by all of them. */
const matching = (clinicId: string | undefined, query: string | undefined): Document => {
  const conditions = [
    ...(clinicId === undefined
      ? []
      : [{ $or: [{ clinicIds: clinicId }, { clinicIds: { $exists: false } }] }]),
    ...(query === undefined ? [] : [{ $or: [{ name: containing(query) }, { code: containing(query) }] }]),
  ];
  return conditions.length === 0 ? {} : { $and: conditions };
};

const HOURS_FIELDS = ['weekdays', 'exceptions', 'chairs', 'slotMinutes'] as const;

/** Blocks that overlap a range. No block is longer than the maximum, so the range on `startTime` bounds the scan. */
const overlappingBlocks = ({ from, to }: ClinicRange): Document => ({
  startTime: { $gt: new Date(from.getTime() - MAX_BLOCK_DAYS * DAY - 1), $lt: to },
  endTime: { $gt: from },
});

/**
 * Appointments that overlap a range and occupy a chair. No appointment is longer than the maximum, so the range on
 * `startTime` bounds the scan. One without an end occupies one slot.
 */
const overlappingAppointments = ({ clinicId, from, to }: ClinicRange): Document => {
  const longest = from.getTime() - MAX_APPOINTMENT_DAYS * DAY - 1;
  const oneSlot = from.getTime() - MAX_SLOT_MINUTES * MINUTE;
  return {
    clinicId,
    startTime: { $gt: new Date(longest), $lt: to },
    status: { $in: [...occupyingStatuses] },
    $or: [{ endTime: { $gt: from } }, { endTime: { $exists: false }, startTime: { $gt: new Date(oneSlot) } }],
  };
};

const toBusyInterval = ({ startTime, endTime, status }: Document): BusyInterval => ({
  startTime,
  ...(endTime != null && { endTime }),
  status,
});

const CLINIC: SettingShape = {
  collection: shapes.clinic.collection,
  fields: {
    _id: 'plain',
    name: 'plain',
    currency: 'plain',
    defaultLocale: 'plain',
    timezone: 'plain',
  } satisfies Record<keyof ScheduleClinic, 'plain'>,
  sort: { _id: 1 },
};

/** The reads of one kind of setting. Each query names the organization and projects the fields of the shape. */
const settingsOf = <S>(database: Db, shape: SettingShape, organizationId: string) => {
  const collection = database.collection<{ _id: string }>(shape.collection);
  const projection = onlyFields(Object.keys(shape.fields));
  const toSetting = (document: { _id: string }): S => toRecord<S>(shape, document);
  return {
    async find(_id: string, conditions: Document = {}): Promise<S | undefined> {
      const found = await findUnique(collection, { _id, organizationId, ...conditions }, projection);
      return found && toSetting(found);
    },
    list: (conditions: Document, limit = MAX_SETTINGS): Promise<SettingList<S>> =>
      readUpTo(
        collection.find(
          { organizationId, ...conditions },
          { projection, sort: shape.sort, batchSize: BATCH },
        ),
        limit,
        toSetting,
      ),
  };
};

/**
 * The schedule of one organization, see {@link OrganizationSchedule}.
 *
 * @param busySource where the times of appointments are read
 */
const scheduleOf = (
  database: Db,
  organizationId: string,
  busySource: () => Promise<BusySource>,
): OrganizationSchedule => {
  const clinics = settingsOf<ScheduleClinic>(database, CLINIC, organizationId);
  const providers = settingsOf<Provider>(database, settingShapes.provider, organizationId);
  const procedures = settingsOf<Procedure>(database, settingShapes.procedure, organizationId);
  const blocks = settingsOf<CalendarBlock>(database, settingShapes['calendar-block'], organizationId);
  const hours = database.collection<OpeningHoursDocument>('openingHours');
  /** The times of appointments. The projection is all that a caller can see of them. */
  const busy = async (filter: Document, fields: readonly (keyof BusyInterval)[]) => {
    const { collection, conditions } = await busySource();
    const options = { projection: onlyFields(fields), batchSize: BATCH };
    return database.collection(collection).find({ organizationId, ...filter, ...conditions }, options);
  };

  return {
    clinics: () => clinics.list(visible),
    findClinic: (clinicId) => clinics.find(clinicId, visible),
    providers: ({ clinicId } = {}) => providers.list(clinicId === undefined ? {} : { clinicIds: clinicId }),
    findProvider: (providerId) => providers.find(providerId),
    procedures: ({ clinicId, query } = {}) => procedures.list(matching(clinicId, query)),
    findProcedure: (procedureId) => procedures.find(procedureId),

    async openingHours(clinicId) {
      const found = await findUnique(hours, { _id: clinicId, organizationId }, onlyFields(HOURS_FIELDS));
      return found && toHours(found);
    },

    async calendarBlocks({ providerId, ...range }) {
      const overlap = overlappingBlocks(range);
      const own = await blocks.list({ clinicId: range.clinicId, ...overlap }, MAX_BLOCKS);
      if (providerId === undefined || own.isCut) return wholeRange(own, MAX_BLOCKS);
      const elsewhere = { providerId, clinicId: { $ne: range.clinicId }, ...overlap };
      const others = await blocks.list(elsewhere, MAX_BLOCKS - own.rows.length);
      return wholeRange({ rows: [...own.rows, ...others.rows], isCut: others.isCut }, MAX_BLOCKS);
    },

    async busyIntervals(range) {
      const cursor = await busy(overlappingAppointments(range), ['startTime', 'endTime', 'status']);
      return wholeRange(await readUpTo(cursor, MAX_BUSY_INTERVALS, toBusyInterval), MAX_BUSY_INTERVALS);
    },

    async *appointmentStarts({ clinicId, from, to }) {
      const begins = { clinicId, startTime: { $gte: from, $lt: to } };
      const cursor = await busy(begins, ['startTime', 'status']);
      yield* rowsOf(cursor, ({ startTime, status }) => ({ startTime, status }));
    },
  };
};

/**
 * Opens the schedules of a database. No encryption keys are needed, because the settings contain no secrets.
 *
 * @param options.url its path names the database (default `chairside`)
 * @throws {MongoParseError} when the URL is not a connection string
 */
export const openSchedule = (options: ClientOptions): Schedule => {
  const client = createClient(options);
  const name = databaseNamedBy(options.url) ?? DEFAULT_DATABASE;
  const database = withTimeLimit(client.db(name), options.patience ?? {});
  let found: Promise<BusySource> | undefined;
  /** Asked for once. After a failure the next read asks again. */
  const busySource = (): Promise<BusySource> => {
    found ??= findBusySource(database).catch((error: unknown) => {
      found = undefined;
      throw error;
    });
    return found;
  };
  return {
    organization: (id) => scheduleOf(database, id, busySource),
    async connect() {
      await client.connect();
    },
    async ping() {
      const answer = await within(database.command({ ping: 1 }), PING_TIMEOUT);
      if (answer === undefined) throw new NoAnswerError('The database does not respond.');
    },
    async close() {
      await client.close();
    },
  };
};
