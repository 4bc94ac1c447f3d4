import { countAppointments } from './count-appointments.ts';
import { findAvailability } from './find-availability.ts';
import { listCalendarBlocks } from './list-calendar-blocks.ts';
import { listClinics } from './list-clinics.ts';
import { listProcedures } from './list-procedures.ts';
import { listProviders } from './list-providers.ts';
import type { Tool } from './tool.ts';

/** Every tool, in the order in which assistants see them. */
export const tools: readonly Tool[] = [
  listClinics,
  listProviders,
  listProcedures,
  findAvailability,
  listCalendarBlocks,
  countAppointments,
];
