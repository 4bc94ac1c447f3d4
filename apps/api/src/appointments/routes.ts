import {
  type Appointment,
  appointmentCreateSchema,
  appointmentSchema,
  appointmentStatuses,
  appointmentUpdateSchema,
} from '@chairside/domain';
import type { App, Dependencies } from '../context.ts';
import { pathId } from '../http/path-id.ts';
import { clinicFilter, patientFilter, providerFilter, someOf, timeFilter } from '../lists/query.ts';
import { openEventBytes } from '../records/event-bytes.ts';
import { recordReadRoutes } from '../records/read-routes.ts';
import { recordWriter } from '../records/writer.ts';
import { createAppointment } from './create.ts';
import { updateAppointment } from './update.ts';

const config = { access: { scope: 'appointments:write' }, versioned: true } as const;
const tags = ['Appointments'];
const params = pathId('appointmentId');
const response = { 200: appointmentSchema };

export const appointmentRoutes = (app: App, dependencies: Dependencies): void => {
  const { queue, limiter, metrics, config: settings } = dependencies;
  const eventBytes = openEventBytes(limiter, metrics, settings.EVENT_BYTES_PER_MINUTE);
  const writer = recordWriter<Appointment>(
    { queue, eventBytes },
    'appointment',
    appointmentSchema,
    ({ appointments }) => appointments,
  );

  recordReadRoutes(app, dependencies, {
    path: '/api/appointments',
    parameter: 'appointmentId',
    kind: 'appointment',
    scope: 'appointments:read',
    description: 'Returns appointments in the order of `startTime`, then `_id`.',
    schema: appointmentSchema,
    filters: {
      clinicId: clinicFilter,
      patientId: patientFilter,
      providerId: providerFilter,
      status: someOf(appointmentStatuses).meta({
        description: 'Only rows with one of these statuses, separated by commas.',
        examples: [['SCHEDULED']],
      }),
      startTime: timeFilter(
        'Only appointments that end after this time. An appointment without an end is included if it starts at this time or later.',
      ),
      endTime: timeFilter('Only appointments that start before this time.'),
    },
    toFilter: ({ clinicId, patientId, providerId, status, startTime, endTime }) => ({
      clinicId,
      patientId,
      providerId,
      status,
      from: startTime,
      to: endTime,
    }),
    records: ({ appointments }) => appointments,
  });

  app.post(
    '/api/appointments',
    {
      config: { ...config, idempotent: true },
      schema: {
        tags,
        operationId: 'createAppointment',
        summary: 'Create an appointment',
        description:
          'Creates an appointment and sends `appointment.created`. Without a `status`, it is SCHEDULED if both times are given, otherwise REQUESTED.',
        body: appointmentCreateSchema,
        response,
      },
    },
    (request, reply) => createAppointment(writer, { request, reply }, request.body),
  );

  app.put(
    '/api/appointments/:appointmentId',
    {
      config,
      schema: {
        tags,
        operationId: 'updateAppointment',
        summary: 'Change an appointment',
        description:
          'Changes the fields in the body and sends `appointment.updated`, even if nothing changes. An absent field keeps its value, `null` clears it. The body may be the response of a GET.',
        params,
        body: appointmentUpdateSchema,
        response,
      },
    },
    (request, reply) =>
      updateAppointment(writer, { request, reply }, request.params.appointmentId, request.body),
  );

  app.delete(
    '/api/appointments/:appointmentId',
    {
      config,
      schema: {
        tags,
        operationId: 'deleteAppointment',
        summary: 'Delete an appointment',
        description: 'Deletes an appointment, returns it, and sends `appointment.deleted`.',
        params,
        response,
      },
    },
    (request, reply) => writer.delete({ request, reply }, request.params.appointmentId),
  );
};
