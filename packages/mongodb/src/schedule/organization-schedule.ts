import type {
  BusyInterval,
  CalendarBlock,
  Clinic,
  OpeningHours,
  Procedure,
  Provider,
} from '@chairside/domain';
import type { Db, Document, FindCursor } from 'mongodb';
import { findUnique } from '../driver/ferretdb.ts';
import { rowsOf } from '../driver/statements.ts';
import { noCipher } from '../encryption/ciphers.ts';
import { shapes, toRecord } from '../records/documents.ts';
import { visible } from '../records/record-query.ts';
import type { BusySource } from './busy-view.ts';
import { toHours } from './opening-hours.ts';
import {
  type OpeningHoursDocument,
  onlyFields,
  type SettingShape,
  settingShapes,
} from './practice-settings.ts';
import {
  type ClinicRange,
  matchingProcedures,
  overlappingAppointments,
  overlappingBlocks,
  toBusyInterval,
} from './schedule-conditions.ts';

/** Maximum number of rows in a list of settings or clinics. */
export const MAX_SETTINGS = 1000;
/** Maximum number of calendar blocks in one read. */
export const MAX_BLOCKS = 10_000;
export const MAX_BUSY_INTERVALS = 100_000;
/** The number of documents in one batch. */
const BATCH = 5000;

/** A clinic without the time of its last change. */
export type ScheduleClinic = Omit<Clinic, 'lastEditTime'>;

/** A list of settings, sorted by name, or of clinics. `isCut` means that there are more than {@link MAX_SETTINGS}. */
export type SettingList<S> = { rows: S[]; isCut: boolean };

/**
 * All rows of a range. If there are more than one read may return, no rows are returned, because a part of them would
 * be misleading.
 */
export type WholeRange<R> = { outcome: 'read'; rows: R[] } | { outcome: 'too_many'; limit: number };

/** A period at a clinic and, if it is given, of a provider at any clinic. */
export type ProviderRange = ClinicRange & { providerId?: string | undefined };

/** The schedule of one organization. Every query names the organization, and returns only the fields of its type. */
export type OrganizationSchedule = {
  /** Returns the clinics, sorted by id. */
  clinics(): Promise<SettingList<ScheduleClinic>>;
  findClinic(clinicId: string): Promise<ScheduleClinic | undefined>;
  /** @param filter.clinicId selects only providers that work at this clinic */
  providers(filter?: { clinicId?: string | undefined }): Promise<SettingList<Provider>>;
  findProvider(providerId: string): Promise<Provider | undefined>;
  /**
   * @param filter.clinicId selects only procedures that this clinic offers
   * @param filter.query selects only procedures whose name or code contains this text, regardless of case
   */
  procedures(filter?: {
    clinicId?: string | undefined;
    query?: string | undefined;
  }): Promise<SettingList<Procedure>>;
  findProcedure(procedureId: string): Promise<Procedure | undefined>;
  /** @returns undefined if the hours of this clinic were never set */
  openingHours(clinicId: string): Promise<OpeningHours | undefined>;
  /**
   * Returns the calendar blocks of a clinic that overlap a range, including those of its providers.
   *
   * @param range.providerId adds the blocks of this provider at other clinics
   */
  calendarBlocks(range: ProviderRange): Promise<WholeRange<CalendarBlock>>;
  /**
   * Returns the appointments of a clinic that overlap a range and occupy a chair.
   *
   * @param range.providerId adds the appointments of this provider at other clinics, and the providers of the others
   * @throws {UnusableDatabaseError} if the view is missing; the same applies to `appointmentStarts`
   */
  busyIntervals(range: ProviderRange): Promise<WholeRange<BusyInterval>>;
  /** Streams the start and the status of each appointment of a clinic that begins in a range, in any order. */
  appointmentStarts(range: ClinicRange): AsyncGenerator<Pick<BusyInterval, 'startTime' | 'status'>, void>;
};

/**
 * Reads at most `limit` rows, and returns whether there are more. Always closes the cursor.
 *
 * @param toRow returns undefined for a document that is left out
 */
const readUpTo = async <D extends Document, R>(
  cursor: FindCursor<D>,
  limit: number,
  toRow: (document: D) => R | undefined,
): Promise<{ rows: R[]; isCut: boolean }> => {
  const rows: R[] = [];
  try {
    for await (const document of cursor) {
      const row = toRow(document);
      if (row === undefined) continue;
      if (rows.length === limit) return { rows, isCut: true };
      rows.push(row);
    }
    return { rows, isCut: false };
  } finally {
    await cursor.close();
  }
};

