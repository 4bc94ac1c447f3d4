import { Refusal, type ResourceLimit } from '@chairside/domain';
import { siteOf } from '@chairside/http-server';
import type { Limit, OAuthLimits } from '@chairside/mongodb/oauth';
import { orUnavailable } from './unavailable.ts';

const HOUR = 3600;
const MINUTE = 60;

/** The largest body of a registration, in bytes. */
export const MAX_REGISTRATION_BYTES = 16_384;

const REGISTRATIONS: Limit = { name: 'register', most: 20, seconds: HOUR };
const ALL_REGISTRATIONS: Limit = { name: 'register-all', most: 200, seconds: HOUR };
const AUTHORIZATIONS: Limit = { name: 'authorize', most: 60, seconds: MINUTE };
const DOCUMENTS: Limit = { name: 'document', most: 20, seconds: MINUTE };
const ALL_DOCUMENTS: Limit = { name: 'document-all', most: 200, seconds: MINUTE };

const PART = 'Connected apps';

export const oauthLimits: readonly ResourceLimit[] = [
  {
    id: 'registrations',
    part: PART,
    resource: 'Registrations of apps from one network (an IPv4 address, or an IPv6 /48)',
    value: REGISTRATIONS.most,
    unit: 'per hour',
    beyond: '429 TooManyRequests',
    metric: 'chairside_dashboard_oauth_limited_total',
  },
  {
    id: 'all_registrations',
    part: PART,
    resource: 'Registrations of apps from all networks',
    value: ALL_REGISTRATIONS.most,
    unit: 'per hour',
    beyond: '429 TooManyRequests',
    metric: 'chairside_dashboard_oauth_limited_total',
  },
  {
    id: 'registration_body',
    part: PART,
    resource: 'Size of a registration',
    value: MAX_REGISTRATION_BYTES / 1024,
    unit: 'KiB',
    beyond: '413 PayloadTooLarge',
  },
  {
    id: 'authorizations',
    part: PART,
    resource: 'Authorizations that begin from one network',
    value: AUTHORIZATIONS.most,
    unit: 'per minute',
    beyond: '429 TooManyRequests',
    metric: 'chairside_dashboard_oauth_limited_total',
  },
  {
    id: 'client_documents',
    part: PART,
    resource: 'Documents of apps that are fetched for one network',
    value: DOCUMENTS.most,
    unit: 'per minute',
    beyond: '503 temporarily_unavailable',
    metric: 'chairside_dashboard_oauth_limited_total',
  },
  {
    id: 'all_client_documents',
    part: PART,
    resource: 'Documents of apps that are fetched for all networks',
    value: ALL_DOCUMENTS.most,
    unit: 'per minute',
    beyond: '503 temporarily_unavailable',
    metric: 'chairside_dashboard_oauth_limited_total',
  },
];

/** Limits on everything that an unauthenticated caller can make the authorization server store or fetch. */
export type Admission = {
  /** @throws {Refusal} TooManyRequests */
  register(address: string): Promise<void>;
  /** @throws {Refusal} TooManyRequests */
  authorize(address: string): Promise<void>;
  /**
   * Whether a client document may be fetched.
   *
   * @param address the caller's address; undefined for the consent page, which a person has opened
   */
  mayFetch(address: string | undefined): Promise<boolean>;
};

/** @param limited called with the name of each limit that is exceeded */
export const createAdmission = (limits: OAuthLimits, limited: (name: string) => void): Admission => {
  /** Counts the call. Returns the seconds to wait, or undefined if the call is within the limit. */
  const wait = async (limit: Limit, caller: string): Promise<number | undefined> => {
    const seconds = await orUnavailable(limits.count(limit, caller, new Date()));
    if (seconds !== undefined) limited(limit.name);
    return seconds;
  };
  const admit = async (limit: Limit, caller: string, what: string): Promise<void> => {
    const retryAfter = await wait(limit, caller);
    if (retryAfter === undefined) return;
    throw new Refusal('TooManyRequests', `Too many ${what}. Try again in ${retryAfter} s.`, { retryAfter });
  };
  return {
    async register(address) {
      // The limit of the network is checked first, so that one network cannot use up the limit for all. The network is
      // a /48, because providers give a single customer that much (RFC 6177).
      await admit(REGISTRATIONS, siteOf(address), 'registrations');
      await admit(ALL_REGISTRATIONS, 'all', 'registrations');
    },
    authorize: (address) => admit(AUTHORIZATIONS, siteOf(address), 'authorizations'),
    mayFetch: async (address) =>
      (address === undefined || (await wait(DOCUMENTS, siteOf(address))) === undefined) &&
      (await wait(ALL_DOCUMENTS, 'all')) === undefined,
  };
};
