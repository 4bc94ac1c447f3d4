import { MAX_CREDENTIAL_CLINICS } from './credential-clinics.ts';
import type { ResourceLimit } from './resource-limit.ts';

/** The maximum number of API keys of an organization. */
export const MAX_API_KEYS = 100;
/** The maximum number of operators of an organization, including disabled operators. */
export const MAX_OPERATORS = 200;
/** The maximum number of open sessions of an operator. */
export const MAX_SESSIONS = 20;
/** The maximum number of program tokens of an organization. */
export const MAX_PROGRAM_TOKENS = 100;
/** The maximum number of connected apps of an organization. */
export const MAX_CONNECTIONS = 100;

const part = 'Credentials';
const refused = { beyond: '400 ValidationError', metric: 'chairside_api_refusals_total' };

export const credentialLimits: readonly ResourceLimit[] = [
  {
    id: 'api_keys',
    part,
    resource: 'API keys of one organization',
    value: MAX_API_KEYS,
    unit: 'keys',
    ...refused,
  },
  {
    id: 'operators',
    part,
    resource: 'Operators of one organization, including disabled operators',
    value: MAX_OPERATORS,
    unit: 'operators',
    ...refused,
  },
  {
    id: 'sessions',
    part,
    resource: 'Open sessions of one operator',
    value: MAX_SESSIONS,
    unit: 'sessions',
    beyond: 'a sign-in ends the session that was used least recently',
  },
  {
    id: 'program_tokens',
    part,
    resource: 'Program tokens of one organization',
    value: MAX_PROGRAM_TOKENS,
    unit: 'tokens',
    ...refused,
  },
  {
    id: 'program_token_clinics',
    part,
    resource: 'Clinics that one API key or program token names',
    value: MAX_CREDENTIAL_CLINICS,
    unit: 'clinics',
    ...refused,
  },
  {
    id: 'connected_apps',
    part,
    resource: 'Connected apps of one organization',
    value: MAX_CONNECTIONS,
    unit: 'apps',
    beyond: '409 Conflict',
  },
];
