import { openSchedule } from '@chairside/mongodb/schedule';
import { countWindow, slotWindow } from '@chairside/schedule';
import { Pool } from 'undici';
import type { Practice } from './practice.ts';

/** The data and the endpoints of the work by hand. */
export type Ground = {
  mongodbUrl: string;
  introspectionUrl: string;
  organizationId: string;
  practice: Practice;
};

/** For each tool, a function that sends the same introspection request and the same database statements as the tool. */
export type ByHand = { work: Readonly<Record<string, () => Promise<unknown>>>; close(): Promise<void> };

/** The arguments of each tool that is measured. */
export const inputsOf = ({ clinicId, from, to }: Practice): Record<string, object> => ({
  list_clinics: {},
  list_procedures: { clinicId },
  find_availability: { clinicId, from, to, durationMinutes: 30 },
  count_appointments: { clinicId, from, to },
});

/** Opens the work by hand. Statements that a tool sends concurrently are sent concurrently. */
export const openByHand = ({ mongodbUrl, introspectionUrl, organizationId, practice }: Ground): ByHand => {
  const schedule = openSchedule({ url: mongodbUrl, appName: 'chairside-bench' });
  const own = schedule.organization(organizationId);
  const pool = new Pool(introspectionUrl);
  const { clinicId, from, to } = practice;
  const days = { clinicId, from, to };
  const window = slotWindow('UTC', { ...days, durationMinutes: 30 }) as { from: Date; to: Date };

  const introspect = async (): Promise<void> => {
    const { body } = await pool.request({
      path: '/introspect',
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: 'Basic YmVuY2g=' },
      body: 'token=bench',
    });
    await body.json();
  };
  const statements: Record<string, () => Promise<unknown>> = {
    list_clinics: () => own.clinics(),
    list_procedures: () => Promise.all([own.procedures({ clinicId }), own.findClinic(clinicId)]),
    async find_availability() {
      await Promise.all([own.findClinic(clinicId), own.openingHours(clinicId)]);
      return own.occupied({ clinicId, ...window }, () => 'read');
    },
    async count_appointments() {
      await own.findClinic(clinicId);
      return Array.fromAsync(own.appointmentStarts({ clinicId, ...countWindow('UTC', days) }));
    },
  };
  return {
    work: Object.fromEntries(
      Object.entries(statements).map(([name, all]) => [name, () => introspect().then(all)]),
    ),
    async close() {
      await pool.close();
      await schedule.close();
    },
  };
};
