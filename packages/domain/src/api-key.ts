import { z } from 'zod';
import { instant } from './instant.ts';
import { DEFAULT_RATE_LIMIT, scopes } from './principal.ts';
import { id, text } from './text.ts';

/** The most requests in a minute that can be given to a key. */
const MAX_RATE_LIMIT = 100_000;

const readScopes = scopes.filter((scope) => scope.endsWith(':read'));
const scope = z.enum(scopes, { error: `must be one of ${scopes.join(', ')}` });
const readScope = scope.refine((value) => value.endsWith(':read'), {
  error: `must be one of ${readScopes.join(', ')}: a new key only reads; widen it afterwards with PUT`,
});
const list = <S extends z.ZodType>(entry: S) =>
  z.array(entry, { error: 'must be an array of scopes' }).overwrite((entries) => [...new Set(entries)]);

const name = text(200).min(1, 'must not be empty');
const rateLimit = z
  .int({ error: 'must be a whole number of requests in a minute' })
  .min(1, 'must be at least 1')
  .max(MAX_RATE_LIMIT, `must be at most ${MAX_RATE_LIMIT}`);

/** An API key as list, get, update and delete return it: without its secret. */
export const apiKeySchema = z
  .object({
    _id: id,
    name,
    scopes: z.array(scope),
    rateLimit,
    createdTime: instant,
    lastEditTime: instant,
    /** To the minute. */
    lastUsedTime: instant.optional(),
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.infer<typeof apiKeySchema>;

/** An API key as create and reveal return it. */
export const apiKeyWithSecretSchema = apiKeySchema
  .extend({ secret: z.string() })
  .meta({ id: 'ApiKeyWithSecret' });

/** The body of POST /api/apikeys. Without scopes the key may read everything. */
export const apiKeyCreateSchema = z.strictObject({
  name,
  scopes: list(readScope).default(readScopes),
  rateLimit: rateLimit.default(DEFAULT_RATE_LIMIT),
});
export type ApiKeyCreate = z.infer<typeof apiKeyCreateSchema>;

/** The body of PUT /api/apikeys/{apiKeyId}; what the server owns may be sent back and is ignored. */
export const apiKeyUpdateSchema = z.strictObject({
  _id: id.optional(),
  name: name.optional(),
  scopes: list(scope).optional(),
  rateLimit: rateLimit.optional(),
  createdTime: z.unknown().optional(),
  lastEditTime: z.unknown().optional(),
  lastUsedTime: z.unknown().optional(),
});
