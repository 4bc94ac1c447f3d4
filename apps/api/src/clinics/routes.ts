import { clinicSchema } from '@chairside/domain';
import type { App, Dependencies } from '../context.ts';
import { externalIdFilter } from '../lists/query.ts';
import { recordReadRoutes } from '../records/read-routes.ts';

export const clinicRoutes = (app: App, dependencies: Dependencies): void =>
  recordReadRoutes(app, dependencies, {
    path: '/api/clinics',
    parameter: 'clinicId',
    kind: 'clinic',
    scope: 'clinics:read',
    program: 'webhooks',
    description: 'Returns the clinics of the organization in the order of `_id`.',
    schema: clinicSchema,
    filters: { externalId: externalIdFilter },
    toFilter: ({ externalId }) => ({ externalId }),
    records: ({ clinics }) => clinics,
  });
