import type { Column } from '../../components/lists/Table.tsx';
import { KIND_NAMES, type Kind } from '../../records/kinds.ts';

/** A filter that a list of the api has. */
export type RecordFilter = 'clinicId' | 'patientId' | 'time' | 'updatedSince' | 'status';

/** A field in a list, and its place there. */
export type ListedField = { field: string } & Pick<Column<never>, 'isNumber' | 'grow' | 'from' | 'card'>;

type Description = {
  /** The heading of one record. */
  one: string;
  /** The heading of the list. */
  many: string;
  /** The order of the list in words. */
  order: string;
  filters: readonly RecordFilter[];
  /** The fields that the list shows. The first one is the link of the row. */
  columns: readonly ListedField[];
  /** Whether changes of these records create events. */
  hasEvents: boolean;
};

const DESCRIPTIONS: Readonly<Record<Kind, Description>> = {
  patients: {
    one: 'Patient',
    many: KIND_NAMES.patients,
    order: 'in the order of their ids',
    filters: ['clinicId', 'updatedSince'],
    columns: [
      { field: 'name', grow: 1, card: '1w' },
      { field: 'phone', card: '2' },
      { field: 'email', grow: 1, from: 'medium', card: '3w' },
      { field: 'language', from: 'wide' },
      { field: 'clinicId', grow: 1, from: 'medium' },
      { field: 'lastEditTime', isNumber: true, card: '2r' },
    ],
    hasEvents: true,
  },
  appointments: {
    one: 'Appointment',
    many: KIND_NAMES.appointments,
    order: 'the earliest start first',
    filters: ['clinicId', 'patientId', 'time', 'updatedSince', 'status'],
    columns: [
      { field: 'startTime', card: '1' },
      { field: 'patientId', grow: 2, card: '2' },
      { field: 'procedures', grow: 1, from: 'medium', card: '3w' },
      { field: 'clinicId', grow: 1, from: 'medium', card: '4w' },
      { field: 'status', card: '1r' },
    ],
    hasEvents: true,
  },
  clinics: {
    one: 'Clinic',
    many: KIND_NAMES.clinics,
    order: 'in the order of their ids',
    filters: ['updatedSince'],
    columns: [
      { field: 'name', grow: 2, card: '1w' },
      { field: 'timezone', card: '2' },
      { field: 'currency', card: '2r' },
      { field: 'defaultLocale', from: 'medium' },
    ],
    hasEvents: false,
  },
  invoices: {
    one: 'Invoice',
    many: KIND_NAMES.invoices,
    order: 'the oldest first',
    filters: ['clinicId', 'patientId', 'updatedSince', 'status'],
    columns: [
      { field: 'number', grow: 1, card: '1' },
      { field: 'patientId', grow: 1, card: '2' },
      { field: 'clinicId', grow: 1, from: 'medium' },
      { field: 'dueTime', from: 'medium', card: '3' },
      { field: 'status', card: '1r' },
      { field: 'total', isNumber: true, card: '2r' },
    ],
    hasEvents: true,
  },
  payments: {
    one: 'Payment',
    many: KIND_NAMES.payments,
    order: 'the oldest first',
    filters: ['clinicId', 'patientId', 'updatedSince'],
    columns: [
      { field: 'paidTime', card: '1' },
      { field: 'patientId', grow: 1, card: '2' },
      { field: 'method', from: 'medium', card: '3' },
      { field: 'invoiceId', grow: 1, from: 'wide' },
      { field: 'status', card: '1r' },
      { field: 'amount', isNumber: true, card: '2r' },
    ],
    hasEvents: true,
  },
  treatments: {
    one: 'Treatment',
    many: KIND_NAMES.treatments,
    order: 'in the order of their ids',
    filters: ['updatedSince'],
    columns: [
      { field: 'name', grow: 1, card: '1' },
      { field: 'patientId', grow: 1, card: '2' },
      { field: 'teeth', from: 'medium', card: '3' },
      { field: 'surfaces', from: 'wide' },
      { field: 'performedTime', from: 'medium', card: '2r' },
      { field: 'status', card: '1r' },
    ],
    hasEvents: false,
  },
};

/** Returns the description of a kind for the pages. */
export const describe = (kind: Kind): Description => DESCRIPTIONS[kind];

/** Fields whose times are about the record itself. They are not shown in the time zone of the clinic. */
const OWN_TIMES: readonly string[] = ['createdTime', 'lastEditTime', 'creationTime'];

/** Whether a field has a time at a clinic. */
export const isClinicTime = (field: string): boolean => field.endsWith('Time') && !OWN_TIMES.includes(field);

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
  externalId: 'External id',
  email: 'E-mail',
  timezone: 'Time zone',
  defaultLocale: 'Locale',
  startTime: 'Start',
  endTime: 'End',
  dueTime: 'Due',
  paidTime: 'Paid',
  performedTime: 'Performed',
  createdTime: 'Created',
  creationTime: 'Created',
  lastEditTime: 'Last change',
};

/** The name of a field in words: `procedureCode` becomes `Procedure code`. */
export const labelOf = (field: string): string => {
  const text = field.replace(/Id$/, '').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return LABELS[field] ?? text.charAt(0).toUpperCase() + text.slice(1);
};
