import type { OrganizationStore, Store } from '@chairside/mongodb';
import { ServiceError } from '@chairside/runtime';
import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The repositories of the caller's organization.
     *
     * @throws {Error} on a route with `access: 'public'`, and before authentication
     */
    readonly store: OrganizationStore;
  }
}

/** Gives each request the store of its principal's organization. */
export const organizationStore = (app: FastifyInstance, store: Pick<Store, 'organization'>): void => {
  app.decorateRequest('store', {
    // The organization is read from the principal each time, because `authorizeAgain` replaces the principal.
    getter(this: FastifyRequest) {
      const { method, routeOptions, principal } = this;
      if (principal !== undefined) return store.organization(principal.organizationId);
      throw new ServiceError(
        `${method} ${routeOptions.url} used request.store without a principal. Set an access other than 'public'.`,
      );
    },
  });
};
