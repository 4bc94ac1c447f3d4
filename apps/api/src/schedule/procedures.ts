import {
  MAX_SETTINGS_OF,
  type Procedure,
  procedureCreateSchema,
  procedurePriceIssues,
  procedureSchema,
  procedureUpdateSchema,
} from '@chairside/domain';
import type { App, Dependencies } from '../context.ts';
import { clinicFilter } from '../lists/query.ts';
import { clinicIssues } from '../records/references.ts';
import { settingRoutes } from './setting-routes.ts';
import type { SettingWrites } from './setting-writes.ts';

const writes: SettingWrites<Procedure> = {
  kind: 'procedure',
  audited: 'procedure',
  many: 'procedures',
  schema: procedureSchema,
  settings: ({ procedures }) => procedures,
  async issuesOf(store, next, current) {
    const { clinicIds = [] } = next;
    const isKnown = clinicIds.every((id) => current?.clinicIds?.includes(id));
    return [
      ...(await clinicIssues(store, 'clinicIds', isKnown ? [] : clinicIds)),
      ...procedurePriceIssues(next),
    ];
  },
};

export const procedureRoutes = (app: App, dependencies: Dependencies): void => {
  settingRoutes(app, dependencies, {
    ...writes,
    path: '/api/procedures',
    parameter: 'procedureId',
    description: 'Returns the price list of the organization in the order of `name`, then `_id`.',
    filters: { clinicId: clinicFilter.describe('Only procedures that this clinic offers.') },
    toFilter: ({ clinicId }) => ({ clinicId }),
    createSchema: procedureCreateSchema,
    updateSchema: procedureUpdateSchema,
    complete: (sent) => ({ ...sent, bookable: sent.bookable ?? true }),
    writing: {
      create: `Creates an entry of the price list. Without \`bookable\`, patients may book it. A price needs a currency. An organization can have ${MAX_SETTINGS_OF.procedure.toLocaleString('en')} procedures.`,
      update:
        'Changes the fields in the body. An absent field keeps its value, `null` clears it. The body may be the response of a GET.',
      delete:
        'Deletes an entry of the price list and returns it. Appointments and treatments that name it stay as they are.',
    },
  });
};
