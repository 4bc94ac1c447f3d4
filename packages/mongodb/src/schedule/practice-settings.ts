import type { CalendarBlock, OpeningHours, Procedure, Provider, SettingKind } from '@chairside/domain';
import type { Slotted } from '../driver/slots.ts';
import type { RecordShape } from '../records/record-shapes.ts';

/** The fields that every stored setting has, whatever its kind. */
export type SettingDocument = Slotted & {
  organizationId: string;
  /** 1 at first, raised by each write. */
  revision: number;
};

/** A setting that was imported. */
export type ImportedSetting = SettingDocument & {
  externalId: string;
  /** The digest of the line in the last import. */
  importDigest: string;
};

/** Maximum number of tries of a write, if other callers write the same setting at the same time. */
export const MAX_WRITE_TRIES = 30;

export type SettingWrite<S> =
  | { outcome: 'written'; record: S; revision: number }
  /** There is no such setting in this organization. */
  | { outcome: 'missing' }
  /** The setting does not have a revision that the caller accepts. */
  | { outcome: 'stale' }
  /** Too many callers write the setting at once. A later retry may succeed. */
  | { outcome: 'busy' };

/** The opening hours of a clinic. `_id` is the id of the clinic. */
export type OpeningHoursDocument = OpeningHours & SettingDocument;

/** How a kind of setting is stored. The order of `fields` is the order in which they are returned. */
export type SettingShape = Pick<RecordShape, 'collection' | 'fields' | 'sort'>;

const providers: SettingShape = {
  collection: 'providers',
  fields: { _id: 'plain', name: 'plain', clinicIds: 'plain' } satisfies Record<keyof Provider, 'plain'>,
  sort: { name: 1, _id: 1 },
};

const procedures: SettingShape = {
  collection: 'procedures',
  fields: {
    _id: 'plain',
    name: 'plain',
    code: 'plain',
    price: 'plain',
    currency: 'plain',
    durationMinutes: 'plain',
    bookable: 'plain',
    clinicIds: 'plain',
  } satisfies Record<keyof Procedure, 'plain'>,
  sort: { name: 1, _id: 1 },
};

const calendarBlocks: SettingShape = {
  collection: 'calendarBlocks',
  fields: {
    _id: 'plain',
    clinicId: 'plain',
    providerId: 'plain',
    startTime: 'instant',
    endTime: 'instant',
    kind: 'plain',
  } satisfies Record<keyof CalendarBlock, 'plain' | 'instant'>,
  sort: { clinicId: 1, startTime: 1, _id: 1 },
};

export const settingShapes: Readonly<Record<SettingKind, SettingShape>> = {
  provider: providers,
  procedure: procedures,
  'calendar-block': calendarBlocks,
};

/** A projection of exactly these fields. */
export const onlyFields = (fields: readonly string[]): Record<string, 0 | 1> => ({
  ...(fields.includes('_id') ? {} : { _id: 0 }),
  ...Object.fromEntries(fields.map((field) => [field, 1] as const)),
});
