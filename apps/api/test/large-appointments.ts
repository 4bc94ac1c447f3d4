import { randomBytes } from 'node:crypto';
import { newId } from '@chairside/domain';
import type { Practice } from '@chairside/test-support';

/** Random text, which does not compress well. */
const noise = (length: number): string => randomBytes(length).toString('base64').slice(0, length);
const PROCEDURE = { procedureId: noise(128), price: '1'.repeat(100) };

/** The largest appointment that the api accepts, about 160 kB, without read-only fields. */
export const largeAppointment = () => ({
  procedures: Array.from({ length: 100 }, (_, index) => ({
    _id: `${index}`,
    ...PROCEDURE,
    name: noise(500),
  })),
  reminders: Array.from({ length: 20 }, () => ({ text: noise(4000) })),
});

/** Stores appointments of the maximum size, directly in the database. */
export const createLargeAppointments = async (
  { store, clinicIds }: Pick<Practice, 'store' | 'clinicIds'>,
  count: number,
): Promise<void> => {
  for (let made = 0; made < count; made++) {
    await store.appointments.create({
      _id: newId(),
      clinicId: clinicIds[0],
      status: 'REQUESTED',
      ...largeAppointment(),
      createdTime: new Date().toISOString(),
      lastEditTime: new Date().toISOString(),
    });
  }
};
