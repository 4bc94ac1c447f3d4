import type { Invoice, Payment, Treatment } from '@chairside/client';
import { LANGUAGE } from '../../language.ts';
import type { Kind } from '../../records/kinds.ts';
import { APPOINTMENT_STATUSES, type Word } from '../../records/statuses.ts';

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
