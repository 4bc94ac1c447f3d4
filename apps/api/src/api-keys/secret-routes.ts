import { apiKeyRotationSchema, apiKeyWithSecretSchema } from '@chairside/domain';
import { withAuditEntry } from '../audit/security-actions.ts';
import type { App } from '../context.ts';
import { pathId } from '../http/path-id.ts';
import { type OwnPasswordChecks, ownPasswordBody } from '../passwords/own-password.ts';
import { tagged } from '../records/entity-tags.ts';
import { revealApiKey } from './reveal.ts';
import { rotateApiKey } from './rotate.ts';

const tags = ['API keys'];
const params = pathId('apiKeyId');
const response = { 200: apiKeyWithSecretSchema };
const revealSchema = ownPasswordBody('ApiKeyReveal', {});
const one = '/api/apikeys/:apiKeyId';

/** Registers the routes that return the secret of a key that exists. */
export const secretRoutes = (app: App, checks: OwnPasswordChecks): void => {
  app.post(
    `${one}/rotate`,
    {
      config: { access: { role: 'administrator', confirmed: true }, versioned: 'changes' },
      schema: {
        tags,
        operationId: 'rotateApiKey',
        summary: 'Give an API key a new secret',
        description:
          'Returns the key with a new secret, once. The secret until now works for `overlapHours`, under one rate limit with the new one. A key has at most two secrets: another rotation ends the older one within a second. `lastUsedTime` of `formerSecret` tells whether a program still uses the former one.',
        params,
        body: apiKeyRotationSchema,
        response,
      },
    },
    async (request, reply) =>
      tagged(reply, 'apiKey', await rotateApiKey(request, request.params.apiKeyId, request.body)),
  );

  app.post(
    `${one}/reveal`,
    {
      config: { access: { role: 'administrator' } },
      schema: {
        tags,
        operationId: 'revealApiKey',
        summary: 'Reveal an API key',
        description:
          'Returns the key with its secret. Returns 429 after five wrong passwords in a minute, and 403 with `requiredSecondFactor` if the factor is missing.',
        refusals: [401],
        params,
        body: revealSchema,
        response,
      },
    },
    (request) => {
      const { apiKeyId } = request.params;
      return withAuditEntry(request, { action: 'revealed', kind: 'apiKey', ids: [apiKeyId] }, () =>
        revealApiKey(checks, request, apiKeyId, request.body),
      );
    },
  );
};
