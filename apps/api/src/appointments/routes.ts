import {
  type Appointment,
  appointmentCreateSchema,
  appointmentSchema,
  appointmentUpdateSchema,
  instant,
} from '@chairside/domain';
import type { App, Dependencies } from '../app.ts';
import { pathId } from '../plugins/path-id.ts';
import { idFilter } from '../plugins/query.ts';
import { recordReads } from '../plugins/record-reads.ts';
import { recordWriter } from '../plugins/record-writer.ts';
import { createAppointment } from './create.ts';
import { updateAppointment } from './update.ts';

const config = { access: { scope: 'appointments:write' } } as const;
const params = pathId('appointmentId');
const response = { 200: appointmentSchema };

export const appointmentRoutes = (app: App, dependencies: Dependencies): void => {
  const { store, queue } = dependencies;
  const writer = recordWriter<Appointment>(queue, 'appointment', ({ appointments }) => appointments);

  recordReads(app, dependencies, {
    path: '/api/appointments',
    parameter: 'appointmentId',
    kind: 'appointment',
    scope: 'appointments:read',
    schema: appointmentSchema,
    filters: {
      clinicId: idFilter,
      patientId: idFilter,
      startTime: instant.optional(),
      endTime: instant.optional(),
    },
    toFilter: ({ clinicId, patientId, startTime, endTime }) => ({
      clinicId,
      patientId,
      from: startTime,
      to: endTime,
    }),
    records: ({ appointments }) => appointments,
  });

  app.post(
    '/api/appointments',
    { config: { ...config, idempotent: true }, schema: { body: appointmentCreateSchema, response } },
    (request, reply) =>
      createAppointment(
        writer,
        { request, reply, store: store.organization(request.principal.organizationId) },
        request.body,
      ),
  );

  app.put(
    '/api/appointments/:appointmentId',
    { config, schema: { params, body: appointmentUpdateSchema, response } },
    (request, reply) =>
      updateAppointment(
        writer,
        { request, reply, store: store.organization(request.principal.organizationId) },
        request.params.appointmentId,
        request.body,
      ),
  );

  app.delete('/api/appointments/:appointmentId', { config, schema: { params, response } }, (request, reply) =>
    writer.delete(
      { request, reply, store: store.organization(request.principal.organizationId) },
      request.params.appointmentId,
    ),
  );
};
