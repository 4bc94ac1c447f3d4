import {
  MAX_SETTINGS_OF,
  type Procedure,
  procedureCreateSchema,
  procedurePriceIssues,
  procedureSchema,
  procedureUpdateSchema,
} from '@chairside/domain';
import type { App, Dependencies } from '../context.ts';
import { pathId } from '../http/path-id.ts';
import { clinicFilter } from '../lists/query.ts';
import { recordReadRoutes } from '../records/read-routes.ts';
import {
  clinicIssues,
  createSetting,
  deleteSetting,
  type SettingWrites,
  updateSetting,
} from './setting-writes.ts';

const tags = ['Procedures'];
const params = pathId('procedureId');
const response = { 200: procedureSchema };
const config = { access: { role: 'administrator' }, versioned: true } as const;
const one = '/api/procedures/:procedureId';

const writes: SettingWrites<Procedure> = {
  kind: 'procedure',
  audited: 'procedure',
  many: 'procedures',
  schema: procedureSchema,
  settings: ({ procedures }) => procedures,
  async issuesOf(store, next, current) {
    const { clinicIds = [] } = next;
    const isKnown = clinicIds.every((id) => current?.clinicIds?.includes(id));
    return [
      ...(await clinicIssues(store, 'clinicIds', isKnown ? [] : clinicIds)),
      ...procedurePriceIssues(next),
    ];
  },
};

export const procedureRoutes = (app: App, dependencies: Dependencies): void => {
  recordReadRoutes(app, dependencies, {
    path: '/api/procedures',
    parameter: 'procedureId',
    scope: 'clinics:read',
    description: 'Returns the price list of the organization in the order of `name`, then `_id`.',
    schema: procedureSchema,
    filters: { clinicId: clinicFilter.describe('Only procedures that this clinic offers.') },
    toFilter: ({ clinicId }) => ({ clinicId }),
    records: ({ procedures }) => procedures,
  });

  app.post(
    '/api/procedures',
    {
      config: { ...config, idempotent: true },
      schema: {
        tags,
        operationId: 'createProcedure',
        summary: 'Create a procedure',
        description: `Creates an entry of the price list. Without \`bookable\`, patients may book it. A price needs a currency. An organization can have ${MAX_SETTINGS_OF.procedure.toLocaleString('en')} procedures.`,
        body: procedureCreateSchema,
        response,
      },
    },
    (request, reply) =>
      createSetting(writes, { request, reply }, { ...request.body, bookable: request.body.bookable ?? true }),
  );

  app.put(
    one,
    {
      config,
      schema: {
        tags,
        operationId: 'updateProcedure',
        summary: 'Change a procedure',
        description:
          'Changes the fields in the body. An absent field keeps its value, `null` clears it. The body may be the response of a GET.',
        params,
        body: procedureUpdateSchema,
        response,
      },
    },
    (request, reply) => updateSetting(writes, { request, reply }, request.params.procedureId, request.body),
  );

  app.delete(
    one,
    {
      config,
      schema: {
        tags,
        operationId: 'deleteProcedure',
        summary: 'Delete a procedure',
        description:
          'Deletes an entry of the price list and returns it. Appointments and treatments that name it stay as they are.',
        params,
        response,
      },
    },
    (request, reply) => deleteSetting(writes, { request, reply }, request.params.procedureId),
  );
};
