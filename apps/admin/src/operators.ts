import { randomBytes } from 'node:crypto';
import { buffer as readBytes } from 'node:stream/consumers';
import {
  clock,
  signInEmail as emailSchema,
  MAX_OPERATORS,
  MAX_PASSWORD_LENGTH,
  MIN_PASSWORD_LENGTH,
  mailLink,
  mailPaths,
  newPassword,
  operatorNameSchema,
  type Role,
  roles,
} from '@chairside/domain';
import type { ListedOperator } from '@chairside/mongodb/administration';
import { openStrength } from '@chairside/passwords';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Context, type Output, runs, withAuthor } from './command.ts';
import { readConfig } from './config.ts';
import { AdminFailure, UsageFailure } from './failure.ts';
import { placeOf } from './place.ts';
import { lineOf, lists } from './rows.ts';
import { decodeUtf8 } from './utf8.ts';

/** 144 random bits, encoded as base64url. */
const GENERATED_BYTES = 18;
const STDIN_OPTION = ['--password-stdin', 'read the password from stdin instead of generating one'] as const;

const KEEP_OPTION = [
  '--keep-password',
  'do not require a new password at the first sign-in; for a password that the operator has chosen',
] as const;

type PasswordOptions = { passwordStdin?: boolean; keepPassword?: boolean };
type Password = { password: string; isGenerated: boolean };

/** Returns the password from stdin without its line end, or a generated one. */
const choosePassword = async (email: string, { passwordStdin }: PasswordOptions): Promise<Password> => {
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
      `The password on stdin must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters. Send a different one.`,
    );
  }
  const strength = openStrength();
  const problem = await strength.problemOf(password, [email]);
  await strength.close();
  if (problem !== undefined)
    throw new UsageFailure(`The password on stdin ${problem}. Send a different one.`);
  return { password, isGenerated: false };
};

/** The password for the output. Only a generated password is printed. */
const shownPassword = ({ password, isGenerated }: Password): { password?: string } =>
  isGenerated ? { password } : {};
const passwordLines = (chosen: Password, { keepPassword }: PasswordOptions): string[] => [
  ...(chosen.isGenerated ? [`password ${chosen.password}`, 'The password is shown only once.'] : []),
  ...(keepPassword === true
    ? []
    : ['The operator must change it at the first sign-in, with PUT /api/sessions/current/password.']),
];

const readEmail = (value: string): string => {
  if (!emailSchema.safeParse(value).success) {
    throw new UsageFailure('The e-mail address is not valid. Give an address such as name@example.com.');
  }
  return value;
};

/** Why no operator was created. */
const notCreated = (reason: 'emailTaken' | 'limitReached', email: string): AdminFailure =>
  new AdminFailure(
    reason === 'emailTaken'
      ? `An operator with the e-mail address ${email} already exists. Use another address, or run: operator reset-password`
      : `The organization already has ${MAX_OPERATORS} operators, the maximum. An administrator deletes one in the dashboard or with: chairside operators delete`,
  );

type NewOptions = { organization: string; role: Role; name?: string };

const create = async (
  { administration, begin }: Context,
  { organization, role, name, ...options }: PasswordOptions & NewOptions,
  given = '',
): Promise<Output> => {
  const email = readEmail(given);
  const run = await begin(organization);
  const chosen = await choosePassword(email, options);
  const passwordChangeRequired = options.keepPassword !== true;
  const made = await administration.operatorAccess.create(
    run,
    { email, password: chosen.password, role, passwordChangeRequired, ...(name !== undefined && { name }) },
    clock.now(),
  );
  if (typeof made === 'string') throw notCreated(made, email);
  return {
    result: {
      _id: made._id,
      organizationId: run.organizationId,
      email,
      role,
      passwordChangeRequired,
      ...shownPassword(chosen),
    },
    lines: [`operator ${made._id}`, `email ${email}`, `role ${role}`, ...passwordLines(chosen, options)],
  };
};

const invite = async (
  context: Context,
  { organization, role, name }: NewOptions,
  given = '',
): Promise<Output> => {
  const email = readEmail(given);
  const run = await context.begin(organization);
  const isMailed = await context.store.everyOrganization.sendsMail();
  const { DASHBOARD_URL: dashboardUrl } = readConfig();
  if (!isMailed && dashboardUrl === undefined)
    throw new UsageFailure(
      'The service sends no mails, so the link of the invitation is printed. Set DASHBOARD_URL to the address of the dashboard, as for the api.',
    );
  const operator = { email, role, ...(name !== undefined && { name }) };
  const made = await context.administration.operatorAccess.invite(run, operator, isMailed, clock.now());
  if (typeof made === 'string') throw notCreated(made, email);
  const { _id } = made.operator;
  const invitationUrl =
    isMailed || dashboardUrl === undefined
      ? undefined
      : mailLink(dashboardUrl, { path: mailPaths.invitation, secret: made.secret });
  return {
    result: { _id, organizationId: organization, email, role, ...(invitationUrl && { invitationUrl }) },
    lines: [
      `operator ${_id}`,
      ...(invitationUrl === undefined
        ? [`The invitation is mailed to ${email}. Its link works once, for 72 hours.`]
        : [invitationUrl, 'The link works once, for 72 hours. It is shown only once.']),
    ],
  };
};

