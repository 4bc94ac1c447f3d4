import { randomBytes } from 'node:crypto';
import { buffer as readBytes } from 'node:stream/consumers';
import {
  email as emailSchema,
  MAX_PASSWORD_LENGTH,
  MIN_PASSWORD_LENGTH,
  newPassword,
  type Role,
  roles,
} from '@chairside/domain';
import type { ListedOperator } from '@chairside/mongodb';
import { type Command, Option } from 'commander';
import { type Answer, answers, type Context } from './command.ts';
import { AdminFailure, UsageFailure } from './failure.ts';
import { placeOf } from './place.ts';
import { lineOf, lists } from './rows.ts';
import { decodeUtf8 } from './utf8.ts';

/** 144 random bits, as base64url. */
const GENERATED_BYTES = 18;
const STDIN_OPTION = ['--password-stdin', 'read the password from stdin instead of making one'] as const;

const KEEP_OPTION = [
  '--keep-password',
  'do not ask for another password at the first sign-in: for a password that its owner has chosen',
] as const;

type PasswordOptions = { passwordStdin?: boolean; keepPassword?: boolean };
type Password = { password: string; isGenerated: boolean };

/** The password from stdin, less its line end, or a new one. */
const choosePassword = async ({ passwordStdin }: PasswordOptions): Promise<Password> => {
  if (passwordStdin !== true) {
    return { password: randomBytes(GENERATED_BYTES).toString('base64url'), isGenerated: true };
  }
  const text = decodeUtf8(await readBytes(process.stdin));
  if (text === undefined) {
    throw new UsageFailure('The password on stdin is not UTF-8. Send it as UTF-8.');
  }
  const password = text.replace(/\r?\n$/, '');
  if (!newPassword.safeParse(password).success) {
    throw new UsageFailure(
      `The password on stdin must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters. Send another one.`,
    );
  }
  return { password, isGenerated: false };
};

/** A password is told once, and only if nobody else knows it. */
const told = ({ password, isGenerated }: Password): { password?: string } =>
  isGenerated ? { password } : {};
const toldLines = (chosen: Password, { keepPassword }: PasswordOptions): string[] => [
  ...(chosen.isGenerated ? [`password ${chosen.password}`, 'The password is shown only once.'] : []),
  ...(keepPassword === true
    ? []
    : ['The operator must change it at the first sign-in, with PUT /api/sessions/current/password.']),
];

const readEmail = (value: string): string => {
  if (!emailSchema.safeParse(value).success) {
    throw new UsageFailure('That is not an e-mail address. Give one such as name@example.com.');
  }
  return value;
};

const create = async (
  { administration, begin }: Context,
  { organization, role, ...options }: PasswordOptions & { organization: string; role: Role },
  given = '',
): Promise<Answer> => {
  const email = readEmail(given);
  const run = await begin(organization);
  const chosen = await choosePassword(options);
  const passwordChangeRequired = options.keepPassword !== true;
  const made = await administration.operatorAccess.create(
    run,
    { email, password: chosen.password, role, passwordChangeRequired },
    new Date(),
  );
  if (made === 'emailTaken') {
    throw new AdminFailure(
      `There is an operator with the e-mail address ${email} already. Use another one, or: operator reset-password`,
    );
  }
  return {
    result: {
      _id: made._id,
      organizationId: run.organizationId,
      email,
      role,
      passwordChangeRequired,
      ...told(chosen),
    },
    lines: [`operator ${made._id}`, `email ${email}`, `role ${role}`, ...toldLines(chosen, options)],
  };
};

type Access = Context['administration']['operatorAccess'];

/** Runs a change of access and tells what came of it. */
const changed = async (
  email: string,
  change: Promise<Awaited<ReturnType<Access['disable']>>>,
  what: string,
  secret?: { chosen: Password; options: PasswordOptions },
): Promise<Answer> => {
  const result = await change;
  switch (result.outcome) {
    case 'emailTaken':
    case 'missing':
      throw new AdminFailure(
        `There is no operator with the e-mail address ${email}. Check its spelling, or make one with: operator create`,
      );
    case 'lastAdministrator':
      throw new AdminFailure(
        `${email} is the last administrator of its organization. Make another one first, with: operator create --role administrator`,
      );
    case 'done': {
      const { operator, endedSessions } = result;
      return {
        result: { ...operator, endedSessions, ...(secret && told(secret.chosen)) },
        lines: [
          `${what} ${operator.email}; ${endedSessions} of its sessions ended.`,
          ...(secret ? toldLines(secret.chosen, secret.options) : []),
        ],
      };
    }
  }
};

export const addOperatorCommands = (program: Command): void => {
  const operator = program.command('operator').description('people who sign in');
  const byEmail = (name: string, description: string) =>
    operator.command(name).description(description).argument('<email>', 'e-mail address of the operator');

  answers(
    byEmail('create', 'make an operator; prints a password unless one is given on stdin')
      .requiredOption('--organization <id>', 'the organization')
      .addOption(new Option('--role <role>', 'what the operator may do').choices(roles).default('staff'))
      .option(...STDIN_OPTION)
      .option(...KEEP_OPTION),
    create,
  );
  answers(
    byEmail(
      'reset-password',
      'set another password and end the sessions; the operator stays disabled if it is',
    )
      .option(...STDIN_OPTION)
      .option(...KEEP_OPTION),
    async ({ administration }, options: PasswordOptions, email = '') => {
      const chosen = await choosePassword(options);
      const change = administration.operatorAccess.resetPassword(
        email,
        chosen.password,
        options.keepPassword !== true,
        new Date(),
      );
      return changed(email, change, 'New password for', { chosen, options });
    },
  );
  answers(
    byEmail('disable', 'let the operator in no more and end the sessions'),
    ({ administration }, _options, email = '') =>
      changed(email, administration.operatorAccess.disable(email, new Date()), 'Disabled'),
  );
  answers(byEmail('enable', 'let a disabled operator in again'), ({ administration }, _options, email = '') =>
    changed(email, administration.operatorAccess.enable(email, new Date()), 'Enabled'),
  );
  lists(
    operator
      .command('list')
      .description('list operators, the oldest first')
      .option('--organization <id>', 'only of this organization'),
    async (context, options: { organization?: string }) => ({
      rows: context.administration.overview.operators(await placeOf(context, options)),
      linesOf: ({ _id, organizationId, email, role, active, passwordChangeRequired }: ListedOperator) => [
        lineOf(
          _id,
          organizationId,
          email,
          role,
          active ? 'enabled' : 'disabled',
          passwordChangeRequired ? 'must change the password' : undefined,
        ),
      ],
    }),
  );
};
