import type { ResourceLimit } from '@chairside/domain';
import { type BodyBounds, bodyLimitsOf } from '@chairside/http-server';
import { MAX_BODY_BYTES } from '../http/error-handler.ts';

/** The api reads bodies of the same size. */
export const bodyBounds: BodyBounds = {
  max: 256 * 1024,
  maxOfOrganization: 4 * 2 ** 20,
  maxOfProcess: 64 * 2 ** 20,
  ids: {
    body: 'dashboard_body',
    ofOrganization: 'dashboard_bodies_of_organization',
    ofProcess: 'dashboard_bodies',
  },
};

export const dashboardBodyLimits: readonly ResourceLimit[] = [
  ...bodyLimitsOf(bodyBounds, 'Dashboard', {
    whose: ' that the dashboard forwards',
    isParsed: false,
  }),
  {
    id: 'dashboard_own_body',
    part: 'Dashboard',
    resource: 'Body of a sign-in, or of another request that the dashboard does not forward',
    value: MAX_BODY_BYTES / 1024,
    unit: 'KiB',
    beyond: '413 PayloadTooLarge',
  },
];
