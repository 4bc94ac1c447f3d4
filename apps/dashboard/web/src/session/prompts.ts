import { ChairsideError } from '@chairside/client';
import { sharedValue } from '../shared-value.ts';

/**
 * A dialog that a request waits for: the operator confirms the password, or signs in again after the session has ended.
 */
export type Prompt = 'confirm' | 'confirm-factors' | 'sign-in';

/** The dialog was closed, so the request was not repeated. */
export class Dismissed extends Error {
  override readonly name = 'Dismissed';
}

type Open = { prompt: Prompt; done: Promise<void>; resolve(): void; reject(error: Error): void };

const opened = sharedValue<Open>();

/** The open dialog, for `useSyncExternalStore`. */
export const prompts = {
  subscribe: opened.subscribe,
  current: (): Prompt | undefined => opened.get()?.prompt,
};

/**
 * Opens the dialog, or joins the one that is open. Only the sign-in replaces another dialog, because a password cannot
 * be confirmed without a session. Requests that waited for the confirmation then wait for the sign-in.
 *
 * @returns a promise that resolves when the operator has entered the password
 * @throws {Dismissed} if the operator closes the dialog
 */
export const ask = (prompt: Prompt): Promise<void> => {
  const open = opened.get();
  if (open !== undefined && (open.prompt === prompt || prompt !== 'sign-in')) return open.done;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  opened.set({ prompt, done: promise, resolve, reject });
  if (open !== undefined) promise.then(open.resolve, open.reject);
  return promise;
};

/** Why the operator must sign in again after a change of their own, and the e-mail address to sign in with. */
export type OwnEnd = { message: string; email: string };

let ownEnd: OwnEnd | undefined;

/** Names the reason of the next sign-in, or forgets it after the sign-in. */
export const expectEnd = (end: OwnEnd | undefined): void => {
  ownEnd = end;
};

/** The reason of the sign-in; undefined if the session has ended for another one. */
export const expectedEnd = (): OwnEnd | undefined => ownEnd;

/** Closes the dialog. The requests that wait for it are repeated. */
export const resolvePrompt = (): void => {
  const responded = opened.get();
  if (responded?.prompt === 'sign-in') ownEnd = undefined;
  opened.set(undefined);
  responded?.resolve();
};

/** Closes the dialog without a password. The requests that wait for it fail with `Dismissed`. */
export const dismissPrompt = (): void => {
  const dismissed = opened.get();
  opened.set(undefined);
  dismissed?.reject(new Dismissed());
};

/** Whether a refusal says that the session has ended. A wrong answer of a factor has the same status. */
export const isSessionEnd = (error: unknown): boolean =>
  error instanceof ChairsideError &&
  error.status === 401 &&
  error.details?.requiredSecondFactor === undefined;

const CONFIRMATIONS: Readonly<Record<string, Prompt>> = {
  password: 'confirm',
  factors: 'confirm-factors',
};

/** The dialog after which a refused request can be repeated. */
const promptFor = (error: unknown): Prompt | undefined => {
  if (isSessionEnd(error)) return 'sign-in';
  if (!(error instanceof ChairsideError) || error.status !== 403) return undefined;
  return CONFIRMATIONS[error.details?.requiredConfirmation ?? ''];
};

/**
 * Sends a request. If the session has ended or the password must be confirmed, a dialog opens over the page, which
 * stays as it is, and the request is repeated.
 *
 * @throws {Dismissed} if the operator closes the dialog
 */
export const withPrompts = async <T>(request: () => PromiseLike<T>): Promise<T> => {
  for (;;) {
    try {
      return await request();
    } catch (error) {
      const prompt = promptFor(error);
      if (prompt === undefined) throw error;
      await ask(prompt);
    }
  }
};
