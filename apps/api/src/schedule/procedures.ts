import { procedureSchema } from '@chairside/domain';
import type { App, Dependencies } from '../context.ts';
import { clinicFilter } from '../lists/query.ts';
import { recordReadRoutes } from '../records/read-routes.ts';

export const procedureRoutes = (app: App, dependencies: Dependencies): void =>
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
