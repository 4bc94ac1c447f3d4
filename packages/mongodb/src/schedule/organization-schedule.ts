import { counted, isWorkSpent, WorkSpentError } from '@chairside/concurrency';
import {
  type BusyInterval,
  BusyTimes,
  type CalendarBlock,
  type Clinic,
  type OpeningHours,
  type Procedure,
  type Provider,
} from '@chairside/domain';
import type { Document } from 'mongodb';
import type { Database, Rows } from '../driver/database.ts';
import { findUnique } from '../driver/ferretdb.ts';
import { rowsOf } from '../driver/rows.ts';
import { noCipher } from '../encryption/ciphers.ts';
import { visible } from '../records/record-query.ts';
import { shapes, toRecord } from '../records/record-shapes.ts';
import type { BusySource } from './busy-view.ts';
import { MAX_BLOCKS, type OccupiedReads } from './occupied-reads.ts';
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
/** The number of documents in one batch. */
const BATCH = 1000;

/** A clinic without the time of its last change. */
export type ScheduleClinic = Omit<Clinic, 'externalId' | 'lastEditTime'>;

/** A list of settings, sorted by name, or of clinics. `isCut` means that there are more than {@link MAX_SETTINGS}. */
export type SettingList<S> = { rows: S[]; isCut: boolean };

/**
 * All rows of a range. If there are more than one read may return, no rows are returned, because a part of them would
 * be misleading.
 */
export type WholeRange<R> = { outcome: 'read'; rows: R[] } | { outcome: 'too_many'; limit: number };

/** A period at a clinic and, if it is given, of a provider at any clinic. */
export type ProviderRange = ClinicRange & { providerId?: string | undefined };

/** What is occupied in a range: calendar blocks, and the times of appointments. */
export type Occupied = { blocks: readonly CalendarBlock[]; busy: BusyTimes };

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
   * Reads the calendar blocks of {@link calendarBlocks} and the appointments of a clinic that overlap a range and occupy a
   * chair. See {@link OccupiedReads}.
   *
   * @param range.providerId adds the appointments of this provider at other clinics, and the providers of the others
   * @param find is called with them, and they must not be kept after it
   * @param signal ends the read when it is aborted
   * @returns what `find` returns; undefined if there are too many to be read
   * @throws {OverloadedError} if too many readers wait
   * @throws {WorkSpentError} if the read alone has taken all that the process computes for one request
   * @throws {UnusableDatabaseError} if the view is missing; the same applies to `appointmentStarts`
   */
  occupied<T>(
    range: ProviderRange,
    find: (occupied: Occupied) => T | Promise<T>,
    signal?: AbortSignal,
  ): Promise<T | undefined>;
  /**
   * Streams the start and the status of each appointment of a clinic that begins in a range, in any order.
   *
   * @param signal ends the read when it is aborted
   */
  appointmentStarts(
    range: ClinicRange,
    signal?: AbortSignal,
  ): AsyncGenerator<Pick<BusyInterval, 'startTime' | 'status'>, void>;
};

