import {
  apiKeyCreateSchema,
  apiKeySchema,
  apiKeyUpdateSchema,
  apiKeyWithSecretSchema,
  enteredPassword,
  notFound,
} from '@chairside/domain';
import { z } from 'zod';
import type { App, Dependencies } from '../app.ts';
import { pathId, requireSameId } from '../plugins/path-id.ts';
import { createPasswordGuard } from '../plugins/rate-limit.ts';
import { revealApiKey } from './reveal.ts';

const config = { access: { role: 'administrator' } } as const;
const tags = ['API keys'];
const params = pathId('apiKeyId');
const response = { 200: apiKeySchema };
const withSecret = { 200: apiKeyWithSecretSchema };
const revealSchema = z
  .strictObject({
    password: enteredPassword.meta({
      description: 'Your own password.',
      examples: ['correct horse battery'],
    }),
  })
  .meta({ id: 'ApiKeyReveal' });
const one = '/api/apikeys/:apiKeyId';

export const apiKeyRoutes = (app: App, { store, limiter }: Dependencies): void => {
  const guard = createPasswordGuard(limiter);

  app.get(
    '/api/apikeys',
    {
      config,
      schema: {
        tags,
        operationId: 'listApiKeys',
        summary: 'List API keys',
        description: 'All keys of the organization, without their secrets.',
        response: { 200: z.array(apiKeySchema) },
      },
    },
    (request) => store.organization(request.principal.organizationId).apiKeys.list(),
  );

  app.post(
    '/api/apikeys',
    {
      config,
      schema: {
        tags,
        operationId: 'createApiKey',
        summary: 'Create an API key',
        description: 'A new key only reads; widen it afterwards with PUT.',
        body: apiKeyCreateSchema,
        response: withSecret,
      },
    },
    (request) =>
      store.organization(request.principal.organizationId).apiKeys.create(request.body, new Date()),
  );

  app.put(
    one,
    {
      config,
      schema: {
        tags,
        operationId: 'updateApiKey',
        summary: 'Change an API key',
        description: 'Its name, scopes and rate limit. It holds everywhere within one second.',
        params,
        body: apiKeyUpdateSchema,
        response,
      },
    },
    async (request) => {
      const { _id, name, scopes, rateLimit } = request.body;
      requireSameId(_id, request.params.apiKeyId);
      const updated = await store
        .organization(request.principal.organizationId)
        .apiKeys.update(request.params.apiKeyId, { name, scopes, rateLimit }, new Date());
      if (updated === undefined) throw notFound();
      return updated;
    },
  );

  app.delete(
    one,
    {
      config,
      schema: {
        tags,
        operationId: 'deleteApiKey',
        summary: 'Delete an API key',
        description: 'It stops working everywhere within one second.',
        params,
        response,
      },
    },
    async (request) => {
      const deleted = await store
        .organization(request.principal.organizationId)
        .apiKeys.delete(request.params.apiKeyId);
      if (deleted === undefined) throw notFound();
      return deleted;
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
        description: 'Shows its secret once more. After five wrong passwords in a minute: 429.',
        params,
        body: revealSchema,
        response: withSecret,
      },
    },
    (request) =>
      revealApiKey(
        store.organization(request.principal.organizationId),
        guard,
        request,
        request.params.apiKeyId,
        request.body.password,
      ),
  );
};
