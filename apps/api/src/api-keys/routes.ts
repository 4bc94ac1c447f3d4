import {
  apiKeyCreateSchema,
  apiKeySchema,
  apiKeyUpdateSchema,
  apiKeyWithSecretSchema,
  notFound,
  text,
} from '@chairside/domain';
import { z } from 'zod';
import type { App, Dependencies } from '../app.ts';
import { pathId, requireSameId } from '../plugins/path-id.ts';
import { createPasswordGuard } from '../plugins/rate-limit.ts';
import { revealApiKey } from './reveal.ts';

const config = { access: { role: 'administrator' } } as const;
const params = pathId('apiKeyId');
const response = { 200: apiKeySchema };
const withSecret = { 200: apiKeyWithSecretSchema };
const one = '/api/apikeys/:apiKeyId';

export const apiKeyRoutes = (app: App, { store, limiter }: Dependencies): void => {
  const guard = createPasswordGuard(limiter);

  app.get('/api/apikeys', { config, schema: { response: { 200: z.array(apiKeySchema) } } }, (request) =>
    store.organization(request.principal.organizationId).apiKeys.list(),
  );

  app.post(
    '/api/apikeys',
    { config, schema: { body: apiKeyCreateSchema, response: withSecret } },
    (request) =>
      store.organization(request.principal.organizationId).apiKeys.create(request.body, new Date()),
  );

  app.put(one, { config, schema: { params, body: apiKeyUpdateSchema, response } }, async (request) => {
    const { _id, name, scopes, rateLimit } = request.body;
    requireSameId(_id, request.params.apiKeyId);
    const updated = await store
      .organization(request.principal.organizationId)
      .apiKeys.update(request.params.apiKeyId, { name, scopes, rateLimit }, new Date());
    if (updated === undefined) throw notFound();
    return updated;
  });

  app.delete(one, { config, schema: { params, response } }, async (request) => {
    const deleted = await store
      .organization(request.principal.organizationId)
      .apiKeys.delete(request.params.apiKeyId);
    if (deleted === undefined) throw notFound();
    return deleted;
  });

  app.post(
    `${one}/reveal`,
    { config, schema: { params, body: z.strictObject({ password: text(1000) }), response: withSecret } },
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
