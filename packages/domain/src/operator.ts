import { z } from 'zod';
import { addedFactorKinds, withFactor } from './factor.ts';
import { idOf, ignored, ownId, sentBack, timeOf } from './fields.ts';
import { MIN_PASSWORD_LENGTH, roles } from './principal.ts';
import { signInEmail, text } from './text.ts';

/** The longest name of an operator, in characters. */
const MAX_NAME_LENGTH = 200;
/** How long an invitation can be completed, in milliseconds: 72 hours. */
export const INVITATION_LIFE_MS = 72 * 3_600_000;
/** How long the link for a new password works, in milliseconds: 30 minutes. */
export const PASSWORD_RESET_LIFE_MS = 30 * 60_000;

/** The longest password that is accepted, in characters. */
export const MAX_PASSWORD_LENGTH = 1000;

/** A password that an operator enters. */
export const enteredPassword = text(MAX_PASSWORD_LENGTH);
/** A new password. */
export const newPassword = enteredPassword.min(
  MIN_PASSWORD_LENGTH,
  `must have at least ${MIN_PASSWORD_LENGTH} characters`,
);
const role = z
  .enum(roles, { error: `must be one of ${roles.join(', ')}` })
  .meta({ description: 'Role of the operator.', examples: ['staff'] });
const active = z
  .boolean({ error: 'must be true or false' })
  .meta({ description: 'Whether the operator may sign in.', examples: [true] });
const address = signInEmail.meta({
  description: 'E-mail address for signing in. It is unique.',
  examples: ['operator@example.com'],
});
const password = newPassword.meta({
  description: `At least ${MIN_PASSWORD_LENGTH} characters.`,
  examples: ['correct horse battery'],
});
const passwordChangeRequired = z.boolean().meta({
  description:
    'Whether somebody else chose the password. If so, the operator can only change it or sign out.',
  examples: [false],
});
/** The name of an operator. */
export const operatorNameSchema = text(MAX_NAME_LENGTH)
  .min(1, 'must not be empty')
  .meta({ description: 'Name of the operator, shown where people are listed.', examples: ['Ada Byron'] });
const name = operatorNameSchema;
const invitation = z
  .object({
    expiryTime: timeOf('When the link of the invitation ends.', '2030-02-03T09:30:00.000Z'),
    mail: z
      .enum(['queued', 'sending', 'sent', 'failed', 'unknown'])
      .optional()
      .meta({
        description:
          'What happened to the mail: `queued` and `sending` are on the way, `sent` was taken by the mail server, `failed` was refused or its time was over, `unknown` was not confirmed. Absent if no mail was sent, or if it was sent more than 30 days ago.',
        examples: ['sent'],
      }),
  })
  .meta({
    description:
      'Only while the operator has been invited and has not chosen a password. Such an operator cannot sign in.',
  });
const operatorId = '01JB00000000000000PERAT0R0';

/** An operator as the API returns it. */
export const operatorSchema = z
  .object({
    _id: ownId(operatorId),
    email: address,
    role,
    active,
    passwordChangeRequired,
    factors: z
      .array(z.enum(addedFactorKinds))
      .meta({ description: 'What the operator is asked besides the password.', examples: [['passkey']] }),
    name: name.optional(),
    createdTime: timeOf('When the operator was created.'),
    lastSignInTime: timeOf('When the operator last signed in.').optional(),
    invitation: invitation.optional(),
    disabledTime: timeOf('When the operator was disabled.').optional(),
  })
  .meta({ id: 'Operator', description: 'A person who signs in.' });
export type Operator = z.infer<typeof operatorSchema>;

/** An operator who was invited. `invitationUrl` is there only if the service sends no mail. */
export const invitedOperatorSchema = operatorSchema
  .extend({
    invitationUrl: z
      .string()
      .optional()
      .meta({
        description:
          'The link with which the operator chooses a password. It is there only if the service sends no mail: pass it on. No other response contains it.',
        examples: [`https://dashboard.example.com/invitation#${'0'.repeat(43)}`],
      }),
  })
  .meta({ id: 'InvitedOperator', description: 'An operator, perhaps with the link of an invitation.' });
export type InvitedOperator = z.infer<typeof invitedOperatorSchema>;

/** The body of POST /api/operators. */
export const operatorCreateSchema = z
  .strictObject({
    email: address,
    password: password
      .describe(
        `At least ${MIN_PASSWORD_LENGTH} characters, and not easy to guess. Without a password, the operator is invited.`,
      )
      .optional(),
    role,
    name: name.optional(),
  })
  .meta({ id: 'OperatorCreate' });
export type OperatorCreate = z.infer<typeof operatorCreateSchema>;

/**
 * The body of PUT /api/operators/{operatorId}. `_id` must equal the path; the other fields that the server sets are
 * ignored.
 */
