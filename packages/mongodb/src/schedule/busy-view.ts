import type { Database } from '../driver/database.ts';
import { openViewSource, type View, type ViewSource } from '../driver/views.ts';
import { visible } from '../records/record-query.ts';
import { shapes } from '../records/record-shapes.ts';
import { onlyFields } from './practice-settings.ts';

const APPOINTMENTS = shapes.appointment.collection;

/**
 * The fields of an appointment that the view contains. Reads of the schedule return no other field of an appointment.
 */
export const BUSY_FIELDS = [
  'organizationId',
  'clinicId',
  'providerId',
  'startTime',
  'endTime',
  'status',
] as const;

/** The times of appointments, for database users who may read no appointment. */
export const SCHEDULE_BUSY: View = {
  name: 'scheduleBusyV1',
  viewOn: APPOINTMENTS,
  pipeline: [{ $match: visible }, { $project: onlyFields(BUSY_FIELDS) }],
  page: 'docs/schedule.md',
};

/**
 * The collection or view from which the times of appointments are read, and the conditions that each read must contain.
 */
export type BusySource = ViewSource;

/** The appointments themselves. A read of them has ids, and needs a user who may read appointments. */
export const ownAppointments: BusySource = { collection: APPOINTMENTS, conditions: visible };

/** Returns a function that finds the view, or the collection of appointments if the database has no views. */
export const openBusySource = (database: Database): (() => Promise<BusySource>) =>
  openViewSource(database.driver, SCHEDULE_BUSY, visible);