const wholeRange = <R>({ rows, isCut }: { rows: R[]; isCut: boolean }, limit: number): WholeRange<R> =>
  isCut ? { outcome: 'too_many', limit } : { outcome: 'read', rows };

const HOURS_FIELDS = ['weekdays', 'exceptions', 'chairs', 'slotMinutes'] as const;

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

/** Reads one kind of setting. Each query contains the organization and projects the fields of the shape. */
const settingsOf = <S>(database: Db, shape: SettingShape, organizationId: string) => {
  const collection = database.collection<{ _id: string }>(shape.collection);
  const projection = onlyFields(Object.keys(shape.fields));
  const toSetting = (document: { _id: string }): S => toRecord<S>(shape, document, noCipher);
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
 * The schedule of one organization; see {@link OrganizationSchedule}.
 *
 * @param busySource returns where the times of appointments are read
 * @param leftOut the ids of appointments that `busyIntervals` leaves out. The source must have ids then
 */
export const scheduleOf = (
  database: Db,
  organizationId: string,
  busySource: () => Promise<BusySource>,
  leftOut?: ReadonlySet<string>,
): OrganizationSchedule => {
  const clinics = settingsOf<ScheduleClinic>(database, CLINIC, organizationId);
  const providers = settingsOf<Provider>(database, settingShapes.provider, organizationId);
  const procedures = settingsOf<Procedure>(database, settingShapes.procedure, organizationId);
  const blocks = settingsOf<CalendarBlock>(database, settingShapes['calendar-block'], organizationId);
  const hours = database.collection<OpeningHoursDocument>('openingHours');
  /** Reads the times of appointments. The projection limits which fields a caller can see. */
  const busy = async (filter: Document, fields: readonly (keyof BusyInterval | '_id')[]) => {
    const { collection, conditions } = await busySource();
    const options = { projection: onlyFields(fields), batchSize: BATCH };
    return database.collection(collection).find({ organizationId, ...filter, ...conditions }, options);
  };

  return {
    clinics: () => clinics.list(visible),
    findClinic: (clinicId) => clinics.find(clinicId, visible),
    providers: ({ clinicId } = {}) => providers.list(clinicId === undefined ? {} : { clinicIds: clinicId }),
    findProvider: (providerId) => providers.find(providerId),
    procedures: ({ clinicId, query } = {}) => procedures.list(matchingProcedures(clinicId, query)),
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

    async busyIntervals({ clinicId, providerId, ...range }) {
      const overlap = overlappingAppointments(range);
      const times = [
        ...(leftOut === undefined ? [] : ['_id' as const]),
        'startTime',
        'endTime',
        'status',
      ] as const;
      const isLeftOut = ({ _id }: Document) => leftOut?.has(_id) === true;
      // The id of the clinic is not read, because it is the same in all of these rows.
      const own = await readUpTo(
        await busy({ clinicId, ...overlap }, providerId === undefined ? times : ['providerId', ...times]),
        MAX_BUSY_INTERVALS,
        (document) => (isLeftOut(document) ? undefined : toBusyInterval({ ...document, clinicId })),
      );
      if (providerId === undefined || own.isCut) return wholeRange(own, MAX_BUSY_INTERVALS);
      // The rows of the clinic are read again and left out here, because a condition on the clinic could make the
      // database choose the index of clinics.
      const others = await readUpTo(
        await busy({ providerId, ...overlap }, ['clinicId', ...times]),
        MAX_BUSY_INTERVALS - own.rows.length,
        (document) =>
          document.clinicId === clinicId || isLeftOut(document)
            ? undefined
            : toBusyInterval({ ...document, providerId }),
      );
      return wholeRange({ rows: [...own.rows, ...others.rows], isCut: others.isCut }, MAX_BUSY_INTERVALS);
    },

    async *appointmentStarts({ clinicId, from, to }) {
      const begins = { clinicId, startTime: { $gte: from, $lt: to } };
      const cursor = await busy(begins, ['startTime', 'status']);
      yield* rowsOf(cursor, ({ startTime, status }) => ({ startTime, status }));
    },
  };
};
