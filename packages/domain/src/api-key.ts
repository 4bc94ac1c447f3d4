import { z } from 'zod';
import { credentialClinics } from './credential-clinics.ts';
import { ignored, ownId, sentBack, timeOf } from './fields.ts';
import { instant } from './instant.ts';
import { listOf } from './list.ts';
import { API_KEY_PREFIX, DEFAULT_RATE_LIMIT, scopes } from './principal.ts';
import { id, text } from './text.ts';

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

/** The longest time for which the former secret of a rotated key goes on working, in hours. */
const MAX_OVERLAP_HOURS = 168;

const ofClinics = {
  description:
    'The clinics that the key is for. What belongs to other clinics does not exist for it. Absent if it is for all clinics, also for those that are added later.',
  examples: [['01JB0000000000000000CHN1C0']],
};
const clinicIds = credentialClinics.meta(ofClinics);
const END = '2030-05-01T09:30:00.000Z';
const ends = {
  description: 'When the key ends: from then on it gets a 401. Absent if it has no end.',
  examples: [END],
};
const expiryTime = instant.meta(ends);

/** An API key without its secret, as list, update and delete return it. */
export const apiKeySchema = z
  .object({
    _id: ownId('01JB00000000000000AP1KEY00'),
    name,
    scopes: z.array(scope).meta(granted),
    clinicIds: z.array(id).optional().meta(ofClinics),
    rateLimit,
    createdTime: timeOf('When the key was created.'),
    lastEditTime: timeOf('When the key was last edited.'),
    lastUsedTime: timeOf('When the secret was last used, to the minute.').optional(),
    lastRotationTime: timeOf(
      'When the key last got a new secret. Absent if it was never rotated.',
    ).optional(),
    formerSecret: z
      .object({
        expiryTime: timeOf('When the former secret stops working.', END),
        lastUsedTime: timeOf('When the former secret was last used, to the minute.').optional(),
      })
      .optional()
      .describe('The secret before the last rotation, as long as it works beside the new one.'),
    expiryTime: expiryTime.optional(),
  })
  .meta({ id: 'ApiKey', description: 'An API key, without its secret.' });
export type ApiKey = z.infer<typeof apiKeySchema>;

/** What a key may learn about itself. */
export const currentApiKeySchema = apiKeySchema
  .pick({
    name: true,
    scopes: true,
    clinicIds: true,
    rateLimit: true,
    lastRotationTime: true,
    expiryTime: true,
  })
  .extend({
    ref: z.string().meta({
      description:
        'The `origin.ref` of events that this key causes, with which a program recognizes its own changes. It stays the same when the key is rotated.',
      examples: ['Zk5sE1vT0mQeY2xHq3pJbA'],
    }),
  })
  .meta({ id: 'CurrentApiKey', description: 'The API key of the request, without its secret.' });
export type CurrentApiKey = z.infer<typeof currentApiKeySchema>;

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
    clinicIds: clinicIds.optional(),
    expiryTime: expiryTime.optional(),
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
    clinicIds: clinicIds.nullish().meta({
      ...ofClinics,
      description: 'The clinics that the key is for. `null` makes it a key for all clinics.',
    }),
    expiryTime: expiryTime
      .nullish()
      .meta({ ...ends, description: 'When the key ends. `null` removes the end.' }),
    createdTime: ignored,
    lastEditTime: ignored,
    lastUsedTime: ignored,
    lastRotationTime: ignored,
    formerSecret: ignored,
  })
  .meta({ id: 'ApiKeyUpdate' });
export type ApiKeyUpdate = z.infer<typeof apiKeyUpdateSchema>;

/** The body of POST /api/apikeys/{apiKeyId}/rotate. */
export const apiKeyRotationSchema = z
  .strictObject({
    overlapHours: z
      .int({ error: 'must be a whole number of hours' })
      .min(0, 'must be at least 0')
      .max(MAX_OVERLAP_HOURS, `must be at most ${MAX_OVERLAP_HOURS}`)
      .meta({
        description:
          'For how many hours the secret until now goes on working beside the new one. 0: it ends within a second.',
        examples: [24],
      }),
  })
  .meta({ id: 'ApiKeyRotation' });
