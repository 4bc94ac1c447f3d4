import type { Kind } from '../record-kinds.ts';

/** A filter that a list of the api has. */
export type RecordFilter = 'clinicId' | 'patientId' | 'email' | 'time' | 'updatedSince';

type Description = {
  /** The heading of one record. */
  one: string;
  /** The heading of the list. */
  many: string;
  filters: readonly RecordFilter[];
  /** The fields that the list shows. */
  columns: readonly string[];
  /** Whether changes of these records create events. */
  hasEvents: boolean;
};

const DESCRIPTIONS: Readonly<Record<Kind, Description>> = {
  patients: {
    one: 'Patient',
    many: 'Patients',
    filters: ['clinicId', 'email', 'updatedSince'],
    columns: ['name', 'email', 'phone', 'language', 'clinicId', 'lastEditTime'],
    hasEvents: true,
  },
  appointments: {
    one: 'Appointment',
    many: 'Appointments',
    filters: ['clinicId', 'patientId', 'time', 'updatedSince'],
    columns: ['startTime', 'endTime', 'status', 'patientId', 'clinicId'],
    hasEvents: true,
  },
  clinics: {
    one: 'Clinic',
    many: 'Clinics',
    filters: ['updatedSince'],
    columns: ['name', 'currency', 'timezone', 'defaultLocale'],
    hasEvents: false,
  },
  invoices: {
    one: 'Invoice',
    many: 'Invoices',
    filters: ['clinicId', 'patientId', 'updatedSince'],
    columns: ['number', 'total', 'currency', 'status', 'dueTime', 'patientId', 'clinicId'],
    hasEvents: true,
  },
  payments: {
    one: 'Payment',
    many: 'Payments',
    filters: ['clinicId', 'patientId', 'updatedSince'],
    columns: ['amount', 'currency', 'method', 'status', 'paidTime', 'patientId', 'invoiceId'],
    hasEvents: true,
  },
  treatments: {
    one: 'Treatment',
    many: 'Treatments',
    filters: ['updatedSince'],
    columns: ['name', 'teeth', 'surfaces', 'status', 'performedTime', 'patientId'],
    hasEvents: false,
  },
};

/** Returns the description of a kind for the pages. */
export const describe = (kind: Kind): Description => DESCRIPTIONS[kind];

/** The fields that contain the id of another record, with the kind of that record. */
export const REFERENCES: Readonly<Record<string, Kind>> = {
  clinicId: 'clinics',
  patientId: 'patients',
  appointmentId: 'appointments',
  invoiceId: 'invoices',
};

/** The names of fields in words, if they cannot be derived from the field. */
const LABELS: Readonly<Record<string, string>> = {
  _id: 'Id',
  email: 'E-mail',
  timezone: 'Time zone',
  defaultLocale: 'Locale',
  startTime: 'Start',
  endTime: 'End',
  dueTime: 'Due',
  paidTime: 'Paid',
  performedTime: 'Performed',
  creationTime: 'Created',
  lastEditTime: 'Last change',
};

/** The name of a field in words: `procedureCode` becomes `Procedure code`. */
export const labelOf = (field: string): string => {
  const text = field.replace(/Id$/, '').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return LABELS[field] ?? text.charAt(0).toUpperCase() + text.slice(1);
};
