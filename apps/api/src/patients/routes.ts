import { type Patient, patientCreateSchema, patientSchema, patientUpdateSchema } from '@chairside/domain';
import type { App, Dependencies } from '../app.ts';
import { pathId } from '../plugins/path-id.ts';
import { idFilter, idList } from '../plugins/query.ts';
import { recordReads } from '../plugins/record-reads.ts';
import { recordWriter } from '../plugins/record-writer.ts';
import { createPatient } from './create.ts';
import { updatePatient } from './update.ts';

const config = { access: { scope: 'patients:write' } } as const;
const params = pathId('patientId');
const response = { 200: patientSchema };

export const patientRoutes = (app: App, dependencies: Dependencies): void => {
  const { store, queue } = dependencies;
  const writer = recordWriter<Patient>(queue, 'patient', ({ patients }) => patients);

  recordReads(app, dependencies, {
    path: '/api/patients',
    parameter: 'patientId',
    kind: 'patient',
    scope: 'patients:read',
    schema: patientSchema,
    filters: { clinicId: idFilter, email: idFilter, _ids: idList },
    toFilter: ({ clinicId, email, _ids }) => ({ clinicId, email, ids: _ids }),
    records: ({ patients }) => patients,
  });

  app.post(
    '/api/patients',
    { config: { ...config, idempotent: true }, schema: { body: patientCreateSchema, response } },
    (request, reply) =>
      createPatient(
        writer,
        { request, reply, store: store.organization(request.principal.organizationId) },
        request.body,
      ),
  );

  app.put(
    '/api/patients/:patientId',
    { config, schema: { params, body: patientUpdateSchema, response } },
    (request, reply) =>
      updatePatient(
        writer,
        { request, reply, store: store.organization(request.principal.organizationId) },
        request.params.patientId,
        request.body,
      ),
  );

  app.delete('/api/patients/:patientId', { config, schema: { params, response } }, (request, reply) =>
    writer.delete(
      { request, reply, store: store.organization(request.principal.organizationId) },
      request.params.patientId,
    ),
  );
};
