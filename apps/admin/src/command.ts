import { userInfo } from 'node:os';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { newId } from '@chairside/domain';
import type { Author, Run, RunAction } from '@chairside/mongodb';
import { type AdministrationStore, openAdministrationStore } from '@chairside/mongodb/administration';
import { printable } from '@chairside/terminal';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Config, readConfig } from './config.ts';
import { AdminFailure, sentenceOf, UsageFailure } from './failure.ts';
import { refuseOtherBytes } from './utf8.ts';

/** The store of a command, and the function that begins a run. */
export type Context = {
  store: AdministrationStore;
  administration: AdministrationStore['everyOrganization']['administration'];
  /** Who runs the command, and why. */
  author: Author;
  /**
   * Begins a run in an organization.
   *
   * @throws {AdminFailure} if the organization does not exist
   */
  begin(organizationId: string): Promise<Run>;
};

/** The output of a command: `result` for machines, `lines` for people. */
export type Output = {
  result: object;
  lines: readonly string[];
  /** Whether the exit code is 1, although the command ran to its end. */
  failed?: boolean;
};

/** Writes a text to stdout. */
export const say = (text: string): void => void process.stdout.write(printable(`${text}\n`, process.stdout));

/** Whether stdout is a terminal. */
export const isOnTerminal = (): boolean => process.stdout.isTTY === true;

/** Shows a text in place of all that the terminal shows. */
export const sayAfresh = (text: string): void => {
  process.stdout.write('\u001B[2J\u001B[H');
  say(text);
};

/** Writes a line to stderr, so that stdout contains only results. */
export const note = (line: string): void => void process.stderr.write(printable(`${line}\n`, process.stderr));

/** Writes a text to stdout as the reader takes it. */
export const writeAll = async (text: AsyncIterable<string>): Promise<void> => {
  const parts = async function* () {
    for await (const part of text) yield printable(part, process.stdout);
  };
  await pipeline(Readable.from(parts()), process.stdout, { end: false });
};

/** Prints the output of a command and sets the exit code: 1 if it failed, else 0. */
export const print = ({ result, lines, failed = false }: Output, json: boolean): void => {
  if (json) say(JSON.stringify(result));
  else if (lines.length > 0) say(lines.join('\n'));
  if (failed) process.exitCode = 1;
};

/** Prints an error to stderr and sets the exit code: 2 for wrong usage, else 1. */
export const printFailure = (error: unknown, json: boolean): void => {
  const message = sentenceOf(error);
  note(json ? JSON.stringify({ error: { message } }) : message);
  process.exitCode = error instanceof UsageFailure ? 2 : 1;
};

const contextOf = (store: AdministrationStore, author: Author): Context => {
  const { administration } = store.everyOrganization;
  return {
    store,
    administration,
    author,
    async begin(organizationId) {
      if (!(await administration.organizationExists(organizationId))) {
        throw new AdminFailure(
          `There is no organization ${organizationId}. List the organizations with: chairside-admin organization list`,
        );
      }
      return runIn(organizationId, author);
    },
  };
};

/** A run in an organization that exists. */
export const runIn = (organizationId: string, author: Author): Run => ({
  ...author,
  id: `admin-${newId()}`,
  organizationId,
});

/** Makes a change, with an audit entry that is stored before it. */
export const audited = async <T>(
  { administration }: Pick<Context, 'administration'>,
  run: Run,
  action: RunAction,
  change: () => Promise<T>,
): Promise<T> => {
  const end = await administration.beginAction(run, action);
  try {
    const result = await change();
    await end({ result: 'ok' });
    return result;
  } catch (error) {
    // The error of the change is reported, also if its result cannot be stored.
    await end({ result: 'failed' }).catch(() => {});
    throw error;
  }
};

/** How long a command waits for MongoDB before it reports the wait. */
const QUIET_WAIT_MS = 2000;

/** The options of the store of a command. */
export const storeOptions = (config: Config) => ({
  url: config.MONGODB_URL,
  encryptionKeys: config.ENCRYPTION_KEYS,
  vaultUrl: config.VAULT_URL,
  auditRetentionDays: config.AUDIT_RETENTION_DAYS,
  appName: 'chairside-admin',
});

/**
 * Opens the store, calls `work`, and closes the store.
 *
 * @param options.checked whether the encryption keys must match the database
 * @throws {SettingsError} if the keys do not match, and any error of the driver
 */
const withStore = async <T>(
  config: Config,
  work: (context: Context) => Promise<T>,
  { checked, author = authorOf({}) }: { checked: boolean; author?: Author },
): Promise<T> => {
  const store = openAdministrationStore(storeOptions(config));
  try {
    const context = contextOf(store, author);
    const waiting = setTimeout(() => {
      if (process.stderr.isTTY) note('Waiting for MongoDB, up to 30 s …');
    }, QUIET_WAIT_MS);
    await store.connect().finally(() => clearTimeout(waiting));
    if (checked) await context.administration.checkDatabase();
    return await work(context);
  } finally {
    await store.close();
  }
};

/** The arguments and options of a command, by the names in its help. */
const namedOf = (command: Command): Record<string, unknown> => ({
  ...Object.fromEntries(
    command.registeredArguments.map((argument, index) => [`<${argument.name()}>`, command.args[index]]),
  ),
  ...Object.fromEntries(
    command.options.map((option) => [
      option.long ?? option.name(),
      command.getOptionValue(option.attributeName()),
    ]),
  ),
});

/** The options that every command has. */
export type CommonOptions = { json?: boolean };

/** Maximum lengths of what audit entries keep of a command. */
const [MAX_BY, MAX_REASON] = [100, 500];
const shortText = (longest: number) => (given: string) => {
  const text = given.trim();
  if (text !== '' && text.length <= longest) return text;
  throw new InvalidArgumentError(`Give 1 to ${longest} characters.`);
};
type AuthorOptions = { by?: string; reason?: string };
/** The login name. A container may run as a user that has none. */
const loginName = (): string => {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
};
const authorOf = ({ by, reason }: AuthorOptions): Author => ({
  by: by ?? loginName(),
  ...(reason !== undefined && { reason }),
});

/** Adds `--by` and `--reason`, which the audit entries of a command that changes something contain. */
export const withAuthor = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--by <person>',
        'for the audit log: who makes the change (default: your login name)',
      ).argParser(shortText(MAX_BY)),
    )
    .addOption(new Option('--reason <text>', 'for the audit log: why').argParser(shortText(MAX_REASON)));

/**
 * Adds `--json` and the action of a command: reads the configuration, opens the store, runs `work` and prints the
 * result.
 *
 * @param options.isChecked whether the keys and the vault must match the database
 */
export const runs = <O extends object>(
  command: Command,
  work: (context: Context, options: O, ...given: string[]) => Promise<Output | undefined>,
  { json = 'print JSON, for machines', isChecked = true }: { json?: string; isChecked?: boolean } = {},
): void => {
  command.option('--json', json).action(async () => {
    const options = command.opts<O & CommonOptions & AuthorOptions>();
    const isJson = options.json === true;
    try {
      refuseOtherBytes(namedOf(command));
      const within = (context: Context) => work(context, options, ...command.args);
      const author = authorOf(options);
      const output = await withStore(readConfig(), within, { checked: isChecked, author });
      if (output !== undefined) print(output, isJson);
    } catch (error) {
      printFailure(error, isJson);
    }
  });
};
