import {
  apiKeyCreateSchema,
  apiKeySchema,
  apiKeyUpdateSchema,
  apiKeyWithSecretSchema,
  currentApiKeySchema,
  MAX_API_KEYS,
  notFound,
} from '@chairside/domain';
import { z } from 'zod';
import { refOf } from '../audit/origin.ts';
import { changesOf, withAuditEntry } from '../audit/security-actions.ts';
import type { App, Dependencies } from '../context.ts';
import { pathId } from '../http/path-id.ts';
import type { OwnPasswordChecks } from '../passwords/own-password.ts';
import { requireMatch, tagged } from '../records/entity-tags.ts';
import { createApiKey } from './create.ts';
import { secretRoutes } from './secret-routes.ts';
import { updateApiKey } from './update.ts';

const config = { access: { role: 'administrator' } } as const;
const confirmed = { access: { role: 'administrator', confirmed: true } } as const;
const versioned = { ...config, versioned: 'changes' } as const;
const tags = ['API keys'];
const params = pathId('apiKeyId');
const response = { 200: apiKeySchema };
const withSecret = { 200: apiKeyWithSecretSchema };
const one = '/api/apikeys/:apiKeyId';
/** What the example of a new key does not have. */
const NEVER_USED = { lastUsedTime: undefined, lastRotationTime: undefined, formerSecret: undefined };

export const apiKeyRoutes = (
  app: App,
  { store: everyStore, ownPassword }: Pick<Dependencies, 'store'> & { ownPassword: OwnPasswordChecks },
): void => {
  app.get(
    '/api/apikeys',
    {
      config,
      schema: {
        tags,
        operationId: 'listApiKeys',
        summary: 'List API keys',
        description: 'Returns all keys of the organization, without their secrets.',
        response: { 200: z.array(apiKeySchema) },
      },
    },
    (request) => request.store.apiKeys.list(),
  );

  app.post(
    '/api/apikeys',
    {
      config: { ...confirmed, versioned: 'changes' },
      schema: {
        tags,
        operationId: 'createApiKey',
        example: NEVER_USED,
        summary: 'Create an API key',
        description: `Creates a key and returns its secret. A new key has read scopes only; add write scopes with PUT. With \`clinicIds\`, what belongs to other clinics does not exist for it. An organization can have ${MAX_API_KEYS} keys.`,
        body: apiKeyCreateSchema,
        response: withSecret,
      },
    },
    async (request, reply) => {
      const action = {
        action: 'created',
        kind: 'apiKey',
        ids: [],
        changes: changesOf(request.body),
      } as const;
      const created = await withAuditEntry(
        request,
        action,
        () => createApiKey(request.store, request.body),
        ({ _id }) => [_id],
      );
      return tagged(reply, 'apiKey', created);
    },
  );

  app.get(
    '/api/apikeys/current',
    {
      config: { access: { anyScope: [], keysOnly: true } },
      schema: {
        tags,
        operationId: 'getCurrentApiKey',
        summary: 'Get the API key of the request',
        description:
          'Returns what the key of the request may do, and the `origin.ref` of the events that it causes.',
        response: { 200: currentApiKeySchema },
      },
    },
    async (request) => {
      const { principal, store } = request;
      const found = await store.apiKeys.find(principal.id);
      if (found === undefined) throw notFound();
      const { name, scopes, clinicIds, rateLimit, lastRotationTime, expiryTime } = found;
      const ref = (await refOf(everyStore, principal)) as string;
      return { name, scopes, clinicIds, rateLimit, lastRotationTime, expiryTime, ref };
    },
  );

  app.get(
    one,
    {
      config: versioned,
      schema: {
        tags,
        operationId: 'getApiKey',
        summary: 'Get one API key',
        description: 'Returns a key, without its secret.',
        params,
        response,
      },
    },
    async (request, reply) => {
      const found = await request.store.apiKeys.find(request.params.apiKeyId);
      if (found === undefined) throw notFound();
      return tagged(reply, 'apiKey', found);
    },
  );

  app.put(
    one,
    {
      config: versioned,
      schema: {
        tags,
        operationId: 'updateApiKey',
        summary: 'Change an API key',
        description:
          'Changes the fields in the body, within one second. To let the key do more, or for longer, the password must have been confirmed in the last ten minutes: to add scopes or clinics, to raise the limit, or to move the end further away. A key that has ended works again when its end is moved.',
        params,
        body: apiKeyUpdateSchema,
        response,
      },
    },
    async (request, reply) =>
      tagged(reply, 'apiKey', await updateApiKey(request, request.params.apiKeyId, request.body)),
  );

  app.delete(
    one,
    {
      config: versioned,
      schema: {
        tags,
        operationId: 'deleteApiKey',
        summary: 'Delete an API key',
        description:
          'Deletes a key and returns it, without its secret. The key stops working within one second.',
        params,
        response,
      },
    },
    async (request) => {
      const { apiKeyId } = request.params;
      const check = requireMatch(request, 'apiKey');
      const action = { action: 'deleted', kind: 'apiKey', ids: [apiKeyId] } as const;
      return withAuditEntry(request, action, async () => {
        const deleted = await request.store.apiKeys.delete(apiKeyId, check);
        if (deleted === undefined) throw notFound();
        return deleted;
      });
    },
  );
  secretRoutes(app, ownPassword);
};
