import { paymentSchema } from '@chairside/domain';
import type { App, Dependencies } from '../app.ts';
import { idFilter } from '../plugins/query.ts';
import { recordReads } from '../plugins/record-reads.ts';

export const paymentRoutes = (app: App, dependencies: Dependencies): void =>
  recordReads(app, dependencies, {
    path: '/api/payments',
    parameter: 'paymentId',
    kind: 'payment',
    scope: 'payments:read',
    schema: paymentSchema,
    filters: { clinicId: idFilter, patientId: idFilter },
    toFilter: ({ clinicId, patientId }) => ({ clinicId, patientId }),
    records: ({ payments }) => payments,
  });
