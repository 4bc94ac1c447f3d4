import type { ChallengeAnswer, PasskeyRegistration } from '@chairside/client';
import { startAuthentication, startRegistration } from '@simplewebauthn/browser';
import { UnusableInput } from '../api/problems.ts';

type Assertion = NonNullable<ChallengeAnswer['assertion']>;

/** What the browser's own words hide: the person closed its dialog, or waited too long. */
const CLOSED = 'No passkey was used. Try again, or choose another way.';

const asInput = (error: unknown): never => {
  throw new UnusableInput(
    error instanceof Error && error.name === 'InvalidStateError'
      ? 'This device has a passkey for you already.'
      : CLOSED,
  );
};

/** Whether passkeys can be used: the browser knows them, and the address of these pages is a name. */
export const canUsePasskeys = (): boolean =>
  'PublicKeyCredential' in window && !/^[\d.]+$|^\[/.test(location.hostname);

/**
 * Answers with a passkey of this device or of another one.
 *
 * @param options what the api returned; undefined for a challenge that followed a password
 * @throws {UnusableInput} if the person closes the dialog of the browser
 */
export const answerWithPasskey = async (challenge: string, options?: object): Promise<ChallengeAnswer> => {
  const optionsJSON = options ?? { challenge, rpId: location.hostname, userVerification: 'required' };
  const assertion = await startAuthentication({ optionsJSON: optionsJSON as never }).catch(asInput);
  return { challenge, assertion: assertion as Assertion };
};

/** Creates a passkey. @throws {UnusableInput} if the person closes the dialog of the browser */
export const createPasskey = async (options: object): Promise<PasskeyRegistration> =>
  (await startRegistration({ optionsJSON: options as never }).catch(
    asInput,
  )) as unknown as PasskeyRegistration;
