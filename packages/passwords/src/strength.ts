import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { beyondFullQueue, createFairQueue, refusalOfFullQueue } from '@chairside/concurrency';
import { type ResourceLimit, ServiceError } from '@chairside/domain';

/** The least score of zxcvbn that a new password needs, of 0 to 4: 10^8 guesses. */
const LEAST_SCORE = 3;
/**
 * How many characters are checked. A password whose beginning is hard to guess is hard to guess, and the time grows with
 * the length: up to 0.3 s of a core for 40 characters.
 */
const CHECKED_LENGTH = 40;
/** The longest e-mail address or name that a password is compared with. */
const CONTEXT_LENGTH = 100;
const MAX_WAITING = 100;
/** How long the process is kept without work, in milliseconds. It takes 120 MiB. */
const IDLE_MS = 30_000;
const RETRY_AFTER = 2;

export const strengthLimits: readonly ResourceLimit[] = [
  {
    id: 'password_characters_checked',
    part: 'Signing in',
    resource: 'Characters of a new password that are checked for how easy they are to guess',
    value: CHECKED_LENGTH,
    unit: 'characters',
    beyond: 'the rest does not count',
  },
  {
    id: 'strengths_waiting',
    part: 'Signing in',
    resource:
      'New passwords that wait to be checked for how easy they are to guess; one is checked at a time',
    value: MAX_WAITING,
    unit: 'in each process',
    beyond: beyondFullQueue('a network'),
    metric: 'chairside_api_refusals_total',
  },
];

export type StrengthQuestion = { password: string; context: string[] };
export type StrengthResponse = { score: number; reasons: string[] };

/**
 * Checks new passwords, one at a time, in a process of its own: the memory of the dictionaries is free again when it ends. That of
 * a thread is not.
 */
export type Strength = {
  /**
   * Why a new password is too easy to guess, in whole sentences; undefined if it is not.
   *
   * @param context what an attacker knows: the e-mail address, the name of the organization
   * @param caller the network of the caller. Networks take turns
   * @throws {Refusal} TooManyRequests or ServiceUnavailable when too many passwords wait
   */
  problemOf(password: string, context: readonly string[], caller?: string): Promise<string | undefined>;
  /** Ends the process. */
  close(): Promise<void>;
};

/** What a password must not consist of: the texts, and their words. */
const wordsOf = (context: readonly string[]): string[] => [
  ...new Set(
    context
      .map((text) => text.slice(0, CONTEXT_LENGTH))
      .flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)])
      .filter((word) => word.length > 2),
  ),
];

/** The next message of a process. @throws {Error} if it ends before, or cannot be started */
const messageOf = (child: ChildProcess): Promise<unknown> => {
  const listening = new AbortController();
  const { signal } = listening;
  return Promise.race([
    once(child, 'message', { signal }).then(([message]) => message),
    once(child, 'exit', { signal }).then(([code, by]) => {
      throw new ServiceError(`The process that checks new passwords has ended with ${code ?? by}.`);
    }),
  ]).finally(() => listening.abort());
};

export const openStrength = (): Strength => {
  const queue = createFairQueue({ atOnce: 1, maxWaiting: MAX_WAITING });
  let child: ChildProcess | undefined;
  let idle: NodeJS.Timeout | undefined;

  const start = (): ChildProcess => {
    // The file has the extension of this one: .ts in the repository, .js in a build.
    const program = new URL(`./strength-process${extname(import.meta.url)}`, import.meta.url);
    // It needs none of the settings, and none of their secrets.
    const started = fork(program, { env: {}, execArgv: [], serialization: 'advanced' });
    const forget = (): void => {
      if (child === started) child = undefined;
    };
    started.on('exit', forget).on('error', forget);
    // A process that waits for questions keeps nothing alive.
    started.unref();
    started.channel?.unref();
    return started;
  };
  const end = async (): Promise<void> => {
    clearTimeout(idle);
    if (child === undefined) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  const ask = async (question: StrengthQuestion): Promise<StrengthResponse> => {
    clearTimeout(idle);
    child ??= start();
    const responded = messageOf(child);
    child.send(question);
    const response = (await responded) as StrengthResponse;
    idle = setTimeout(() => void end(), IDLE_MS).unref();
    return response;
  };

  return {
    async problemOf(password, context, caller = 'local') {
      const question = { password: password.slice(0, CHECKED_LENGTH), context: wordsOf(context) };
      const checked = await queue
        .run(caller, () => ask(question))
        .catch((cause: unknown) => {
          throw refusalOfFullQueue(cause, {
            what: 'passwords',
            whose: 'network',
            retryAfter: RETRY_AFTER,
            limit: 'strengths_waiting',
          });
        });
      if (checked.score >= LEAST_SCORE) return undefined;
      return ['is too easy to guess', ...checked.reasons.map((reason) => reason.replace(/\.$/, ''))].join(
        '. ',
      );
    },
    close: end,
  };
};
