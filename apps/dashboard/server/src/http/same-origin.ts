import { Refusal } from '@chairside/domain';
import type { FastifyInstance } from 'fastify';

const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** The paths whose responses to a GET have data of the practice. */
const READS: readonly string[] = ['/api/', '/downloads/', '/oauth/consent/:uid/'];

/** Refuses requests under another name than that of `publicUrl`: a page of a rebound name could read the responses. */
export const refuseOtherHosts = (app: FastifyInstance, publicUrl: string): void => {
  const { host } = new URL(publicUrl);
  app.addHook('onRequest', async (request) => {
    // Load balancers check the health under the address of the process.
    if (request.routeOptions.url?.startsWith('/health/')) return;
    if (request.headers.host === host) return;
    throw new Refusal('BadRequest', `The dashboard has another address. Open ${publicUrl}.`);
  });
};

/**
 * Refuses what another site's page makes the browser send with the cookie of the dashboard: unsafe methods without the
 * `Origin` of `publicUrl`, and calls of the api and downloads from another site.
 */
export const refuseOtherOrigins = (app: FastifyInstance, publicUrl: string): void => {
  app.addHook('onRequest', async ({ method, headers, routeOptions }) => {
    const isUnsafe = !SAFE_METHODS.includes(method) && routeOptions.config.ignoresCookies !== true;
    if (isUnsafe && headers.origin !== publicUrl)
      throw new Refusal('Forbidden', `Requests that change something must come from a page of ${publicUrl}.`);
    const readsData = READS.some((prefix) => routeOptions.url?.startsWith(prefix));
    if (readsData && headers['sec-fetch-site'] === 'cross-site')
      throw new Refusal('Forbidden', `Requests to the api must come from a page of ${publicUrl}.`);
  });
};
