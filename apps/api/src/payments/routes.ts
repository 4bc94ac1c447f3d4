import { paymentSchema } from '@chairside/domain';
import type { App, Dependencies } from '../context.ts';
import { clinicFilter, externalIdFilter, patientFilter } from '../lists/query.ts';
import { recordReadRoutes } from '../records/read-routes.ts';

export const paymentRoutes = (app: App, dependencies: Dependencies): void =>
  recordReadRoutes(app, dependencies, {
    path: '/api/payments',
    parameter: 'paymentId',
    kind: 'payment',
    scope: 'payments:read',
    description: 'Returns payments in the order of `creationTime`, then `_id`.',
    schema: paymentSchema,
    filters: { clinicId: clinicFilter, externalId: externalIdFilter, patientId: patientFilter },
    toFilter: ({ clinicId, externalId, patientId }) => ({ clinicId, externalId, patientId }),
    records: ({ payments }) => payments,
  });