type Access = Context['administration']['operatorAccess'];

/** Waits for a change of access and returns its output. @throws {AdminFailure} if nothing was changed */
const changed = async (
  email: string,
  change: ReturnType<Access['disable'] | Access['resetFactors']>,
  what: string,
  secret?: { chosen: Password; options: PasswordOptions },
): Promise<Output> => {
  const result = await change;
  switch (result.outcome) {
    case 'emailTaken':
    case 'missing':
      throw new AdminFailure(
        `There is no operator with the e-mail address ${email}. Check the spelling, or create the operator with: operator create`,
      );
    case 'noFactor':
      throw new AdminFailure(`${email} has no factor besides the password. Nothing was changed.`);
    case 'lastAdministrator':
      throw new AdminFailure(
        `${email} is the last administrator of the organization. First create another one with: operator create --role administrator`,
      );
    case 'done': {
      const { operator, endedSessions } = result;
      return {
        result: { ...operator, endedSessions, ...(secret && shownPassword(secret.chosen)) },
        lines: [
          `${what} ${operator.email}; ended ${endedSessions} sessions.`,
          ...(secret ? passwordLines(secret.chosen, secret.options) : []),
        ],
      };
    }
  }
};

const stateOf = ({
  active,
  invitation,
  passwordChangeRequired,
}: Pick<ListedOperator, 'active' | 'invitation' | 'passwordChangeRequired'>): string => {
  if (invitation !== undefined) return `invited until ${invitation.expiryTime}`;
  return `${active ? 'enabled' : 'disabled'}${passwordChangeRequired ? ', must change the password' : ''}`;
};

const roleOption = () => new Option('--role <role>', 'role of the operator').choices(roles).default('staff');
const nameOption = () =>
  new Option('--name <name>', 'name of the operator, shown where people are listed').argParser((given) => {
    const { success, data, error } = operatorNameSchema.safeParse(given);
    if (success) return data;
    throw new InvalidArgumentError(`It ${error.issues[0]?.message}.`);
  });

export const addOperatorCommands = (program: Command): void => {
  const operator = program.command('operator').description('create, change and list operators');
  const byEmail = (name: string, description: string) =>
    operator.command(name).description(description).argument('<email>', 'e-mail address of the operator');

  runs(
    withAuthor(byEmail('create', 'create an operator and print the password, unless it is given on stdin'))
      .requiredOption('--organization <id>', 'id of the organization')
      .addOption(roleOption())
      .addOption(nameOption())
      .option(...STDIN_OPTION)
      .option(...KEEP_OPTION),
    create,
  );
  runs(
    withAuthor(byEmail('invite', 'invite an operator, who chooses a password with a mailed link'))
      .requiredOption('--organization <id>', 'id of the organization')
      .addOption(roleOption())
      .addOption(nameOption()),
    invite,
  );
  runs(
    withAuthor(
      byEmail(
        'reset-password',
        'set a new password and end the sessions; a disabled operator stays disabled',
      ),
    )
      .option(...STDIN_OPTION)
      .option(...KEEP_OPTION),
    async ({ administration, author }, options: PasswordOptions, email = '') => {
      const chosen = await choosePassword(email, options);
      const change = administration.operatorAccess.resetPassword(
        author,
        email,
        chosen.password,
        options.keepPassword !== true,
        clock.now(),
      );
      return changed(email, change, 'New password for', { chosen, options });
    },
  );
  runs(
    withAuthor(byEmail('disable', 'disable an operator and end the sessions')),
    ({ administration, author }, _options, email = '') =>
      changed(email, administration.operatorAccess.disable(author, email, clock.now()), 'Disabled'),
  );
  runs(
    withAuthor(byEmail('enable', 'enable a disabled operator')),
    ({ administration, author }, _options, email = '') =>
      changed(email, administration.operatorAccess.enable(author, email, clock.now()), 'Enabled'),
  );
  runs(
    withAuthor(
      byEmail(
        'reset-factors',
        'remove the passkeys, the app for codes and the recovery codes of an operator who has lost them, and end the sessions and program tokens',
      ),
    ),
    ({ administration, author }, _options, email = '') =>
      changed(
        email,
        administration.operatorAccess.resetFactors(author, email, clock.now()),
        'Removed the factors of',
      ),
  );
  lists(
    operator
      .command('list')
      .description('list operators, the oldest first')
      .option('--organization <id>', 'only operators of this organization'),
    async (context, options: { organization?: string }) => ({
      rows: context.administration.overview.operators(await placeOf(context, options)),
      linesOf: ({ _id, organizationId, email, name, role, lastSignInTime, ...operator }: ListedOperator) => [
        lineOf(
          _id,
          organizationId,
          email,
          name,
          role,
          stateOf(operator),
          lastSignInTime === undefined ? 'never signed in' : `signed in ${lastSignInTime}`,
        ),
      ],
    }),
  );
};
