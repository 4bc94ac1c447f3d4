import {
  MAX_SETTINGS_OF,
  type Provider,
  providerCreateSchema,
  providerSchema,
  providerUpdateSchema,
} from '@chairside/domain';
import type { App, Dependencies } from '../context.ts';
import { clinicFilter } from '../lists/query.ts';
import { clinicIssues } from '../records/references.ts';
import { settingRoutes } from './setting-routes.ts';
import type { SettingWrites } from './setting-writes.ts';

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
  settingRoutes(app, dependencies, {
    ...writes,
    path: '/api/providers',
    parameter: 'providerId',
    description: 'Returns the providers of the organization in the order of `name`, then `_id`.',
    filters: { clinicId: clinicFilter.describe('Only providers who work at this clinic.') },
    toFilter: ({ clinicId }) => ({ clinicId }),
    createSchema: providerCreateSchema,
    updateSchema: providerUpdateSchema,
    writing: {
      create: `Creates a provider. An organization can have ${MAX_SETTINGS_OF.provider.toLocaleString('en')} providers.`,
      update:
        'Changes the fields in the body. An absent field keeps its value. The body may be the response of a GET.',
      delete: 'Deletes a provider and returns it. Calendar blocks of the provider stay.',
    },
  });
};
