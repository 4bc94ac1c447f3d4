import type {
  Appointment,
  Clinic,
  Invoice,
  Patient,
  Payment,
  RecordKind,
  SearchKeys,
  Treatment,
} from '@chairside/domain';
import { searchKeysOf } from '@chairside/domain';
import type { Binary } from 'mongodb';
import type { Cipher } from '../encryption/ciphers.ts';
import type { StoredEvent } from '../events/event-document.ts';
import { SEARCH_TOKENS, searchTokens } from './search-tokens.ts';

/** An event in the outbox of its record, without the fields that the record itself has. */
export type OutboxEntry = Omit<StoredEvent, 'organizationId' | 'kind' | 'recordId'>;

/** The fields that every stored record has, and those of its unpublished events and its deletion. */
export type RecordDocument = {
  _id: string;
  organizationId: string;
  revision: number;
  lastEditTime: Date;
  outbox?: OutboxEntry[];
  /** The time of the first event since `outbox` was last empty; absent while `outbox` is empty. */
  outboxAt?: Date;
  /**
   * Set by a deletion. Reads ignore the record from then on. The document is deleted when its last event has been
   * published.
   */
  deletedAt?: Date;
  /**
   * The ids of the guarded bookings that may still write the next version of this appointment, and the time at which the
   * first of them was added (bookings.ts). A new appointment that has not been decided yet is a document with these
   * fields, the revision 0 and `deletedAt`: no reader sees it.
   */
  drafts?: string[];
  draftAt?: Date;
  /** The confidential fields of the record, sealed together. */
  sealed?: Binary;
};

/**
 * How a field is stored: unchanged, as a date, as objects with exactly these fields, sealed with the others that tell about
 * a patient, such as names and free texts, or as the external id: sealed on its own, with a token.
 */
type FieldStorage = 'plain' | 'instant' | 'sealed' | 'externalId' | { readonly each: readonly string[] };

/** The field with the external id of a record. */
const EXTERNAL_ID = 'externalId';
/** The field with the token that finds a record by its external id, and keeps the id unique. Deleted records have none. */
export const EXTERNAL_ID_TOKEN = 'externalIdToken';

/** How one kind of record is stored. The order of `fields` is the order in which the API returns them. */
export type RecordShape = {
  collection: string;
  fields: Readonly<Record<string, FieldStorage>>;
  /** The `sealed` fields, which are sealed together, as a JSON object, in the field `sealed`. Absent if there are none. */
  confidential?: readonly string[];
  /** A confidential field that lists find, ignoring case, by its token. */
  lookup?: { field: string; token: string };
  /** The keys by which a search finds an encrypted record. Their tokens are stored (search-tokens.ts). */
  searchKeys?: (record: object) => SearchKeys;
  sort: Readonly<Record<string, 1>>;
  /**
   * The number of records in one read, for kinds with large records. A batch stays in memory while the reader is slow.
   */
  batch?: number;
};

/** An appointment is at most 171 kB long, so a batch of appointments is at most 4.1 MB long. */
const APPOINTMENT_BATCH = 24;

const withConfidential = (shape: Omit<RecordShape, 'confidential'>): RecordShape => ({
  ...shape,
  confidential: Object.keys(shape.fields).filter((field) => shape.fields[field] === 'sealed'),
});

const patients = withConfidential({
  collection: 'patients',
  fields: {
    _id: 'plain',
    clinicId: 'plain',
    externalId: 'externalId',
    name: 'sealed',
    email: 'sealed',
    phone: 'sealed',
    language: 'sealed',
    createdTime: 'instant',
    lastEditTime: 'instant',
  } satisfies Record<keyof Patient, FieldStorage>,
  lookup: { field: 'email', token: 'emailToken' },
  searchKeys: searchKeysOf,
  sort: { _id: 1 },
});

const appointments = withConfidential({
  collection: 'appointments',
  fields: {
    _id: 'plain',
    clinicId: 'plain',
    externalId: 'externalId',
    patientId: 'plain',
    providerId: 'plain',
    startTime: 'instant',
    endTime: 'instant',
    status: 'plain',
    procedures: { each: ['_id', 'procedureId', 'name', 'price'] },
    reminders: 'sealed',
    createdTime: 'instant',
    lastEditTime: 'instant',
  } satisfies Record<keyof Appointment, FieldStorage>,
  sort: { startTime: 1, _id: 1 },
  batch: APPOINTMENT_BATCH,
});

