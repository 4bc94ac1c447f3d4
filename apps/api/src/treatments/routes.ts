import { treatmentSchema } from '@chairside/domain';
import type { App, Dependencies } from '../context.ts';
import { clinicFilter } from '../lists/query.ts';
import { recordReadRoutes } from '../records/read-routes.ts';

export const treatmentRoutes = (app: App, dependencies: Dependencies): void =>
  recordReadRoutes(app, dependencies, {
    path: '/api/treatments',
    parameter: 'treatmentId',
    kind: 'treatment',
    scope: 'treatments:read',
    description: 'Returns treatments in the order of `_id`.',
    schema: treatmentSchema,
    filters: { clinicId: clinicFilter },
    toFilter: ({ clinicId }) => ({ clinicId }),
    records: ({ treatments }) => treatments,
  });
