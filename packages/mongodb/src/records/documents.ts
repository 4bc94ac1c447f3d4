import type {
  Appointment,
  Clinic,
  Event,
  Invoice,
  Patient,
  Payment,
  RecordKind,
  Treatment,
} from '@chairside/domain';

/** An event in the outbox of its record, without the fields that the record itself has. */
export type OutboxEntry = Omit<Event, 'organizationId' | 'kind' | 'recordId'>;

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
   * last of them was added (bookings.ts). A new appointment that has not been decided yet is a document with these
   * fields, the revision 0 and `deletedAt`: no reader sees it.
   */
  drafts?: string[];
  draftAt?: Date;
};

/**
 * How a field is stored: unchanged, as a date, as JSON texts (for lists of objects with keys that a database may
 * refuse), or as objects with exactly these fields.
 */
type FieldStorage = 'plain' | 'instant' | 'json' | { readonly each: readonly string[] };

/** How one kind of record is stored. The order of `fields` is the order in which the API returns them. */
export type RecordShape = {
  collection: string;
  fields: Readonly<Record<string, FieldStorage>>;
  /**
   * A lower-case copy of a field, for lookups that ignore case. A collation is not used, because it would bind the
   * index to one database engine.
   */
  lowerCase?: { field: string; as: string };
  sort: Readonly<Record<string, 1>>;
  /**
   * The number of records in one read, for kinds with large records. A batch stays in memory while the reader is slow.
   */
  batch?: number;
};

/** An appointment is at most 171 kB long, so a batch of appointments is at most 4.1 MB long. */
const APPOINTMENT_BATCH = 24;

const patients: RecordShape = {
  collection: 'patients',
  fields: {
    _id: 'plain',
    clinicId: 'plain',
    name: 'plain',
    email: 'plain',
    phone: 'plain',
    language: 'plain',
    lastEditTime: 'instant',
  } satisfies Record<keyof Patient, FieldStorage>,
  lowerCase: { field: 'email', as: 'emailLowerCase' },
  sort: { _id: 1 },
};

const appointments: RecordShape = {
  collection: 'appointments',
  fields: {
    _id: 'plain',
    clinicId: 'plain',
    patientId: 'plain',
    providerId: 'plain',
    startTime: 'instant',
    endTime: 'instant',
    status: 'plain',
    procedures: { each: ['_id', 'procedureId', 'name', 'price'] },
    reminders: 'json',
    lastEditTime: 'instant',
  } satisfies Record<keyof Appointment, FieldStorage>,
  sort: { startTime: 1, _id: 1 },
  batch: APPOINTMENT_BATCH,
};

const clinics: RecordShape = {
  collection: 'clinics',
  fields: {
    _id: 'plain',
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

const treatments: RecordShape = {
  collection: 'treatments',
  fields: {
    _id: 'plain',
    clinicId: 'plain',
    patientId: 'plain',
    appointmentId: 'plain',
    providerId: 'plain',
    procedureId: 'plain',
    procedureCode: 'plain',
    name: 'plain',
    teeth: 'plain',
    surfaces: 'plain',
    status: 'plain',
    notes: 'plain',
    price: 'plain',
    currency: 'plain',
    performedTime: 'instant',
    creationTime: 'instant',
    lastEditTime: 'instant',
  } satisfies Record<keyof Treatment, FieldStorage>,
  sort: { _id: 1 },
};

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

const decode = (storage: FieldStorage, value: unknown): unknown => {
  if (typeof storage === 'object') {
    return (value as Record<string, unknown>[]).map((entry) => picked(storage.each, entry));
  }
  if (storage === 'instant') return (value as Date).toISOString();
  if (storage === 'json') return (value as string[]).map((text) => JSON.parse(text));
  return value;
};

const encode = (storage: FieldStorage, value: unknown): unknown => {
  if (storage === 'instant') return new Date(value as string);
  if (storage === 'json') return (value as object[]).map((item) => JSON.stringify(item));
  return value;
};

/**
 * The record in a document, as the API returns it: the fields of its shape and no others.
 *
 * @param fields the fields to return besides `_id`; all when absent
 */
export const toRecord = <R>(
  shape: Pick<RecordShape, 'fields'>,
  document: { _id: string },
  fields?: readonly string[],
): R => {
  const stored = document as Record<string, unknown>;
  const record: Record<string, unknown> = {};
  for (const [field, storage] of Object.entries(shape.fields)) {
    const value = stored[field];
    const isWanted = fields === undefined || field === '_id' || fields.includes(field);
    if (isWanted && value != null) record[field] = decode(storage, value);
  }
  return record as R;
};

/**
 * The fields of a record as they are stored, and the lower-case copy if the shape has one. Absent fields stay absent.
 */
export const toFields = (
  shape: Pick<RecordShape, 'fields' | 'lowerCase'>,
  record: object,
): Record<string, unknown> => {
  const fields: Record<string, unknown> = {};
  for (const [field, storage] of Object.entries(shape.fields)) {
    const value = (record as Record<string, unknown>)[field];
    if (value != null) fields[field] = encode(storage, value);
  }
  const { lowerCase } = shape;
  if (lowerCase !== undefined && fields[lowerCase.field] !== undefined) {
    fields[lowerCase.as] = String(fields[lowerCase.field]).toLowerCase();
  }
  return fields;
};

/** All fields that the document of such a record may have, including derived ones. */
export const storedFields = (shape: RecordShape): string[] => [
  ...Object.keys(shape.fields),
  ...(shape.lowerCase === undefined ? [] : [shape.lowerCase.as]),
];
