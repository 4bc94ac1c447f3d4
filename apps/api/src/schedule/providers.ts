import {
  MAX_SETTINGS_OF,
  type Provider,
  providerCreateSchema,
  providerSchema,
  providerUpdateSchema,
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

const tags = ['Providers'];
const params = pathId('providerId');
const response = { 200: providerSchema };
const config = { access: { role: 'administrator' }, versioned: true } as const;
const one = '/api/providers/:providerId';

const writes: SettingWrites<Provider> = {
  kind: 'provider',
  audited: 'provider',
  many: 'providers',
  schema: providerSchema,
  settings: ({ providers }) => providers,
  issuesOf: (store, { clinicIds }, current) =>
    clinicIssues(
      store,
      'clinicIds',
      clinicIds.every((id) => current?.clinicIds.includes(id)) ? [] : clinicIds,
    ),
};

export const providerRoutes = (app: App, dependencies: Dependencies): void => {
  recordReadRoutes(app, dependencies, {
    path: '/api/providers',
    parameter: 'providerId',
    scope: 'clinics:read',
    description: 'Returns the providers of the organization in the order of `name`, then `_id`.',
    schema: providerSchema,
    filters: { clinicId: clinicFilter.describe('Only providers who work at this clinic.') },
    toFilter: ({ clinicId }) => ({ clinicId }),
    records: ({ providers }) => providers,
  });

  app.post(
    '/api/providers',
    {
      config: { ...config, idempotent: true },
      schema: {
        tags,
        operationId: 'createProvider',
        summary: 'Create a provider',
        description: `Creates a provider. An organization can have ${MAX_SETTINGS_OF.provider.toLocaleString('en')} providers.`,
        body: providerCreateSchema,
        response,
      },
    },
    (request, reply) => createSetting(writes, { request, reply }, request.body),
  );

  app.put(
    one,
    {
      config,
      schema: {
        tags,
        operationId: 'updateProvider',
        summary: 'Change a provider',
        description:
          'Changes the fields in the body. An absent field keeps its value. The body may be the response of a GET.',
        params,
        body: providerUpdateSchema,
        response,
      },
    },
    (request, reply) => updateSetting(writes, { request, reply }, request.params.providerId, request.body),
  );

  app.delete(
    one,
    {
      config,
      schema: {
        tags,
        operationId: 'deleteProvider',
        summary: 'Delete a provider',
        description: 'Deletes a provider and returns it. Calendar blocks of the provider stay.',
        params,
        response,
      },
    },
    (request, reply) => deleteSetting(writes, { request, reply }, request.params.providerId),
  );
};
