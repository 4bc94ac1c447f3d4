import { ChairsideError } from '@chairside/client';
import { shown } from '@chairside/terminal';

/** The exit codes of every command. */
export const EXIT = {
  failed: 1,
  usage: 2,
  notAllowed: 3,
  notFound: 4,
  unavailable: 5,
  /** The exit code after Ctrl-C is 128 plus the number of the signal, as in shells. */
  interrupted: 130,
} as const;

/** A failure whose message is shown to the user. */
export class CliError extends Error {
  override readonly name: string = 'CliError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Wrong usage of a command. */
export class UsageError extends CliError {
  override readonly name = 'UsageError';

  constructor(message: string) {
    super(message, EXIT.usage);
  }
}

const FILE_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'The file does not exist. Check the path.',
  EACCES: 'You have no permission for this file.',
  EISDIR: 'This is a folder. Give a file.',
  ENOSPC: 'The disk is full. Free some space, then run the same command again.',
  EROFS: 'The file system is read-only.',
  ENOTDIR: 'A part of this path is not a folder. Check the path.',
  EPERM: 'You have no permission for this file.',
  EFBIG:
    'The file cannot grow: it has reached a limit of the system. Raise the limit, then run the same command again.',
  EDQUOT: 'Your quota of the disk is used up. Free some space, then run the same command again.',
};

const exitCodeOf = ({ name, status }: ChairsideError): number => {
  if (name === 'InvalidArgument') return EXIT.usage;
  if (status === undefined) return name === 'LogExpired' ? EXIT.failed : EXIT.unavailable;
  if (status === 401 || status === 403) return EXIT.notAllowed;
  if (status === 404) return EXIT.notFound;
  if (status === 429 || status >= 500) return EXIT.unavailable;
  return EXIT.failed;
};

/** What the user can run or check after a refusal; undefined if there is nothing to suggest. */
const hintOf = ({ status, details }: ChairsideError): string | undefined => {
  if (details.requiredSecondFactor)
    return 'Run this command again, and enter the code that the app shows then.';
  if (status === 401) return 'Run `chairside login`, or check CHAIRSIDE_API_KEY or CHAIRSIDE_TOKEN.';
  if (details.requiredPasswordChange) return 'Run `chairside tokens change-password`.';
  if (details.requiredFactor) return 'Run `chairside factors add-codes`.';
  if (details.requiredConfirmation) {
    const what = details.requiredConfirmation === 'factors' ? ' --for factors' : '';
    return `Run \`chairside tokens confirm${what}\` on a terminal, or \`chairside tokens confirm${what} --password-stdin\`, then run this command again.`;
  }
  if (details.nextSlots?.length)
    return ['Next free times:', ...details.nextSlots.map(({ start, end }) => `  ${start} to ${end}`)]
      .map(shown)
      .join('\n');
  return undefined;
};

/** The client's words for its options, each with the words that users of this program know. */
const TERMS: readonly (readonly [RegExp, string])[] = [
  [/^`baseUrl`/, 'The address of the API'],
  [/`?baseUrl`?/g, 'the address of the API'],
  [
    /`accessToken` has the form of an `apiKey`\..*/,
    'CHAIRSIDE_TOKEN is an API key. Set CHAIRSIDE_API_KEY instead.',
  ],
  [
    /`apiKey` has the form of an `accessToken`\..*/,
    'CHAIRSIDE_API_KEY is an access token. Set CHAIRSIDE_TOKEN instead.',
  ],
  [/`apiKey`/g, 'CHAIRSIDE_API_KEY'],
  [/`accessToken`/g, 'The access token'],
];

const inOwnWords = ({ name, message }: ChairsideError): string =>
  name === 'InvalidArgument' || name === 'UnexpectedResponse'
    ? TERMS.reduce((text, [word, own]) => text.replace(word, own), message)
    : message;

/** The line that names a request; undefined if there is no response of the API. It is quoted to report a problem. */
export const requestLine = (requestId: string | null | undefined): string | undefined =>
  // The id may come from a server that is not the API, so control characters are escaped.
  requestId ? `Request id: ${shown(requestId)}` : undefined;

/** Problems of a path that a flag names. */
const WRONG_PATH = ['ENOENT', 'EISDIR', 'ENOTDIR'];

/** An error as text for stderr, and the exit code. The text contains no secret. */
export const describe = (error: unknown): { text: string; exitCode: number } => {
  if (error instanceof CliError) return { text: error.message, exitCode: error.exitCode };
  if (error instanceof ChairsideError) {
    const lines = [
      // The texts may come from a server that is not the API, so control characters are escaped.
      shown(inOwnWords(error)),
      ...error.issues.map(({ path, message }) => shown(`  ${path} ${message}`.trimEnd())),
      ...[hintOf(error) ?? []].flat(),
      ...[requestLine(error.requestId) ?? []].flat(),
    ];
    return { text: lines.join('\n'), exitCode: exitCodeOf(error) };
  }
  if (error instanceof Error) {
    const { code, path } = error as NodeJS.ErrnoException;
    const problem = FILE_PROBLEMS[String(code)];
    if (problem !== undefined) {
      const exitCode = WRONG_PATH.includes(String(code)) ? EXIT.usage : EXIT.failed;
      return { text: `${path ?? code}: ${problem}`, exitCode };
    }
  }
  const { name, stack } = Object(error) as Partial<Error>;
  const place = stack?.split('\n').slice(1, 4).join('\n') ?? '';
  return {
    text: `Unexpected error (${name ?? typeof error}). Please report it with these lines, which contain no patient data:\n${place}`,
    exitCode: EXIT.failed,
  };
};
