import { z } from 'zod';
import { credentialClinics } from './credential-clinics.ts';
import { idOf, ownId, timeOf } from './fields.ts';
import { id, text } from './text.ts';

/** Program tokens start with this, so that secret scanners find them. */
export const PROGRAM_TOKEN_PREFIX = 'chairside_program_';
/** The longest and the default lifetime of a program token, in days. */
export const MAX_TOKEN_LIFETIME_DAYS = 365;
const DEFAULT_TOKEN_LIFETIME_DAYS = 90;

/**
 * What a program token may do. `webhooks`: manage subscriptions, send tests, read and repeat deliveries, and read clinics,
 * statistics, the state of the service and the event log.
 */
export const tokenAccesses = ['webhooks'] as const;
export type TokenAccess = (typeof tokenAccesses)[number];

const name = text(200)
  .min(1, 'must not be empty')
  .meta({ description: 'The purpose of the token, in your own words.', examples: ['Onboarding of clinics'] });
const access = z.enum(tokenAccesses, { error: `must be one of ${tokenAccesses.join(', ')}` }).meta({
  description:
    'What the token may do. `webhooks`: manage subscriptions, send tests, list and repeat deliveries, and read clinics, statistics, the state of the service and the event log. It can read patient data in events.',
  examples: ['webhooks'],
});
const clinics = {
  description:
    'The clinics that the token is for. Subscriptions, deliveries, statistics and events of other clinics do not exist for it. Absent if it is for all clinics, also for those that are added later.',
  examples: [['01JB0000000000000000CHN1C0']],
};

/** A program token as list and delete return it. */
export const programTokenSchema = z
  .object({
    _id: ownId('01JB00000000000000T0KEN000'),
    operatorId: idOf('the operator who created the token', '01JB00000000000000PERAT0R0'),
    name,
    access,
    clinicIds: z.array(id).optional().meta(clinics),
    createdTime: timeOf('When the token was created.'),
    lastUsedTime: timeOf(
      'When the token was last used, to the minute. Absent if it was not used.',
    ).optional(),
    expiryTime: timeOf(
      'When the token ends at the latest. It ends earlier with the access of its operator, or when somebody ends it.',
      '2030-05-01T09:30:00.000Z',
    ),
  })
  .meta({ id: 'ProgramToken', description: 'An access token for a program, without the token itself.' });
export type ProgramToken = z.infer<typeof programTokenSchema>;

/** A program token as it sees itself. */
export const currentProgramTokenSchema = programTokenSchema
  .extend({
    ref: z.string().meta({
      description:
        'The `origin.ref` of events that this token causes, with which a program recognizes its own changes.',
      examples: ['Zk5sE1vT0mQeY2xHq3pJbA'],
    }),
  })
  .meta({
    id: 'CurrentProgramToken',
    description: 'The program token of the request, without the token itself.',
  });
export type CurrentProgramToken = z.infer<typeof currentProgramTokenSchema>;

/** A program token as its creation returns it. */
export const programTokenWithSecretSchema = programTokenSchema
  .extend({
    token: z.string().meta({
      description: 'The token. No other response contains it. Programs send it in `Authorization: Token`.',
      examples: [`${PROGRAM_TOKEN_PREFIX}${'0'.repeat(43)}`],
    }),
  })
  .meta({ id: 'ProgramTokenWithSecret', description: 'A new access token for a program.' });

/** The body of POST /api/sessions/current/tokens. */
export const programTokenCreateSchema = z
  .strictObject({
    name,
    lifetimeDays: z
      .int({ error: 'must be a whole number of days' })
      .min(1, 'must be at least 1')
      .max(MAX_TOKEN_LIFETIME_DAYS, `must be at most ${MAX_TOKEN_LIFETIME_DAYS}`)
      .default(DEFAULT_TOKEN_LIFETIME_DAYS)
      .meta({
        description: 'The number of days after which the token ends.',
        examples: [DEFAULT_TOKEN_LIFETIME_DAYS],
      }),
    access,
    clinicIds: credentialClinics.optional().meta(clinics),
  })
  .meta({ id: 'ProgramTokenCreate' });
export type ProgramTokenCreate = z.infer<typeof programTokenCreateSchema>;
