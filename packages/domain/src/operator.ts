import { z } from 'zod';
import { idOf, ignored, ownId, sentBack, timeOf } from './fields.ts';
import { MIN_PASSWORD_LENGTH, roles } from './principal.ts';
import { signInEmail, text } from './text.ts';

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
const operatorId = '01JB00000000000000PERAT0R0';

/** An operator as the API returns it. */
export const operatorSchema = z
  .object({
    _id: ownId(operatorId),
    email: address,
    role,
    active,
    passwordChangeRequired,
    createdTime: timeOf('When the operator was created.'),
    disabledTime: timeOf('When the operator was disabled.').optional(),
  })
  .meta({ id: 'Operator', description: 'A person who signs in.' });
export type Operator = z.infer<typeof operatorSchema>;

/** The body of POST /api/operators. */
export const operatorCreateSchema = z
  .strictObject({ email: address, password, role })
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
    active: active.optional(),
    password: password
      .describe(
        `At least ${MIN_PASSWORD_LENGTH} characters. The operator must change it at the next sign-in. Your own password changes only through \`PUT /api/sessions/current/password\`.`,
      )
      .optional(),
    passwordChangeRequired: ignored,
    createdTime: ignored,
    disabledTime: ignored,
  })
  .meta({ id: 'OperatorUpdate' });
export type OperatorUpdate = z.infer<typeof operatorUpdateSchema>;
export type OperatorChanges = Pick<OperatorUpdate, 'email' | 'role' | 'active' | 'password'>;

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