const clinics: RecordShape = {
  collection: 'clinics',
  fields: {
    _id: 'plain',
    externalId: 'externalId',
    name: 'plain',
    currency: 'plain',
    defaultLocale: 'plain',
    timezone: 'plain',
    lastEditTime: 'instant',
  } satisfies Record<keyof Clinic, FieldStorage>,
  sort: { _id: 1 },
};

const invoices: RecordShape = {
  collection: 'invoices',
  fields: {
    _id: 'plain',
    clinicId: 'plain',
    externalId: 'externalId',
    patientId: 'plain',
    number: 'plain',
    total: 'plain',
    currency: 'plain',
    status: 'plain',
    dueTime: 'instant',
    creationTime: 'instant',
    lastEditTime: 'instant',
  } satisfies Record<keyof Invoice, FieldStorage>,
  sort: { creationTime: 1, _id: 1 },
};

const payments: RecordShape = {
  collection: 'payments',
  fields: {
    _id: 'plain',
    clinicId: 'plain',
    externalId: 'externalId',
    patientId: 'plain',
    invoiceId: 'plain',
    amount: 'plain',
    currency: 'plain',
    method: 'plain',
    status: 'plain',
    paidTime: 'instant',
    creationTime: 'instant',
    lastEditTime: 'instant',
  } satisfies Record<keyof Payment, FieldStorage>,
  sort: { creationTime: 1, _id: 1 },
};

const treatments = withConfidential({
  collection: 'treatments',
  fields: {
    _id: 'plain',
    clinicId: 'plain',
    externalId: 'externalId',
    patientId: 'plain',
    appointmentId: 'plain',
    providerId: 'plain',
    procedureId: 'plain',
    procedureCode: 'plain',
    name: 'plain',
    teeth: 'plain',
    surfaces: 'plain',
    status: 'plain',
    notes: 'sealed',
    price: 'plain',
    currency: 'plain',
    performedTime: 'instant',
    creationTime: 'instant',
    lastEditTime: 'instant',
  } satisfies Record<keyof Treatment, FieldStorage>,
  sort: { _id: 1 },
});

export const shapes: Readonly<Record<RecordKind, RecordShape>> = {
  patient: patients,
  appointment: appointments,
  clinic: clinics,
  invoice: invoices,
  payment: payments,
  treatment: treatments,
};

const picked = (fields: readonly string[], entry: Record<string, unknown>): object =>
  Object.fromEntries(fields.flatMap((field) => (entry[field] == null ? [] : [[field, entry[field]]])));

const decode = (storage: Exclude<FieldStorage, 'externalId'>, value: unknown): unknown => {
  if (typeof storage === 'object') {
    return (value as Record<string, unknown>[]).map((entry) => picked(storage.each, entry));
  }
  if (storage === 'instant') return (value as Date).toISOString();
  return value;
};

const encode = (storage: FieldStorage, value: unknown): unknown =>
  storage === 'instant' ? new Date(value as string) : value;

type Shape = Pick<RecordShape, 'collection' | 'fields' | 'confidential' | 'lookup' | 'searchKeys'>;

/** The field that the confidential fields of a record are sealed in. */
export const SEALED = 'sealed';

export const sealedPlace = ({ collection }: Pick<Shape, 'collection'>, _id: string, field = SEALED) => ({
  collection,
  _id,
  field,
});

/** The token of an external id. Records of different kinds with the same external id have different tokens. */
export const externalIdToken = (
  { collection }: Pick<Shape, 'collection'>,
  externalId: string,
  cipher: Cipher,
): Buffer => cipher.token(`${EXTERNAL_ID} of ${collection}`, externalId);

/**
 * Returns the confidential fields of a record.
 *
 * @throws {UnreadableValueError} if they do not open
 */
const opened = (
  shape: Shape,
  { _id, sealed }: { _id: string; sealed?: Binary },
  cipher: Cipher,
): Record<string, unknown> => JSON.parse(cipher.open(sealed, sealedPlace(shape, _id)));

/** A record as the API returns it: the fields of its shape that have a value, in their order and with their types. */
export const inShape = <R>({ fields }: Pick<RecordShape, 'fields'>, record: object): R => {
  const given = record as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(fields).flatMap(([field, storage]) =>
      given[field] == null
        ? []
        : [[field, storage === 'externalId' ? given[field] : decode(storage, encode(storage, given[field]))]],
    ),
  ) as R;
};

