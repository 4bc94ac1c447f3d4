import { calendarBlockSchema } from '@chairside/domain';
import type { App, Dependencies } from '../context.ts';
import { clinicFilter, providerFilter, timeFilter } from '../lists/query.ts';
import { recordReadRoutes } from '../records/read-routes.ts';

export const calendarBlockRoutes = (app: App, dependencies: Dependencies): void =>
  recordReadRoutes(app, dependencies, {
    path: '/api/calendarblocks',
    parameter: 'calendarBlockId',
    scope: 'clinics:read',
    description: 'Returns the calendar blocks of the organization in the order of `startTime`, then `_id`.',
    schema: calendarBlockSchema,
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
    records: ({ calendarBlocks }) => calendarBlocks,
  });
