import {
  blockTimeIssues,
  type CalendarBlock,
  calendarBlockCreateSchema,
  calendarBlockSchema,
  calendarBlockUpdateSchema,
  clock,
  type Issue,
  MAX_BLOCK_DAYS_AHEAD,
  MAX_SETTINGS_OF,
} from '@chairside/domain';
import type { App, Dependencies } from '../context.ts';
import { clinicFilter, providerFilter, timeFilter } from '../lists/query.ts';
import { clinicIssues } from '../records/references.ts';
import { settingRoutes } from './setting-routes.ts';
import type { SettingWrites } from './setting-writes.ts';

const DAY = 86_400_000;
const tooFarAhead = (endTime: string): Issue[] =>
  Date.parse(endTime) <= clock.now().getTime() + MAX_BLOCK_DAYS_AHEAD * DAY
    ? []
    : [{ path: 'endTime', message: `must be at most ${MAX_BLOCK_DAYS_AHEAD} days ahead` }];

const writes: SettingWrites<CalendarBlock> = {
  kind: 'calendar-block',
  audited: 'calendarBlock',
  many: 'calendar blocks',
  schema: calendarBlockSchema,
  settings: ({ calendarBlocks }) => calendarBlocks,
  async issuesOf(store, next, current) {
    const { clinicId, providerId, endTime } = next;
    const [ofClinic, hasProvider] = await Promise.all([
      clinicIssues(store, 'clinicId', clinicId === current?.clinicId ? [] : [clinicId]),
      providerId === undefined || providerId === current?.providerId || store.providers.find(providerId),
    ]);
    return [
      ...ofClinic,
      ...(hasProvider
        ? []
        : [{ path: 'providerId', message: 'must be the id of a provider in your organization' }]),
      ...blockTimeIssues(next),
      ...(endTime === current?.endTime ? [] : tooFarAhead(endTime)),
    ];
  },
};

export const calendarBlockRoutes = (app: App, dependencies: Dependencies): void => {
  settingRoutes(app, dependencies, {
    ...writes,
    path: '/api/calendarblocks',
    parameter: 'calendarBlockId',
    description: 'Returns the calendar blocks of the organization in the order of `startTime`, then `_id`.',
    filters: {
      clinicId: clinicFilter,
      providerId: providerFilter,
      startTime: timeFilter('Only blocks that end after this time.'),
      endTime: timeFilter('Only blocks that start before this time.'),
    },
    toFilter: ({ clinicId, providerId, startTime, endTime }) => ({
      clinicId,
      providerId,
      from: startTime,
      to: endTime,
    }),
    createSchema: calendarBlockCreateSchema,
    updateSchema: calendarBlockUpdateSchema,
    writing: {
      create: `Creates a time without appointments: of the whole clinic or, with \`providerId\`, of one provider. It ends at most ${MAX_BLOCK_DAYS_AHEAD.toLocaleString('en')} days ahead. An organization can have ${MAX_SETTINGS_OF['calendar-block'].toLocaleString('en')} calendar blocks; delete old ones. Appointments in this time stay as they are.`,
      update:
        'Changes the fields in the body. An absent field keeps its value, `null` clears `providerId`. The body may be the response of a GET.',
      delete: 'Deletes a calendar block and returns it.',
    },
  });
};
