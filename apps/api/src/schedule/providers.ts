import { providerSchema } from '@chairside/domain';
import type { App, Dependencies } from '../context.ts';
import { clinicFilter } from '../lists/query.ts';
import { recordReadRoutes } from '../records/read-routes.ts';

export const providerRoutes = (app: App, dependencies: Dependencies): void =>
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
