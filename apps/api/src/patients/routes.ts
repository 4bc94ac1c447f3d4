import {
  notFound,
  type Patient,
  patientCreateSchema,
  patientSchema,
  patientUpdateSchema,
} from '@chairside/domain';
import { z } from 'zod';
import type { App, Dependencies } from '../app.ts';
import { pathId } from '../plugins/path-id.ts';
import { fieldsOf, idFilter, idList } from '../plugins/query.ts';
import { recordWriter } from '../plugins/record-writer.ts';
import { rowSerializerOf } from '../plugins/serialization.ts';
import { sendList } from '../plugins/streamed-list.ts';
import { createPatient } from './create.ts';
import { updatePatient } from './update.ts';

const listQuery = z.strictObject({
  clinicId: idFilter,
  email: idFilter,
  _ids: idList,
  fields: fieldsOf(patientSchema),
});
const read = { access: { scope: 'patients:read' } } as const;
const write = { access: { scope: 'patients:write' } } as const;
const params = pathId('patientId');
const response = { 200: patientSchema };

export const patientRoutes = (app: App, { store, queue }: Dependencies): void => {
  const writer = recordWriter<Patient>(queue, 'patient');
  const stringifyRow = rowSerializerOf(patientSchema);

  app.get('/api/patients', { config: read, schema: { querystring: listQuery } }, async (request, reply) => {
    const { clinicId, email, _ids, fields } = request.query;
    const { patients } = store.organization(request.principal.organizationId);
    return sendList(reply, patients.list({ clinicId, email, ids: _ids }, fields), stringifyRow);
  });

  app.post('/api/patients', { config: write, schema: { body: patientCreateSchema, response } }, (request) =>
    createPatient(store.organization(request.principal.organizationId), writer, request, request.body),
  );

  app.get('/api/patients/:patientId', { config: read, schema: { params, response } }, async (request) => {
    const found = await store
      .organization(request.principal.organizationId)
      .patients.find(request.params.patientId);
    if (found === undefined) throw notFound();
    return found.record;
  });

  app.put(
    '/api/patients/:patientId',
    { config: write, schema: { params, body: patientUpdateSchema, response } },
    (request) =>
      updatePatient(
        store.organization(request.principal.organizationId),
        writer,
        request,
        request.params.patientId,
        request.body,
      ),
  );

  app.delete('/api/patients/:patientId', { config: write, schema: { params, response } }, (request) =>
    writer.delete(
      request,
      store.organization(request.principal.organizationId).patients,
      request.params.patientId,
    ),
  );
};
