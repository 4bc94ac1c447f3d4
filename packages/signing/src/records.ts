/**
 * A record's field is absent when it has no value, never `null`. Times are ISO 8601 in UTC with milliseconds.
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

/** One procedure of an appointment. */
export interface ProcedureEntry {
  _id: string;
  procedureId: string;
  name?: string;
  /** Number or text, as it was stored. */
  price?: number | string;
}

/** The states of an appointment; any may follow any. */
export type AppointmentStatus = 'REQUESTED' | 'SCHEDULED' | 'PATIENT_ARRIVED' | 'NO_SHOW' | 'CANCELED';

/** An appointment; `procedures` and `reminders` are empty arrays when there are none. */
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

/** The states of an invoice. */
export type InvoiceStatus = 'DRAFT' | 'OPEN' | 'PARTIALLY_PAID' | 'PAID' | 'VOID' | 'REFUNDED';

/** An invoice; `total` is in units of `currency`, not in cents. */
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

/** How a payment was made. */
export type PaymentMethod =
  | 'CASH'
  | 'CARD'
  | 'BANK_TRANSFER'
  | 'DIRECT_DEBIT'
  | 'INSURANCE'
  | 'VOUCHER'
  | 'OTHER';

/** The states of a payment. */
export type PaymentStatus = 'PENDING' | 'COMPLETED' | 'FAILED' | 'REFUNDED';

/** A payment; `amount` is in units of `currency`, not in cents. */
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
