import {
  apiKeyCreateSchema,
  apiKeySchema,
  apiKeyUpdateSchema,
  apiKeyWithSecretSchema,
  MAX_API_KEYS,
  notFound,
} from '@chairside/domain';
import { z } from 'zod';
import { changesOf, withAuditEntry } from '../audit/security-actions.ts';
import type { App } from '../context.ts';
import { pathId } from '../http/path-id.ts';
import { ownPasswordBody } from '../passwords/own-password.ts';
import type { PasswordGuard } from '../passwords/password-guard.ts';
import { requireMatch, tagged } from '../records/entity-tags.ts';
import { createApiKey } from './create.ts';
import { revealApiKey } from './reveal.ts';
import { updateApiKey } from './update.ts';

const config = { access: { role: 'administrator' } } as const;
const confirmed = { access: { role: 'administrator', confirmed: true } } as const;
const versioned = { ...config, versioned: 'changes' } as const;
const tags = ['API keys'];
const params = pathId('apiKeyId');
const response = { 200: apiKeySchema };
const withSecret = { 200: apiKeyWithSecretSchema };
const revealSchema = ownPasswordBody('ApiKeyReveal');
const one = '/api/apikeys/:apiKeyId';

export const apiKeyRoutes = (app: App, { passwordGuard: guard }: { passwordGuard: PasswordGuard }): void => {
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
        example: { lastUsedTime: undefined },
        summary: 'Create an API key',
        description: `Creates a key and returns its secret. A new key has read scopes only; add write scopes with PUT. An organization can have ${MAX_API_KEYS} keys.`,
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
          'Changes name, scopes and rate limit of a key. The change takes effect within one second. To add scopes or raise the limit, the password must have been confirmed in the last ten minutes.',
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

  app.post(
    `${one}/reveal`,
    {
      config,
      schema: {
        tags,
        operationId: 'revealApiKey',
        summary: 'Reveal an API key',
        description: 'Returns the key with its secret. Returns 429 after five wrong passwords in a minute.',
        params,
        body: revealSchema,
        response: withSecret,
      },
    },
    (request) => {
      const { apiKeyId } = request.params;
      return withAuditEntry(request, { action: 'revealed', kind: 'apiKey', ids: [apiKeyId] }, () =>
        revealApiKey(guard, request, apiKeyId, request.body.password),
      );
    },
  );
};
