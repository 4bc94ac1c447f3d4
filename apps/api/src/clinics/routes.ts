import { clinicSchema } from '@chairside/domain';
import type { App, Dependencies } from '../app.ts';
import { recordReads } from '../plugins/record-reads.ts';

export const clinicRoutes = (app: App, dependencies: Dependencies): void =>
  recordReads(app, dependencies, {
    path: '/api/clinics',
    parameter: 'clinicId',
    kind: 'clinic',
    scope: 'clinics:read',
    schema: clinicSchema,
    filters: {},
    toFilter: () => ({}),
    records: ({ clinics }) => clinics,
  });