export const operatorUpdateSchema = z
  .strictObject({
    _id: sentBack._id,
    email: address.optional(),
    role: role.optional(),
    name: name.nullable().describe('Name of the operator. `null` removes it.').optional(),
    active: active.optional(),
    password: password
      .describe(
        `At least ${MIN_PASSWORD_LENGTH} characters, and not easy to guess. The operator must change it at the next sign-in. Your own password changes only through \`PUT /api/sessions/current/password\`.`,
      )
      .optional(),
    passwordChangeRequired: ignored,
    factors: ignored,
    createdTime: ignored,
    lastSignInTime: ignored,
    invitation: ignored,
    disabledTime: ignored,
  })
  .meta({ id: 'OperatorUpdate' });
export type OperatorUpdate = z.infer<typeof operatorUpdateSchema>;
export type OperatorChanges = Pick<OperatorUpdate, 'email' | 'role' | 'name' | 'active' | 'password'>;

const secret = text(200)
  .min(1, 'must not be empty')
  .meta({ description: 'What follows the `#` of the link.', examples: ['0'.repeat(43)] });

/** The body of POST /api/invitations/complete. */
export const invitationCompletionSchema = z
  .strictObject({
    secret,
    name: name.optional(),
    password,
  })
  .meta({ id: 'InvitationCompletion' });
/** The response of POST /api/invitations/complete. */
export const completedInvitationSchema = z
  .object({ email: address })
  .meta({ id: 'CompletedInvitation', description: 'The address with which the operator can sign in now.' });
const mail = z.boolean().meta({
  description:
    'Whether the service sends mails. If not, invitations are links that an administrator passes on.',
  examples: [true],
});
/** The response of GET /api/passwordresets. */
export const passwordResetStateSchema = z
  .object({
    mail: mail.describe('Whether the service sends mails. If not, an administrator sets a new password.'),
  })
  .meta({ id: 'PasswordResetState', description: 'What a sign-in page needs to know.' });
/** The body of POST /api/passwordresets. */
export const passwordResetRequestSchema = z
  .strictObject({
    email: signInEmail.meta({
      description: 'E-mail address of the operator.',
      examples: ['operator@example.com'],
    }),
  })
  .meta({ id: 'PasswordResetRequest' });
/** The body of POST /api/passwordresets/complete. */
export const passwordResetCompletionSchema = withFactor('PasswordResetCompletion', { secret, password });
/** The response of both routes of password resets. */
export const emptySchema = z.strictObject({}).meta({ id: 'Empty', description: 'An empty object.' });

/** The maximum length of a stored `User-Agent`, in characters. A longer one is cut. */
export const MAX_USER_AGENT_LENGTH = 200;

/** A session of an operator, as the API returns it. */
export const sessionSchema = z
  .object({
    _id: ownId('01JB0000000000000SESS10N00'),
    operatorId: idOf('the operator', operatorId),
    email: z
      .string()
      .optional()
      .meta({
        description: 'E-mail address of the operator. Only the current session has it.',
        examples: ['operator@example.com'],
      }),
    role,
    createdTime: timeOf('When the session began.'),
    lastUsedTime: timeOf('When the session was last used, to the minute.'),
    confirmedTime: timeOf('When the password was last entered in this session.'),
    expiryTime: timeOf(
      'When the session ends at the latest. It ends earlier if it is not used for 60 minutes.',
      '2030-01-31T21:30:00.000Z',
    ),
    address: z
      .string()
      .optional()
      .meta({ description: 'The address from which the operator signed in.', examples: ['203.0.113.7'] }),
    userAgent: z
      .string()
      .optional()
      .meta({
        description: `The \`User-Agent\` of the sign-in, at most ${MAX_USER_AGENT_LENGTH} characters.`,
        examples: ['Mozilla/5.0'],
      }),
  })
  .meta({ id: 'Session', description: 'A session of a signed-in operator.' });
export type Session = z.infer<typeof sessionSchema>;

/** The current session, as GET /api/sessions/current returns it. */
export const currentSessionSchema = sessionSchema
  .extend({
    name: name.optional(),
    factors: z
      .array(z.enum(addedFactorKinds))
      .meta({ description: 'What the operator is asked besides the password.', examples: [['passkey']] }),
    factorRequired: z.boolean().meta({
      description:
        'Whether the organization requires a factor besides the password, and the operator has none. Then the session can only add one and sign out.',
      examples: [false],
    }),
    organization: z
      .object({ name: z.string().meta({ description: 'Its name.', examples: ['Practice East'] }) })
      .meta({ description: 'The organization of the operator.' }),
    mail,
  })
  .meta({ id: 'CurrentSession', description: 'The session of the request.' });
export type CurrentSession = z.infer<typeof currentSessionSchema>;
