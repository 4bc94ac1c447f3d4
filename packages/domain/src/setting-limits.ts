import { MAX_BLOCK_DAYS } from './calendar-block.ts';
import { MAX_EXCEPTIONS } from './opening-hours.ts';
import type { SettingKind } from './practice-setting.ts';
import { MAX_CLINICS_OF_SETTING } from './provider.ts';
import type { ResourceLimit } from './resource-limit.ts';

/**
 * The maximum number of settings of an organization, for callers of the API. What an operator of the service imports
 * counts, and is not refused.
 */
export const MAX_SETTINGS_OF: Readonly<Record<SettingKind, number>> = {
  provider: 1000,
  procedure: 1000,
  'calendar-block': 10_000,
};
/** How far in the future a calendar block may end, in days: five years. A typing error in the year is refused. */
export const MAX_BLOCK_DAYS_AHEAD = 1830;

const part = 'Writing';
const refused = { beyond: '400 ValidationError', metric: 'chairside_api_refusals_total' };

export const settingLimits: readonly ResourceLimit[] = [
  {
    id: 'providers',
    part,
    resource: 'Providers of one organization',
    value: MAX_SETTINGS_OF.provider,
    unit: 'providers',
    ...refused,
  },
  {
    id: 'price_list',
    part,
    resource: 'Procedures in the price list of one organization',
    value: MAX_SETTINGS_OF.procedure,
    unit: 'procedures',
    ...refused,
  },
  {
    id: 'calendar_blocks',
    part,
    resource: 'Calendar blocks of one organization',
    value: MAX_SETTINGS_OF['calendar-block'],
    unit: 'blocks',
    ...refused,
  },
  {
    id: 'block_days',
    part,
    resource: 'Length of a calendar block',
    value: MAX_BLOCK_DAYS,
    unit: 'days',
    ...refused,
  },
  {
    id: 'block_days_ahead',
    part,
    resource: 'End of a calendar block',
    value: MAX_BLOCK_DAYS_AHEAD,
    unit: 'days ahead',
    ...refused,
  },
  {
    id: 'clinics_of_setting',
    part,
    resource: 'Clinics of one provider or procedure',
    value: MAX_CLINICS_OF_SETTING,
    unit: 'clinics',
    ...refused,
  },
  {
    id: 'exceptions',
    part,
    resource: 'Exceptions in the opening hours of one clinic',
    value: MAX_EXCEPTIONS,
    unit: 'days',
    ...refused,
  },
];
