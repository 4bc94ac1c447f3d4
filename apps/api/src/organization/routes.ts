import { conflict, type Organization, organizationSchema, organizationUpdateSchema } from '@chairside/domain';
import type { FastifyRequest } from 'fastify';
import { changesOf, withAuditEntry } from '../audit/security-actions.ts';
import type { App } from '../context.ts';
import { operatorOf } from '../http/operator.ts';

const tags = ['Organization'];
const path = '/api/organization';
const response = { 200: organizationSchema };

const organizationOf = async ({ store }: FastifyRequest): Promise<Organization> => {
  const [name, requiredFactors] = await Promise.all([
    store.organizationName(),
    store.factorRequirement.get(),
  ]);
  return { name, requiredFactors };
};

/** Registers the routes of the caller's organization. */
export const organizationRoutes = (app: App): void => {
  app.get(
    path,
    {
      config: { access: { role: 'staff' } },
      schema: {
        tags,
        operationId: 'getOrganization',
        summary: 'Get your organization',
        description:
          'Returns the name of your organization, and who must have a factor besides the password.',
        response,
      },
    },
    organizationOf,
  );

  app.put(
    path,
    {
      config: { access: { role: 'administrator', confirmed: true } },
      schema: {
        tags,
        operationId: 'updateOrganization',
        summary: 'Require factors',
        description:
          'Sets who must have a factor besides the password. Sessions of operators who lack it can only add one and sign out, within a second. Returns 409 if you have no factor yourself.',
        refusals: [409],
        body: organizationUpdateSchema,
        response,
      },
    },
    (request) => {
      const { requiredFactors } = request.body;
      const { id, organizationId } = operatorOf(request);
      const changes = changesOf({ requiredFactors });
      return withAuditEntry(
        request,
        { action: 'updated', kind: 'organization', ids: [organizationId], changes },
        async () => {
          const { operators, factorRequirement } = request.store;
          const own = await operators.find(id);
          if (requiredFactors !== 'off' && own?.factors.length === 0)
            throw conflict('no_factor', 'Add a passkey or an app for codes yourself first.');
          await factorRequirement.set(requiredFactors);
          return organizationOf(request);
        },
      );
    },
  );
};
