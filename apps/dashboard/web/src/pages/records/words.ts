import type { Appointment, Invoice, Payment, Treatment } from '@chairside/client';
import type { Tone } from '../../components/texts/Chip.tsx';
import { countText } from '../../components/texts/numbers.ts';
import { LANGUAGE } from '../../language.ts';
import type { Kind } from '../../records/kinds.ts';

/** A state in words, and how much attention it needs. */
type Word = { text: string; tone: Tone };

export const APPOINTMENT_STATUSES: Readonly<Record<NonNullable<Appointment['status']>, Word>> = {
  REQUESTED: { text: 'Requested', tone: 'info' },
  SCHEDULED: { text: 'Scheduled', tone: 'plain' },
  PATIENT_ARRIVED: { text: 'Arrived', tone: 'good' },
  NO_SHOW: { text: 'No-show', tone: 'warning' },
  CANCELED: { text: 'Canceled', tone: 'idle' },
};

/** The appointments of a day in numbers, such as `9 appointments, 2 arrived, 2 canceled`. Canceled ones count apart. */
export const appointmentsText = (appointments: readonly Pick<Appointment, 'status'>[]): string => {
  const countOf = (wanted: Appointment['status']) =>
    appointments.filter(({ status }) => status === wanted).length;
  const [arrived, absent, canceled] = [countOf('PATIENT_ARRIVED'), countOf('NO_SHOW'), countOf('CANCELED')];
  const booked = appointments.length - canceled;
  return [
    booked === 0
      ? 'no appointments'
      : `${countText(booked)} ${booked === 1 ? 'appointment' : 'appointments'}`,
    arrived > 0 && `${countText(arrived)} arrived`,
    absent > 0 && `${countText(absent)} ${absent === 1 ? 'no-show' : 'no-shows'}`,
    canceled > 0 && `${countText(canceled)} canceled`,
  ]
    .filter(Boolean)
    .join(', ');
};

const INVOICE_STATUSES: Readonly<Record<NonNullable<Invoice['status']>, Word>> = {
  DRAFT: { text: 'Draft', tone: 'idle' },
  OPEN: { text: 'Open', tone: 'info' },
  PARTIALLY_PAID: { text: 'Partly paid', tone: 'info' },
  PAID: { text: 'Paid', tone: 'good' },
  VOID: { text: 'Void', tone: 'idle' },
  REFUNDED: { text: 'Refunded', tone: 'idle' },
};

const PAYMENT_STATUSES: Readonly<Record<NonNullable<Payment['status']>, Word>> = {
  PENDING: { text: 'Pending', tone: 'info' },
  COMPLETED: { text: 'Completed', tone: 'good' },
  FAILED: { text: 'Failed', tone: 'bad' },
  REFUNDED: { text: 'Refunded', tone: 'idle' },
};

const TREATMENT_STATUSES: Readonly<Record<NonNullable<Treatment['status']>, Word>> = {
  PLANNED: { text: 'Planned', tone: 'plain' },
  IN_PROGRESS: { text: 'In progress', tone: 'info' },
  COMPLETED: { text: 'Completed', tone: 'good' },
  CANCELED: { text: 'Canceled', tone: 'idle' },
};

const STATUSES: Partial<Record<Kind, Readonly<Record<string, Word>>>> = {
  appointments: APPOINTMENT_STATUSES,
  invoices: INVOICE_STATUSES,
  payments: PAYMENT_STATUSES,
  treatments: TREATMENT_STATUSES,
};

/** The status of a record in words; undefined for a status that only a newer api has. */
export const statusOf = (kind: Kind, status: unknown): Word | undefined => STATUSES[kind]?.[String(status)];

const METHODS: Readonly<Record<NonNullable<Payment['method']>, string>> = {
  CASH: 'Cash',
  CARD: 'Card',
  BANK_TRANSFER: 'Bank transfer',
  DIRECT_DEBIT: 'Direct debit',
  INSURANCE: 'Insurance',
  VOUCHER: 'Voucher',
  OTHER: 'Other',
};

/** A method of payment in words. */
export const methodText = (method: unknown): string =>
  (METHODS as Record<string, string>)[String(method)] ?? String(method);

const SURFACES: Readonly<Record<string, string>> = {
  M: 'mesial',
  O: 'occlusal',
  I: 'incisal',
  B: 'buccal',
  D: 'distal',
  F: 'facial',
  L: 'lingual',
  P: 'palatal',
};

/** A surface of a tooth in words. */
export const surfaceText = (surface: unknown): string => SURFACES[String(surface)] ?? String(surface);

const languages = new Intl.DisplayNames(LANGUAGE, { type: 'language', fallback: 'code' });

/** A language in words; the value itself if it is not a tag of BCP 47. */
export const languageText = (tag: string): string => {
  try {
    return languages.of(tag) ?? tag;
  } catch {
    return tag;
  }
};

/** The statuses of a kind to choose from. */
export const statusChoices = (kind: Kind): { value: string; label: string }[] =>
  Object.entries(STATUSES[kind] ?? {}).map(([value, { text }]) => ({ value, label: text }));
