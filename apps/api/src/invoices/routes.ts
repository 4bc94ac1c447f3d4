import { invoiceSchema } from '@chairside/domain';
import type { App, Dependencies } from '../app.ts';
import { idFilter } from '../plugins/query.ts';
import { recordReads } from '../plugins/record-reads.ts';

export const invoiceRoutes = (app: App, dependencies: Dependencies): void =>
  recordReads(app, dependencies, {
    path: '/api/invoices',
    parameter: 'invoiceId',
    kind: 'invoice',
    scope: 'invoices:read',
    schema: invoiceSchema,
    filters: { clinicId: idFilter, patientId: idFilter },
    toFilter: ({ clinicId, patientId }) => ({ clinicId, patientId }),
    records: ({ invoices }) => invoices,
  });
