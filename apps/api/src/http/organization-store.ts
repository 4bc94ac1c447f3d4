import { ServiceError } from '@chairside/domain';
import { type OrganizationStore, type Store, withinClinics } from '@chairside/mongodb';
import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The repositories of the caller's organization; of a program token that names clinics, only what belongs to them.
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
        const all = store.organization(principal.organizationId);
        const clinicIds = principal.kind === 'programToken' ? principal.clinicIds : undefined;
        return clinicIds === undefined ? all : withinClinics(all, clinicIds);
      }
      throw new ServiceError(
        `${method} ${routeOptions.url} used request.store without a principal. Set an access other than 'public'.`,
      );
    },
  });
};