/**
 * Returns a function that reads the record in a document, as the API returns it: these fields of its shape and no others.
 * The function throws `UnreadableValueError` if the confidential fields do not open.
 *
 * @param fields the fields to return besides `_id`; all when absent
 */
export const recordReader = <R>(
  shape: Shape,
  fields?: readonly string[],
): ((document: { _id: string }, cipher: Cipher) => R) => {
  const { confidential = [] } = shape;
  const wanted = Object.entries(shape.fields)
    .filter(([field]) => fields === undefined || field === '_id' || fields.includes(field))
    .map(([field, storage]) => ({ field, storage, isHidden: confidential.includes(field) }));
  const hasHidden = wanted.some(({ isHidden }) => isHidden);
  return (document, cipher) => {
    const stored = document as Record<string, unknown>;
    const hidden = hasHidden ? opened(shape, document, cipher) : undefined;
    const record: Record<string, unknown> = {};
    for (const { field, storage, isHidden } of wanted) {
      const value = isHidden ? hidden?.[field] : stored[field];
      if (value == null) continue;
      if (isHidden) record[field] = value;
      else if (storage === 'externalId')
        record[field] = cipher.open(value, sealedPlace(shape, document._id, field));
      else record[field] = decode(storage, value);
    }
    return record as R;
  };
};

/** Reads the record in one document. See {@link recordReader}. */
export const toRecord = <R>(
  shape: Shape,
  document: { _id: string },
  cipher: Cipher,
  fields?: readonly string[],
): R => recordReader<R>(shape, fields)(document, cipher);

/** Texts that differ only in case find each other. */
export const lookupText = (text: string): string => text.toLowerCase();

/** The confidential fields of a record as they are stored, with their tokens. */
export const toSealed = (
  shape: Shape,
  record: Record<string, unknown>,
  cipher: Cipher,
): Record<string, unknown> => {
  const { confidential = [], lookup, searchKeys } = shape;
  const hidden = confidential.flatMap((field) => (record[field] == null ? [] : [[field, record[field]]]));
  const text = JSON.stringify(Object.fromEntries(hidden));
  const found = lookup && record[lookup.field];
  return {
    [SEALED]: cipher.seal(text, sealedPlace(shape, String(record._id))),
    ...(lookup && found != null && { [lookup.token]: cipher.token(lookup.field, lookupText(String(found))) }),
    ...(searchKeys && cipher.isSearchable && { [SEARCH_TOKENS]: searchTokens(searchKeys(record), cipher) }),
  };
};

/** The fields of a record as they are stored, with those for lookups. Absent fields stay absent. */
export const toFields = (shape: Shape, record: { _id: string }, cipher: Cipher): Record<string, unknown> => {
  const given = record as Record<string, unknown>;
  const { confidential } = shape;
  const fields: Record<string, unknown> = {};
  for (const [field, storage] of Object.entries(shape.fields)) {
    const value = given[field];
    if (value == null || confidential?.includes(field)) continue;
    if (storage === 'externalId') {
      fields[field] = cipher.seal(String(value), sealedPlace(shape, record._id, field));
      fields[EXTERNAL_ID_TOKEN] = externalIdToken(shape, String(value), cipher);
    } else fields[field] = encode(storage, value);
  }
  return confidential === undefined ? fields : { ...fields, ...toSealed(shape, given, cipher) };
};

/** All fields that the document of such a record may have, including derived ones. */
export const storedFields = ({ fields, confidential, lookup, searchKeys }: RecordShape): string[] => [
  ...Object.keys(fields).filter((field) => !confidential?.includes(field)),
  ...(EXTERNAL_ID in fields ? [EXTERNAL_ID_TOKEN] : []),
  ...(confidential === undefined ? [] : [SEALED]),
  ...(lookup === undefined ? [] : [lookup.token]),
  ...(searchKeys === undefined ? [] : [SEARCH_TOKENS]),
];

/** The projection that reads these fields of a record. */
export const projectionOf = (
  { confidential = [] }: Pick<RecordShape, 'confidential'>,
  fields: readonly string[],
): Record<string, 1> => ({
  ...Object.fromEntries(
    [...fields, '_id'].filter((field) => !confidential.includes(field)).map((name) => [name, 1 as const]),
  ),
  ...(fields.some((field) => confidential.includes(field)) && { [SEALED]: 1 as const }),
});
