import { z } from 'zod';
import { ignored, ownId, sentBack, timeOf } from './fields.ts';
import { listOf } from './list.ts';
import { API_KEY_PREFIX, DEFAULT_RATE_LIMIT, scopes } from './principal.ts';
import { text } from './text.ts';

/** The highest rate limit of a key, in requests per minute. */
const MAX_RATE_LIMIT = 100_000;

const readScopes = scopes.filter((scope) => scope.endsWith(':read'));
const scope = z.enum(scopes, { error: `must be one of ${scopes.join(', ')}` });
const readScope = z.enum(readScopes, {
  error: `must be one of ${readScopes.join(', ')}: a new key can only read. Add other scopes afterwards with PUT`,
});
/** Maximum number of entries of `scopes` in a request. Duplicates are allowed, so this exceeds the number of scopes. */
const MAX_SCOPES = 100;
const list = <S extends z.ZodType>(entry: S) =>
  listOf(entry, MAX_SCOPES, 'must be an array of scopes').overwrite((entries) => [...new Set(entries)]);

const name = text(200)
  .min(1, 'must not be empty')
  .meta({ description: 'The purpose of the key, in your own words.', examples: ['Recall letters'] });
const rateLimit = z
  .int({ error: 'must be a whole number of requests in a minute' })
  .min(1, 'must be at least 1')
  .max(MAX_RATE_LIMIT, `must be at most ${MAX_RATE_LIMIT}`)
  .meta({ description: 'Rate limit: requests per minute.', examples: [DEFAULT_RATE_LIMIT] });
const granted = { description: 'The scopes of the key.', examples: [['patients:read', 'appointments:read']] };

/** An API key without its secret, as list, update and delete return it. */
export const apiKeySchema = z
  .object({
    _id: ownId('01JB00000000000000AP1KEY00'),
    name,
    scopes: z.array(scope).meta(granted),
    rateLimit,
    createdTime: timeOf('When the key was created.'),
    lastEditTime: timeOf('When the key was last edited.'),
    lastUsedTime: timeOf('When the key was last used, to the minute.').optional(),
  })
  .meta({ id: 'ApiKey', description: 'An API key, without its secret.' });
export type ApiKey = z.infer<typeof apiKeySchema>;

/** An API key as create and reveal return it. */
export const apiKeyWithSecretSchema = apiKeySchema
  .extend({
    secret: z.string().meta({
      description:
        'The secret. Programs send it in `Authorization: Basic`, encoded in Base64, without a user name and without a colon.',
      examples: [`${API_KEY_PREFIX}${'0'.repeat(43)}`],
    }),
  })
  .meta({ id: 'ApiKeyWithSecret', description: 'An API key with its secret.' });

/** The body of POST /api/apikeys. Without `scopes`, the key gets all read scopes. */
export const apiKeyCreateSchema = z
  .strictObject({
    name,
    scopes: list(readScope)
      .meta({
        ...granted,
        description:
          'The scopes of the new key, which can be read scopes only. Add write scopes later with PUT.',
      })
      .default(readScopes),
    rateLimit: rateLimit.default(DEFAULT_RATE_LIMIT),
  })
  .meta({ id: 'ApiKeyCreate' });
export type ApiKeyCreate = z.infer<typeof apiKeyCreateSchema>;

/**
 * The body of PUT /api/apikeys/{apiKeyId}. `_id` must equal the path; the other fields that the server sets are
 * ignored.
 */
export const apiKeyUpdateSchema = z
  .strictObject({
    _id: sentBack._id,
    name: name.optional(),
    scopes: list(scope).meta(granted).optional(),
    rateLimit: rateLimit.optional(),
    createdTime: ignored,
    lastEditTime: ignored,
    lastUsedTime: ignored,
  })
  .meta({ id: 'ApiKeyUpdate' });
export type ApiKeyUpdate = z.infer<typeof apiKeyUpdateSchema>;
