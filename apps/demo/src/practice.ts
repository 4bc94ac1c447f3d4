import { randomBytes } from 'node:crypto';
import {
  type Appointment,
  type Clinic,
  DEFAULT_RATE_LIMIT,
  newId,
  type Patient,
  type Scope,
  scopes,
} from '@chairside/domain';
import type { OrganizationStore, Store } from '@chairside/mongodb';

const PATIENTS = 50;
const APPOINTMENTS = 200;
/** Appointments lie this many days before and after today. */
const DAYS_AROUND = 14;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const FIRST_NAMES = ['Amira', 'Bruno', 'Clara', 'Deniz', 'Elena', 'Farid', 'Greta', 'Hugo', 'Ines', 'Jonas'];
const LAST_NAMES = ['Albers', 'Brandt', 'Costa', 'Demir', 'Egger'];
const LANGUAGES = ['de', 'en', 'fr', 'tr'];
const PROCEDURES = [
  { procedureId: 'checkup', name: 'Check-up', price: 45 },
  { procedureId: 'cleaning', name: 'Professional cleaning', price: '89.00' },
  { procedureId: 'filling', name: 'Composite filling', price: 120.5 },
  { procedureId: 'crown', name: 'Ceramic crown', price: '640.00' },
];

export type DemoOperator = { email: string; password: string };

/** What the demo knows of a practice it made; kept in `.data/demo.json`. */
export type DemoOrganization = {
  _id: string;
  clinicIds: string[];
  apiKey: string;
  readOnlyApiKey: string;
  administrator: DemoOperator;
  staff: DemoOperator;
  webhookSubscriptionId: string;
  webhookSecret: string;
};

const at = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;

const patientsOf = (clinicIds: readonly string[], now: Date): Patient[] =>
  Array.from({ length: PATIENTS }, (_, index) => {
    const first = at(FIRST_NAMES, index);
    const last = at(LAST_NAMES, Math.floor(index / FIRST_NAMES.length));
    return {
      _id: newId(now),
      clinicId: at(clinicIds, index),
      name: `${first} ${last}`,
      email: `${first}.${last}@example.com`.toLowerCase(),
      phone: `+49 30 5550${String(index).padStart(3, '0')}`,
      language: at(LANGUAGES, index),
      lastEditTime: now.toISOString(),
    };
  });

const appointmentsOf = (patients: readonly Patient[], now: Date): Appointment[] =>
  Array.from({ length: APPOINTMENTS }, (_, index) => {
    const patient = at(patients, index * 7);
    const day = Math.floor(now.getTime() / DAY) - DAYS_AROUND + (index % (2 * DAYS_AROUND + 1));
    const start = day * DAY + (8 * 60 + (index % 18) * 30) * MINUTE;
    const isPast = start < now.getTime();
    const past = (['PATIENT_ARRIVED', 'PATIENT_ARRIVED', 'NO_SHOW', 'CANCELED'] as const)[index % 4];
    return {
      _id: newId(now),
      clinicId: patient.clinicId,
      patientId: patient._id,
      startTime: new Date(start).toISOString(),
      endTime: new Date(start + 30 * MINUTE).toISOString(),
      status: isPast && past !== undefined ? past : 'SCHEDULED',
      procedures: [{ _id: newId(now), ...at(PROCEDURES, index) }],
      reminders: isPast ? [] : [{ channel: 'email', hoursBefore: 24 }],
      lastEditTime: now.toISOString(),
    };
  });

const createRecords = async (store: OrganizationStore, now: Date): Promise<string[]> => {
  const clinics: Clinic[] = ['Chairside North', 'Chairside South'].map((name) => ({
    _id: newId(now),
    name,
    currency: 'EUR',
    defaultLocale: 'de-DE',
    timezone: 'Europe/Berlin',
    lastEditTime: now.toISOString(),
  }));
  const clinicIds = clinics.map(({ _id }) => _id);
  const patients = patientsOf(clinicIds, now);
  // A first load: records without events.
  await Promise.all([
    ...clinics.map((clinic) => store.clinics.create(clinic)),
    ...patients.map((patient) => store.patients.create(patient)),
    ...appointmentsOf(patients, now).map((appointment) => store.appointments.create(appointment)),
  ]);
  return clinicIds;
};

/**
 * Makes a practice: 2 clinics, 50 patients, 200 appointments around today, two operators, two API keys and a
 * subscription of the first clinic to all events.
 *
 * @param receiverUrl where the subscription points
 */
export const createPractice = async (
  { everyOrganization, organization }: Store,
  name: string,
  receiverUrl: string,
): Promise<DemoOrganization> => {
  const now = new Date();
  const _id = newId(now);
  const store = organization(_id);
  const createOperator = async (role: 'administrator' | 'staff'): Promise<DemoOperator> => {
    const operator = {
      email: `${role}.${_id.slice(-6)}@example.com`.toLowerCase(),
      password: randomBytes(12).toString('base64url'),
    };
    await store.operators.create({ ...operator, role }, now);
    return operator;
  };
  const createKey = async (keyName: string, granted: readonly Scope[]) =>
    (await store.apiKeys.create({ name: keyName, scopes: [...granted], rateLimit: DEFAULT_RATE_LIMIT }, now))
      .secret;

  await everyOrganization.organizations.create({ _id, name });
  const clinicIds = await createRecords(store, now);
  const subscription = await store.subscriptions.create(
    { clinicId: clinicIds[0] as string, url: receiverUrl, events: [], active: true },
    now,
  );
  if (subscription === undefined) throw new Error('a new clinic has no room for a subscription');
  return {
    _id,
    clinicIds,
    apiKey: await createKey('Demo, every scope', scopes),
    readOnlyApiKey: await createKey(
      'Demo, read only',
      scopes.filter((scope) => scope.endsWith(':read')),
    ),
    administrator: await createOperator('administrator'),
    staff: await createOperator('staff'),
    webhookSubscriptionId: subscription._id,
    webhookSecret: subscription.secret,
  };
};
