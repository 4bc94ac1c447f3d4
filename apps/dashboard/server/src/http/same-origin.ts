import { Refusal } from '@chairside/domain';
import type { FastifyInstance } from 'fastify';

const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** The beginnings of the paths whose responses to a GET contain data of the practice. */
const READS: readonly string[] = ['/api/', '/downloads/', '/oauth/consent/:uid/'];

/**
 * Refuses requests whose `Host` is not that of `publicUrl`. Otherwise a page that uses DNS rebinding could read the
 * responses.
 */
export const refuseOtherHosts = (app: FastifyInstance, publicUrl: string): void => {
  const { host } = new URL(publicUrl);
  app.addHook('onRequest', async (request) => {
    // Load balancers check the health with the address of the process as `Host`.
    if (request.routeOptions.url?.startsWith('/health/')) return;
    if (request.headers.host === host) return;
    throw new Refusal('BadRequest', `The dashboard has another address. Open ${publicUrl}.`);
  });
};

/**
 * Refuses requests that a page of another site makes the browser send with the cookie of the dashboard. These are
 * requests with unsafe methods and without the `Origin` of `publicUrl`, and reads of the practice's data from another
 * site.
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
