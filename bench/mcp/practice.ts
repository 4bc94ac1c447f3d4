import { newId, readOpeningHours } from '@chairside/domain';
import { sealedDocument } from '@chairside/test-support';
import type { Service } from '../service.ts';

const DAY = 86_400_000;
const PROCEDURES = 50;
const PROVIDERS = 8;
/** The appointments of each day: those of a clinic with four busy chairs. */
const APPOINTMENTS_A_DAY = 40;
const DAYS = 60;

/** A practice with a clinic of four chairs, and the days about which the bench asks. */
export type Practice = { clinicId: string; from: string; to: string };

const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** Fills a clinic with settings and appointments, from tomorrow on. */
export const fillPractice = async ({
  store,
  database,
  organization,
  organizationId,
  createClinic,
}: Service): Promise<Practice> => {
  const { clinicId } = await createClinic([]);
  const tomorrow = (Math.floor(Date.now() / DAY) + 1) * DAY;
  const insert = (collection: string, count: number, make: (index: number) => object) =>
    database
      .collection<{ _id: string }>(collection)
      .insertMany(
        Array.from({ length: count }, (_, index) => ({ _id: newId(), organizationId, ...make(index) })),
      );
  await insert('providers', PROVIDERS, (index) => ({ name: `Dr. ${index}`, clinicIds: [clinicId] }));
  await insert('procedures', PROCEDURES, (index) => ({
    name: `Procedure ${index}`,
    price: '80.00',
    currency: 'EUR',
    durationMinutes: 30,
    bookable: true,
  }));
  await insert('calendarBlocks', DAYS, (index) => ({
    clinicId,
    startTime: new Date(tomorrow + index * DAY + 12 * 3_600_000),
    endTime: new Date(tomorrow + index * DAY + 13 * 3_600_000),
    kind: 'BREAK',
  }));
  const cipher = await store.ciphers.of(organizationId);
  await insert('appointments', DAYS * APPOINTMENTS_A_DAY, (index) => {
    const startTime =
      tomorrow +
      Math.floor(index / APPOINTMENTS_A_DAY) * DAY +
      (8 * 60 + (index % APPOINTMENTS_A_DAY) * 12) * 60_000;
    const appointment = {
      _id: newId(),
      clinicId,
      patientId: newId(),
      startTime: new Date(startTime),
      endTime: new Date(startTime + 30 * 60_000),
      status: 'SCHEDULED',
      procedures: [],
      reminders: [],
      lastEditTime: new Date(),
      revision: 1,
    };
    return sealedDocument('appointments', appointment, cipher);
  });
  const always = [{ opens: '08:00', closes: '18:00' }];
  const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
  const read = readOpeningHours({
    weekdays: Object.fromEntries(weekdays.map((day) => [day, always])),
    chairs: 4,
  });
  if ('issues' in read) throw new Error(JSON.stringify(read.issues));
  await organization.openingHours.set(clinicId, read.hours);
  return { clinicId, from: dateOf(tomorrow), to: dateOf(tomorrow + 6 * DAY) };
};
