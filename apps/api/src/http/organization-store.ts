import { ServiceError } from '@chairside/domain';
import type { OrganizationStore, Store } from '@chairside/mongodb';
import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The repositories of the caller's organization; of a key or program token that names clinics, only what belongs to them.
     *
     * @throws {Error} on a route with `access: 'public'`, and before authentication
     */
    readonly store: OrganizationStore;
  }
}

/** Gives each request the store that its principal may see. */
export const organizationStore = (app: FastifyInstance, store: Pick<Store, 'organization'>): void => {
  app.decorateRequest('store', {
    // The organization is read from the principal each time, because `authorizeAgain` replaces the principal.
    getter(this: FastifyRequest) {
      const { method, routeOptions, principal } = this;
      if (principal !== undefined) {
        const clinicIds = principal.kind === 'operator' ? undefined : principal.clinicIds;
        return store.organization(principal.organizationId, clinicIds);
      }
      throw new ServiceError(
        `${method} ${routeOptions.url} used request.store without a principal. Set an access other than 'public'.`,
      );
    },
  });
};