/** Reads at most `limit` rows, and returns whether there are more. */
const readUpTo = async <D extends Document, R>(
  cursor: Rows<D>,
  limit: number,
  toRow: (document: D) => R,
  signal?: AbortSignal,
): Promise<{ rows: R[]; isCut: boolean }> => {
  const rows: R[] = [];
  for await (const row of rowsOf(cursor, toRow, signal)) {
    if (rows.length === limit) return { rows, isCut: true };
    rows.push(row);
  }
  return { rows, isCut: false };
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
const settingsOf = <S>(database: Database, shape: SettingShape, organizationId: string) => {
  const collection = database.collection<{ _id: string }>(shape.collection);
  const projection = onlyFields(Object.keys(shape.fields));
  const toSetting = (document: { _id: string }): S => toRecord<S>(shape, document, noCipher);
  return {
    async find(_id: string, conditions: Document = {}): Promise<S | undefined> {
      const found = await findUnique(collection, { _id, organizationId, ...conditions }, projection);
      return found && toSetting(found);
    },
    list: (conditions: Document, limit = MAX_SETTINGS, signal?: AbortSignal): Promise<SettingList<S>> =>
      readUpTo(
        collection.find(
          { organizationId, ...conditions },
          { projection, sort: shape.sort, batchSize: BATCH },
        ),
        limit,
        toSetting,
        signal,
      ),
  };
};

/** How the times of appointments are read. */
export type OccupiedSource = {
  /** Returns where they are read. */
  busySource: () => Promise<BusySource>;
  reads: OccupiedReads;
  /** The ids of appointments that `occupied` leaves out. The source must have ids then. */
  leftOut?: ReadonlySet<string>;
};

/** The schedule of one organization; see {@link OrganizationSchedule}. */
export const scheduleOf = (
  database: Database,
  organizationId: string,
  { busySource, reads, leftOut }: OccupiedSource,
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

  const readBlocks = async (
    { providerId, ...range }: ProviderRange,
    limit: number,
    signal?: AbortSignal,
  ): Promise<SettingList<CalendarBlock>> => {
    const overlap = overlappingBlocks(range);
    const own = await blocks.list({ clinicId: range.clinicId, ...overlap }, limit, signal);
    if (providerId === undefined || own.isCut) return own;
    const elsewhere = { providerId, clinicId: { $ne: range.clinicId }, ...overlap };
    const others = await blocks.list(elsewhere, limit - own.rows.length, signal);
    return { rows: [...own.rows, ...others.rows], isCut: others.isCut };
  };

  /** @returns undefined if there are more than `limit` */
  const readBusy = async (
    { clinicId, providerId, ...range }: ProviderRange,
    limit: number,
    signal?: AbortSignal,
  ): Promise<BusyTimes | undefined> => {
    const times = new BusyTimes({ clinicId, providerId });
    const overlap = overlappingAppointments(range);
    const fields = [
      ...(leftOut === undefined ? [] : ['_id' as const]),
      'startTime',
      'endTime',
      'status',
    ] as const;
    /** @returns whether there was room for all of them */
    const add = async (
      cursor: Rows<Document>,
      toInterval: (document: Document) => BusyInterval | undefined,
    ): Promise<boolean> => {
      const addOne = (document: Document): boolean => {
        const interval = leftOut?.has(document._id) === true ? undefined : toInterval(document);
        if (interval !== undefined) times.add(interval);
        return times.count <= limit;
      };
      for await (const hasRoom of rowsOf(cursor, addOne, signal)) if (!hasRoom) return false;
      return true;
    };
    // The id of the clinic is not read, because it is the same in all of these rows.
    const own = await busy(
      { clinicId, ...overlap },
      providerId === undefined ? fields : ['providerId', ...fields],
    );
    if (!(await add(own, (document) => toBusyInterval({ ...document, clinicId })))) return undefined;
    if (providerId === undefined) return times;
    // The rows of the clinic are read again and left out, because a condition on the clinic could make the database
    // choose the index of clinics.
    const all = await busy({ providerId, ...overlap }, ['clinicId', ...fields]);
    const elsewhere = (document: Document): BusyInterval | undefined =>
      document.clinicId === clinicId ? undefined : toBusyInterval({ ...document, providerId });
    return (await add(all, elsewhere)) ? times : undefined;
  };

  return {
    clinics: () => clinics.list(visible),
    findClinic: (clinicId) => clinics.find(clinicId, visible),
    providers: ({ clinicId } = {}) => providers.list(clinicId === undefined ? {} : { clinicIds: clinicId }),
    findProvider: (providerId) => providers.find(providerId),
    procedures: ({ clinicId, query } = {}) =>
      procedures.list(matchingProcedures(clinicId === undefined ? undefined : [clinicId], query)),
    findProcedure: (procedureId) => procedures.find(procedureId),

    async openingHours(clinicId) {
      const found = await findUnique(hours, { _id: clinicId, organizationId }, onlyFields(HOURS_FIELDS));
      return found && toHours(found);
    },

    async calendarBlocks(range) {
      return wholeRange(await readBlocks(range, MAX_BLOCKS), MAX_BLOCKS);
    },

    occupied: (range, find, signal) =>
      reads.run(organizationId, async (size) => {
        signal?.throwIfAborted();
        const [blocks, busy] = await Promise.all([
          readBlocks(range, size.blocks, signal),
          readBusy(range, size.appointments, signal),
        ]);
        if (blocks.isCut || busy === undefined) return undefined;
        if (isWorkSpent()) throw new WorkSpentError();
        return { found: await counted(() => find({ blocks: blocks.rows, busy })) };
      }),

    async *appointmentStarts({ clinicId, from, to }, signal) {
      const begins = { clinicId, startTime: { $gte: from, $lt: to } };
      const cursor = await busy(begins, ['startTime', 'status']);
      yield* rowsOf(cursor, ({ startTime, status }) => ({ startTime, status }), signal);
    },
  };
};
