import { z } from 'zod';
import { instant } from './instant.ts';
import { MIN_PASSWORD_LENGTH, roleSchema, roles } from './principal.ts';
import { email, id, text } from './text.ts';

/** The longest password that is accepted, in characters. */
export const MAX_PASSWORD_LENGTH = 1000;

/** A password as it is entered. */
export const enteredPassword = text(MAX_PASSWORD_LENGTH);
/** A password as it is chosen. */
export const newPassword = enteredPassword.min(
  MIN_PASSWORD_LENGTH,
  `must have at least ${MIN_PASSWORD_LENGTH} characters`,
);
const role = z.enum(roles, { error: `must be one of ${roles.join(', ')}` });
const active = z.boolean({ error: 'must be true or false' });

/** A person who signs in. One who is not active cannot. */
export const operatorSchema = z
  .object({
    _id: id,
    email,
    role: roleSchema,
    active,
    createdTime: instant,
    /** Since when the operator may not sign in. */
    disabledTime: instant.optional(),
  })
  .meta({ id: 'Operator' });
export type Operator = z.infer<typeof operatorSchema>;

/** The body of POST /api/operators. */
export const operatorCreateSchema = z.strictObject({ email, password: newPassword, role });

/** The body of PUT /api/operators/{operatorId}; what the server owns may be sent back and is ignored. */
export const operatorUpdateSchema = z.strictObject({
  _id: id.optional(),
  email: email.optional(),
  role: role.optional(),
  active: active.optional(),
  password: newPassword.optional(),
  createdTime: z.unknown().optional(),
  disabledTime: z.unknown().optional(),
});
export type OperatorChanges = Pick<
  z.infer<typeof operatorUpdateSchema>,
  'email' | 'role' | 'active' | 'password'
>;

/** The time between a sign-in and its end, as its operator and administrators see it. */
export const sessionSchema = z
  .object({
    _id: z.string(),
    operatorId: z.string(),
    role: roleSchema,
    createdTime: instant,
    /** To the minute. */
    lastUsedTime: instant,
    expiryTime: instant,
  })
  .meta({ id: 'Session' });
export type Session = z.infer<typeof sessionSchema>;
