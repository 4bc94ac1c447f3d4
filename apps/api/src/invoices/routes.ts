import { invoiceSchema } from '@chairside/domain';
import type { App, Dependencies } from '../context.ts';
import { clinicFilter, patientFilter } from '../lists/query.ts';
import { recordReadRoutes } from '../records/read-routes.ts';

export const invoiceRoutes = (app: App, dependencies: Dependencies): void =>
  recordReadRoutes(app, dependencies, {
    path: '/api/invoices',
    parameter: 'invoiceId',
    kind: 'invoice',
    scope: 'invoices:read',
    description: 'Returns invoices in the order of `creationTime`, then `_id`.',
    schema: invoiceSchema,
    filters: { clinicId: clinicFilter, patientId: patientFilter },
    toFilter: ({ clinicId, patientId }) => ({ clinicId, patientId }),
    records: ({ invoices }) => invoices,
  });
