import { type RecordKind, readImportLine } from '@chairside/domain';
import type { Importer } from '@chairside/mongodb/administration';

const PATIENTS = 50;
const APPOINTMENTS = 200;
const INVOICES = 60;
const PAYMENTS = 40;
const TREATMENTS = 40;
/** The first and the last appointments are this many days before and after today. */
const DAYS_AROUND = 14;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Describes the records of {@link importRecords}. */
export const RECORDS = `2 clinics, ${PATIENTS} patients, ${APPOINTMENTS} appointments, ${INVOICES} invoices, ${PAYMENTS} payments, ${TREATMENTS} treatments`;

const FIRST_NAMES = ['Amira', 'Bruno', 'Clara', 'Deniz', 'Elena', 'Farid', 'Greta', 'Hugo', 'Ines', 'Jonas'];
const LAST_NAMES = ['Albers', 'Brandt', 'Costa', 'Demir', 'Egger'];
const LANGUAGES = ['de', 'en', 'fr', 'tr'];
/** Prices in cents: adding up binary fractions would cause rounding errors. */
export const PROCEDURES = [
  { procedureId: 'checkup', name: 'Check-up', cents: 4500, minutes: 30 },
  { procedureId: 'cleaning', name: 'Professional cleaning', cents: 8900, minutes: 60 },
  { procedureId: 'filling', name: 'Composite filling', cents: 12_050, minutes: 45 },
  { procedureId: 'crown', name: 'Ceramic crown', cents: 64_000, minutes: 90 },
];

const at = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;
const many = (count: number, make: (index: number) => object): object[] =>
  Array.from({ length: count }, (_, index) => make(index));
const instant = (time: number): string => new Date(time).toISOString();

/** The ids of the clinics in the other system. */
export const CLINICS = ['clinic-1', 'clinic-2'] as const;
const clinicOf = (index: number): string => at(CLINICS, index);
const clinics = (): object[] =>
  ['Chairside North', 'Chairside South'].map((name, index) => ({
    externalId: clinicOf(index),
    name,
    currency: 'EUR',
    defaultLocale: 'de-DE',
    timezone: 'Europe/Berlin',
  }));

/** References to the patient with this number and to the patient's clinic. */
const of = (patient: number) => ({
  clinicId: clinicOf(patient % PATIENTS),
  patientId: `patient-${patient % PATIENTS}`,
});

const patientOf = (index: number): object => {
  const first = at(FIRST_NAMES, index);
  const last = at(LAST_NAMES, Math.floor(index / FIRST_NAMES.length));
  return {
    externalId: `patient-${index}`,
    clinicId: clinicOf(index),
    name: `${first} ${last}`,
    email: `${first}.${last}@example.com`.toLowerCase(),
    phone: `+49 30 5550${String(index).padStart(3, '0')}`,
    language: at(LANGUAGES, index),
  };
};

const appointmentOf = (index: number, now: number): object => {
  const day = Math.floor(now / DAY) - DAYS_AROUND + (index % (2 * DAYS_AROUND + 1));
  const start = day * DAY + (8 * 60 + (index % 18) * 30) * MINUTE;
  const isPast = start < now;
  const past = (['PATIENT_ARRIVED', 'PATIENT_ARRIVED', 'NO_SHOW', 'CANCELED'] as const)[index % 4];
  const { procedureId, name, cents } = at(PROCEDURES, index);
  return {
    externalId: `appointment-${index}`,
    ...of(index * 7),
    startTime: instant(start),
    endTime: instant(start + 30 * MINUTE),
    status: isPast && past !== undefined ? past : 'SCHEDULED',
    procedures: [{ procedureId, name, price: index % 2 === 0 ? cents / 100 : (cents / 100).toFixed(2) }],
    reminders: isPast ? [] : [{ channel: 'email', hoursBefore: 24 }],
  };
};

/** The total of an invoice over two procedures, added up in cents. */
const centsOf = (invoice: number): number =>
  at(PROCEDURES, invoice).cents + at(PROCEDURES, invoice + 1).cents;
const invoiceTime = (invoice: number, now: number): number => now - (INVOICES - invoice) * DAY;

const invoiceOf = (index: number, now: number): object => ({
  externalId: `invoice-${index}`,
  ...of(index * 3),
  number: 2000 + index,
  total: centsOf(index) / 100,
  currency: 'EUR',
  // Each of the first invoices has a payment. The others are open, drafts or void.
  status: index < PAYMENTS ? 'PAID' : at(['OPEN', 'OPEN', 'DRAFT', 'VOID'] as const, index),
  dueTime: instant(invoiceTime(index, now) + 30 * DAY),
  creationTime: instant(invoiceTime(index, now)),
});

const paymentOf = (index: number, now: number): object => ({
  externalId: `payment-${index}`,
  ...of(index * 3),
  invoiceId: `invoice-${index}`,
  amount: centsOf(index) / 100,
  currency: 'EUR',
  method: at(['CARD', 'CASH', 'BANK_TRANSFER', 'INSURANCE'] as const, index),
  status: 'COMPLETED',
  paidTime: instant(invoiceTime(index, now) + DAY),
  creationTime: instant(invoiceTime(index, now) + DAY),
});

const treatmentOf = (index: number, now: number): object => {
  const { procedureId, name, cents } = at(PROCEDURES, index);
  const isDone = index % 2 === 0;
  return {
    externalId: `treatment-${index}`,
    ...of(index * 7),
    appointmentId: `appointment-${index}`,
    procedureId,
    name,
    teeth: [`${(index % 4) + 1}${(index % 8) + 1}`],
    surfaces: procedureId === 'filling' ? ['M', 'O'] : [],
    status: isDone ? 'COMPLETED' : 'PLANNED',
    price: (cents / 100).toFixed(2),
    currency: 'EUR',
    ...(isDone && { performedTime: instant(now - DAY) }),
    creationTime: instant(now - 2 * DAY),
  };
};

/**
 * Imports a practice's records like `chairside-admin import`, as a first load without events.
 *
 * @throws {Error} if a line is refused: the demo's own lines must be valid
 */
export const importRecords = async (importer: Importer, today: Date): Promise<void> => {
  const now = today.getTime();
  const loads: [RecordKind, object[]][] = [
    ['clinic', clinics()],
    ['patient', many(PATIENTS, patientOf)],
    ['appointment', many(APPOINTMENTS, (index) => appointmentOf(index, now))],
    ['invoice', many(INVOICES, (index) => invoiceOf(index, now))],
    ['payment', many(PAYMENTS, (index) => paymentOf(index, now))],
    ['treatment', many(TREATMENTS, (index) => treatmentOf(index, now))],
  ];
  for (const [kind, records] of loads) {
    const lines = records.map((record, index) => {
      const read = readImportLine(kind, record);
      if ('issues' in read) throw new Error(`demo ${kind}: ${JSON.stringify(read.issues)}`);
      return { number: index + 1, line: read.line };
    });
    const { refused } = await importer.write(kind, lines, 'none');
    if (refused.length > 0) throw new Error(`demo ${kind}: ${JSON.stringify(refused)}`);
  }
};
