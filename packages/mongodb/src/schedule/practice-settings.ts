import type { CalendarBlock, OpeningHours, Procedure, Provider, SettingKind } from '@chairside/domain';
import type { RecordShape } from '../records/documents.ts';

/** The fields that every imported setting has, whatever its kind. */
export type ImportedSetting = {
  _id: string;
  organizationId: string;
  externalId: string;
  /** The digest of the line in the last import. */
  importDigest: string;
};

/** The opening hours of a clinic. `_id` is the id of the clinic. */
export type OpeningHoursDocument = OpeningHours & { _id: string; organizationId: string };

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
