import { z } from 'zod';
import { idOf, ignored, ownId, sentBack, timeOf } from './fields.ts';
import { MIN_PASSWORD_LENGTH, roles } from './principal.ts';
import { email, text } from './text.ts';

/** The longest password that is accepted, in characters. */
export const MAX_PASSWORD_LENGTH = 1000;

/** A password as it is entered. */
export const enteredPassword = text(MAX_PASSWORD_LENGTH);
/** A password as it is chosen. */
export const newPassword = enteredPassword.min(
  MIN_PASSWORD_LENGTH,
  `must have at least ${MIN_PASSWORD_LENGTH} characters`,
);
const role = z
  .enum(roles, { error: `must be one of ${roles.join(', ')}` })
  .meta({ description: 'What the operator may do.', examples: ['staff'] });
const active = z
  .boolean({ error: 'must be true or false' })
  .meta({ description: 'Whether the operator may sign in.', examples: [true] });
const address = email.meta({
  description: 'What the operator signs in with; no two have the same.',
  examples: ['operator@example.com'],
});
const password = newPassword.meta({
  description: `At least ${MIN_PASSWORD_LENGTH} characters.`,
  examples: ['correct horse battery'],
});
const passwordChangeRequired = z.boolean().meta({
  description:
    'Whether somebody else has chosen the password: the operator must change it before anything else.',
  examples: [false],
});
const operatorId = '01JB00000000000000PERAT0R0';

/** A person who signs in. One who is not active cannot. */
export const operatorSchema = z
  .object({
    _id: ownId(operatorId),
    email: address,
    role,
    active,
    passwordChangeRequired,
    createdTime: timeOf('When the operator was made.'),
    disabledTime: timeOf('Since when the operator may not sign in.').optional(),
  })
  .meta({ id: 'Operator', description: 'A person who signs in.' });
export type Operator = z.infer<typeof operatorSchema>;

/** The body of POST /api/operators. */
export const operatorCreateSchema = z
  .strictObject({ email: address, password, role })
  .meta({ id: 'OperatorCreate' });
export type OperatorCreate = z.infer<typeof operatorCreateSchema>;

/** The body of PUT /api/operators/{operatorId}; what the server owns may be sent back and is ignored. */
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

/** The time between a sign-in and its end, as its operator and administrators see it. */
export const sessionSchema = z
  .object({
    _id: ownId('01JB0000000000000SESS10N00'),
    operatorId: idOf('the operator', operatorId),
    role,
    createdTime: timeOf('When it began.'),
    lastUsedTime: timeOf('When it was last used, to the minute.'),
    confirmedTime: timeOf('When the password was last entered in it.'),
    expiryTime: timeOf(
      'When it ends at the latest; it ends earlier when it is not used for 60 minutes.',
      '2030-01-31T21:30:00.000Z',
    ),
  })
  .meta({ id: 'Session', description: 'That an operator is signed in.' });
export type Session = z.infer<typeof sessionSchema>;
