import {
  type Appointment,
  appointmentCreateSchema,
  appointmentSchema,
  appointmentStatuses,
  appointmentUpdateSchema,
} from '@chairside/domain';
import { z } from 'zod';
import type { App, Dependencies } from '../context.ts';
import { pathExternalId, pathId } from '../http/path-id.ts';
import {
  clinicFilter,
  externalIdFilter,
  patientFilter,
  providerFilter,
  someOf,
  timeFilter,
} from '../lists/query.ts';
import { openEventBytes } from '../records/event-bytes.ts';
import { recordReadRoutes } from '../records/read-routes.ts';
import { toldInHeaders, upsertDescription } from '../records/upsert.ts';
import { deleteRecord, type RecordWriter } from '../records/writer.ts';
import { alsoCheck } from './also-check.ts';
import { createAppointment } from './create.ts';
import { updateAppointment, upsertAppointment } from './update.ts';

const config = { access: { scope: 'appointments:write' }, versioned: true } as const;
const tags = ['Appointments'];
const params = pathId('appointmentId');
const response = { 200: appointmentSchema };
const querystring = z.strictObject({
  onlyIfFree: z
    .literal('true', { error: 'must be true' })
    .optional()
    .meta({
      description:
        'With `true`, the appointment is written only if its time is free: in opening hours, in the future, outside calendar blocks, and with a free chair and provider. Otherwise the response is a 409 with `details.reason` and `details.nextSlots`. Both times are required. However many callers book at the same time, no chair and no provider is booked twice.',
      examples: ['true'],
    }),
});

/** How appointments are written. */
export const appointmentWriter = (dependencies: Dependencies): RecordWriter<Appointment> => ({
  kind: 'appointment',
  schema: appointmentSchema,
  recordsOf: ({ appointments }) => appointments,
  queue: dependencies.queue,
  store: dependencies.store,
  eventBytes: openEventBytes(dependencies),
});

export const appointmentRoutes = (app: App, dependencies: Dependencies): void => {
  const writer = appointmentWriter(dependencies);
  recordReadRoutes(app, dependencies, {
    path: '/api/appointments',
    parameter: 'appointmentId',
    kind: 'appointment',
    scope: 'appointments:read',
    description: 'Returns appointments in the order of `startTime`, then `_id`.',
    schema: appointmentSchema,
    filters: {
      clinicId: clinicFilter,
      externalId: externalIdFilter,
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
    toFilter: ({ clinicId, externalId, patientId, providerId, status, startTime, endTime }) => ({
      clinicId,
      externalId,
      patientId,
      providerId,
      status,
      from: startTime,
      to: endTime,
    }),
    records: ({ appointments }) => appointments,
    findByExternalId: ({ appointments }, externalId) => appointments.findByExternalId(externalId),
  });

  app.post(
    '/api/appointments',
    {
      config: { ...config, idempotent: true, alsoCheck },
      schema: {
        tags,
        operationId: 'createAppointment',
        summary: 'Create an appointment',
        description:
          'Creates an appointment and sends `appointment.created`. Without a `status`, it is SCHEDULED if both times are given, otherwise REQUESTED. To book a time only if it is free, set `onlyIfFree`.',
        querystring,
        body: appointmentCreateSchema,
        response,
      },
    },
    (request, reply) => {
      const isGuarded = request.query.onlyIfFree !== undefined;
      return createAppointment(writer, { request, reply }, request.body, isGuarded);
    },
  );

  app.put(
    '/api/appointments/:appointmentId',
    {
      config: { ...config, alsoCheck },
      schema: {
        tags,
        operationId: 'updateAppointment',
        summary: 'Change an appointment',
        description:
          'Changes the fields in the body and sends `appointment.updated`, even if nothing changes. An absent field keeps its value, `null` clears it. The body may be the response of a GET.',
        params,
        querystring,
        body: appointmentUpdateSchema,
        response,
        refusals: [409],
      },
    },
    (request, reply) => {
      const { params, body, query } = request;
      const isGuarded = query.onlyIfFree !== undefined;
      return updateAppointment(writer, { request, reply }, params.appointmentId, body, isGuarded);
    },
  );

  app.put(
    '/api/appointments/external/:externalId',
    {
      config: { ...config, upserts: true, alsoCheck },
      schema: {
        tags,
        operationId: 'upsertAppointment',
        summary: 'Change or create an appointment by external id',
        description: `${upsertDescription('appointment')} Then \`clinicId\` is required.`,
        params: pathExternalId,
        querystring,
        body: appointmentUpdateSchema,
        response,
        refusals: [409],
      },
    },
    async (request, reply) => {
      const { params, body, query } = request;
      const call = { request, reply };
      const isGuarded = query.onlyIfFree !== undefined;
      return toldInHeaders(call, await upsertAppointment(writer, call, params.externalId, body, isGuarded));
    },
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
    (request, reply) => deleteRecord(writer, { request, reply }, request.params.appointmentId),
  );
};
