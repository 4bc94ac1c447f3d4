import { invoiceSchema, invoiceStatuses } from '@chairside/domain';
import type { App, Dependencies } from '../context.ts';
import { clinicFilter, externalIdFilter, patientFilter, someOf } from '../lists/query.ts';
import { recordReadRoutes } from '../records/read-routes.ts';

export const invoiceRoutes = (app: App, dependencies: Dependencies): void =>
  recordReadRoutes(app, dependencies, {
    path: '/api/invoices',
    parameter: 'invoiceId',
    kind: 'invoice',
    scope: 'invoices:read',
    description: 'Returns invoices in the order of `creationTime`, then `_id`.',
    schema: invoiceSchema,
    filters: {
      clinicId: clinicFilter,
      externalId: externalIdFilter,
      patientId: patientFilter,
      status: someOf(invoiceStatuses).meta({
        description: 'Only rows with one of these statuses, separated by commas.',
        examples: [['OPEN']],
      }),
    },
    toFilter: ({ clinicId, externalId, patientId, status }) => ({ clinicId, externalId, patientId, status }),
    records: ({ invoices }) => invoices,
  });
