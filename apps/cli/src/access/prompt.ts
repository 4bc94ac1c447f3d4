import { CliError, EXIT, UsageError } from '../failure.ts';
import { decodeUtf8, readBytes } from '../flags/data-file.ts';

/** Whether a person can be asked: stdin and stderr are a terminal. */
export const canAsk = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

const prompted = async <T>(
  ask: (prompts: typeof import('@clack/prompts')) => Promise<T>,
): Promise<Exclude<T, symbol>> => {
  // Loaded only here, because most commands do not ask.
  const prompts = await import('@clack/prompts');
  const response = await ask(prompts);
  if (prompts.isCancel(response)) throw new CliError('Canceled.', EXIT.interrupted);
  return response as Exclude<T, symbol>;
};

const OUTPUT = { output: process.stderr } as const;

/** Asks for a line. @throws {CliError} without a terminal, or if the person cancels */
export const askText = (message: string, flag: string, initialValue?: string): Promise<string> => {
  if (!canAsk()) throw new UsageError(`Give ${flag}: there is no terminal to ask on.`);
  return prompted(({ text: ask }) =>
    ask({
      message,
      ...OUTPUT,
      ...(initialValue !== undefined && { initialValue }),
      validate: (value) => ((value ?? '').trim() === '' ? 'Enter a value.' : undefined),
    }),
  );
};

/** Asks for confirmation. A command that has `--yes` is refused before, if there is no terminal. @throws {CliError} if the person cancels */
export const confirm = (message: string): Promise<boolean> => {
  return prompted(({ confirm }) => confirm({ message, ...OUTPUT, initialValue: false }));
};

/** Replacement characters must not be sent in place of a password: an operator could not sign in with it. */
const linesOfStdin = async (): Promise<string[]> => decodeUtf8(await readBytes('-'), 'stdin').split(/\r?\n/);

const askPassword = (message: string): Promise<string> => {
  if (!canAsk()) throw new UsageError('Give --password-stdin: there is no terminal to ask on.');
  return prompted(({ password }) =>
    password({ message, ...OUTPUT, validate: (value) => (value ? undefined : 'Enter the password.') }),
  );
};

const askCode = (): Promise<string> => {
  if (!canAsk())
    throw new UsageError(
      'You are asked for a code. With --password-stdin, write the code, or a recovery code, to the next line of stdin.',
    );
  return prompted(({ text: ask }) =>
    ask({
      message: 'Code of your app, or a recovery code',
      ...OUTPUT,
      validate: (value) => ((value ?? '').trim() === '' ? 'Enter the code.' : undefined),
    }),
  );
};

/** What an operator has entered. */
export type Entered = {
  password: string;
  /** Reads the code of an operator who is asked for one: from the next line of stdin, or by asking. */
  code(): Promise<string>;
};

/** The code in a line of stdin; without a line, it is asked for. */
const codeIn = (line: string | undefined) => (): Promise<string> =>
  line === undefined || line === '' ? askCode() : Promise.resolve(line);

/**
 * Reads a password from stdin, or asks for it without showing it.
 *
 * @throws {CliError} if stdin is empty, if there is no terminal to ask on, or if the person cancels
 */
export const readPassword = async (message: string, fromStdin: boolean | undefined): Promise<Entered> => {
  if (fromStdin !== true) return { password: await askPassword(message), code: askCode };
  const [password = '', code] = await linesOfStdin();
  if (password === '') throw new UsageError('--password-stdin: stdin is empty.');
  return { password, code: codeIn(code) };
};

/** Reads the current and the new password of the operator: from two lines of stdin, or by asking. */
export const readPasswords = async (
  fromStdin: boolean | undefined,
): Promise<Entered & { newPassword: string }> => {
  if (fromStdin === true) {
    const [password = '', newPassword = '', code] = await linesOfStdin();
    if (password === '' || newPassword === '')
      throw new UsageError(
        '--password-stdin: write the current password to the first line of stdin, and the new one to the second.',
      );
    return { password, newPassword, code: codeIn(code) };
  }
  const password = await askPassword('Current password');
  const newPassword = await askPassword('New password');
  if ((await askPassword('New password, again')) !== newPassword)
    throw new UsageError('The two new passwords differ. Nothing was changed.');
  return { password, newPassword, code: askCode };
};
