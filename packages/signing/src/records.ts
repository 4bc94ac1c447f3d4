/**
 * A patient. A field without a value is absent, never `null`; that applies to all records. Times are ISO 8601 in UTC
 * with milliseconds.
 *
 * @example
 * const isNewer = (one: Patient, other: Patient) => one.lastEditTime > other.lastEditTime;
 */
export interface Patient {
  _id: string;
  clinicId: string;
  /** The id that the record has in your own system. */
  externalId?: string;
  name?: string;
  email?: string;
  phone?: string;
  language?: string;
  createdTime: string;
  /** Increases with every change. Use it to order events, because deliveries may arrive in any order. */
  lastEditTime: string;
}

/**
 * One procedure of an appointment.
 *
 * @example
 * const priceOf = ({ price }: ProcedureEntry) => (price === undefined ? undefined : Number(price));
 */
export interface ProcedureEntry {
  _id: string;
  procedureId: string;
  name?: string;
  /** A number or text, as stored. */
  price?: number | string;
}

/**
 * The states of an appointment. Every change of state is allowed.
 *
 * @example
 * const open: AppointmentStatus[] = ['REQUESTED', 'SCHEDULED'];
 */
export type AppointmentStatus = 'REQUESTED' | 'SCHEDULED' | 'PATIENT_ARRIVED' | 'NO_SHOW' | 'CANCELED';

/**
 * An appointment. `procedures` and `reminders` are empty arrays if there are none.
 *
 * @example
 * const begins = ({ startTime }: Appointment) => (startTime === undefined ? undefined : new Date(startTime));
 */
export interface Appointment {
  _id: string;
  clinicId: string;
  /** The id that the record has in your own system. */
  externalId?: string;
  patientId?: string;
  providerId?: string;
  startTime?: string;
  endTime?: string;
  status: AppointmentStatus;
  procedures: ProcedureEntry[];
  reminders: Record<string, unknown>[];
  createdTime: string;
  lastEditTime: string;
}

/**
 * The states of an invoice.
 *
 * @example
 * const settled: InvoiceStatus[] = ['PAID', 'VOID', 'REFUNDED'];
 */
export type InvoiceStatus = 'DRAFT' | 'OPEN' | 'PARTIALLY_PAID' | 'PAID' | 'VOID' | 'REFUNDED';

/**
 * An invoice. `total` is in units of `currency`, not in cents.
 *
 * @example
 * const due = ({ dueTime, total, currency }: Invoice) => `${total} ${currency} until ${dueTime ?? 'any time'}`;
 */
export interface Invoice {
  _id: string;
  clinicId: string;
  /** The id that the record has in your own system. */
  externalId?: string;
  patientId: string;
  number: number | string;
  total: number;
  currency: string;
  status: InvoiceStatus;
  dueTime?: string;
  creationTime: string;
  lastEditTime: string;
}

/**
 * The methods of payment.
 *
 * @example
 * const electronic: PaymentMethod[] = ['CARD', 'BANK_TRANSFER', 'DIRECT_DEBIT'];
 */
export type PaymentMethod =
  | 'CASH'
  | 'CARD'
  | 'BANK_TRANSFER'
  | 'DIRECT_DEBIT'
  | 'INSURANCE'
  | 'VOUCHER'
  | 'OTHER';

/**
 * The states of a payment.
 *
 * @example
 * const done: PaymentStatus = 'COMPLETED';
 */
export type PaymentStatus = 'PENDING' | 'COMPLETED' | 'FAILED' | 'REFUNDED';

/**
 * A payment. `amount` is in units of `currency`, not in cents.
 *
 * @example
 * const isFor = (payment: Payment, invoice: Invoice) => payment.invoiceId === invoice._id;
 */
export interface Payment {
  _id: string;
  clinicId: string;
  /** The id that the record has in your own system. */
  externalId?: string;
  patientId: string;
  invoiceId?: string;
  amount: number;
  currency: string;
  method: PaymentMethod;
  status: PaymentStatus;
  paidTime?: string;
  creationTime: string;
  lastEditTime: string;
}
