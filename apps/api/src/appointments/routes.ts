import {
  type Appointment,
  appointmentCreateSchema,
  appointmentSchema,
  appointmentUpdateSchema,
  instant,
  notFound,
} from '@chairside/domain';
import { z } from 'zod';
import type { App, Dependencies } from '../app.ts';
import { pathId } from '../plugins/path-id.ts';
import { fieldsOf, idFilter } from '../plugins/query.ts';
import { recordWriter } from '../plugins/record-writer.ts';
import { rowSerializerOf } from '../plugins/serialization.ts';
import { sendList } from '../plugins/streamed-list.ts';
import { createAppointment } from './create.ts';
import { updateAppointment } from './update.ts';

const listQuery = z.strictObject({
  clinicId: idFilter,
  patientId: idFilter,
  startTime: instant.optional(),
  endTime: instant.optional(),
  fields: fieldsOf(appointmentSchema),
});
const read = { access: { scope: 'appointments:read' } } as const;
const write = { access: { scope: 'appointments:write' } } as const;
const params = pathId('appointmentId');
const response = { 200: appointmentSchema };

export const appointmentRoutes = (app: App, { store, queue }: Dependencies): void => {
  const writer = recordWriter<Appointment>(queue, 'appointment');
  const stringifyRow = rowSerializerOf(appointmentSchema);

  app.get(
    '/api/appointments',
    { config: read, schema: { querystring: listQuery } },
    async (request, reply) => {
      const { clinicId, patientId, startTime, endTime, fields } = request.query;
      const { appointments } = store.organization(request.principal.organizationId);
      const rows = appointments.list({ clinicId, patientId, from: startTime, to: endTime }, fields);
      return sendList(reply, rows, stringifyRow);
    },
  );

  app.post(
    '/api/appointments',
    { config: write, schema: { body: appointmentCreateSchema, response } },
    (request) =>
      createAppointment(store.organization(request.principal.organizationId), writer, request, request.body),
  );

  app.get(
    '/api/appointments/:appointmentId',
    { config: read, schema: { params, response } },
    async (request) => {
      const found = await store
        .organization(request.principal.organizationId)
        .appointments.find(request.params.appointmentId);
      if (found === undefined) throw notFound();
      return found.record;
    },
  );

  app.put(
    '/api/appointments/:appointmentId',
    { config: write, schema: { params, body: appointmentUpdateSchema, response } },
    (request) =>
      updateAppointment(
        store.organization(request.principal.organizationId),
        writer,
        request,
        request.params.appointmentId,
        request.body,
      ),
  );

  app.delete('/api/appointments/:appointmentId', { config: write, schema: { params, response } }, (request) =>
    writer.delete(
      request,
      store.organization(request.principal.organizationId).appointments,
      request.params.appointmentId,
    ),
  );
};
