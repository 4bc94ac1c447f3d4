import { treatmentSchema } from '@chairside/domain';
import type { App, Dependencies } from '../context.ts';
import { clinicFilter, externalIdFilter } from '../lists/query.ts';
import { recordReadRoutes } from '../records/read-routes.ts';

export const treatmentRoutes = (app: App, dependencies: Dependencies): void =>
  recordReadRoutes(app, dependencies, {
    path: '/api/treatments',
    parameter: 'treatmentId',
    kind: 'treatment',
    scope: 'treatments:read',
    description: 'Returns treatments in the order of `_id`.',
    schema: treatmentSchema,
    filters: { clinicId: clinicFilter, externalId: externalIdFilter },
    toFilter: ({ clinicId, externalId }) => ({ clinicId, externalId }),
    records: ({ treatments }) => treatments,
  });
