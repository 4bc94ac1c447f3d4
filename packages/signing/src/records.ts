/**
 * A patient. A field of any record is absent when it has no value, never `null`. Times are ISO 8601 in UTC with milliseconds.
 *
 * @example
 * const isNewer = (one: Patient, other: Patient) => one.lastEditTime > other.lastEditTime;
 */
export interface Patient {
  _id: string;
  clinicId: string;
  name?: string;
  email?: string;
  phone?: string;
  language?: string;
  /** Later with every change: order what you receive by it, because deliveries may arrive in any order. */
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
  /** Number or text, as it was stored. */
  price?: number | string;
}

/**
 * The states of an appointment; any may follow any.
 *
 * @example
 * const open: AppointmentStatus[] = ['REQUESTED', 'SCHEDULED'];
 */
export type AppointmentStatus = 'REQUESTED' | 'SCHEDULED' | 'PATIENT_ARRIVED' | 'NO_SHOW' | 'CANCELED';

/**
 * An appointment; `procedures` and `reminders` are empty arrays when there are none.
 *
 * @example
 * const begins = ({ startTime }: Appointment) => (startTime === undefined ? undefined : new Date(startTime));
 */
export interface Appointment {
  _id: string;
  clinicId: string;
  patientId?: string;
  startTime?: string;
  endTime?: string;
  status: AppointmentStatus;
  procedures: ProcedureEntry[];
  reminders: Record<string, unknown>[];
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
 * An invoice; `total` is in units of `currency`, not in cents.
 *
 * @example
 * const due = ({ dueTime, total, currency }: Invoice) => `${total} ${currency} until ${dueTime ?? 'any time'}`;
 */
export interface Invoice {
  _id: string;
  clinicId: string;
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
 * How a payment was made.
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
 * A payment; `amount` is in units of `currency`, not in cents.
 *
 * @example
 * const isFor = (payment: Payment, invoice: Invoice) => payment.invoiceId === invoice._id;
 */
export interface Payment {
  _id: string;
  clinicId: string;
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
