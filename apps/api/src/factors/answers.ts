import { clock, type FactorAnswer, type FactorKind, Refusal } from '@chairside/domain';
import type { AskedOperator, ChallengePurpose, Credentials } from '@chairside/mongodb';
import { stepOf } from './codes.ts';
import { operatorIdIn, type Passkeys } from './passkeys.ts';
import { normalized } from './recovery-codes.ts';

/** What an answer has proved. */
export type Answered =
  | { outcome: 'right'; asked: AskedOperator }
  /** @property asked the operator, if the challenge names one */
  | { outcome: 'wrong'; asked: AskedOperator | undefined }
  /** The challenge is unknown, has ended or was answered. */
  | { outcome: 'unknown' };

export type Answers = {
  /**
   * Checks the answer to a challenge, which is then used up, unless the answer is wrong.
   *
   * @param of who must be asked; undefined if the challenge says it
   * @throws {Refusal} TooManyRequests while codes are paused
   */
  check(
    answer: FactorAnswer,
    purposes: readonly ChallengePurpose[],
    of?: Pick<AskedOperator, 'organizationId' | 'operatorId'>,
  ): Promise<Answered>;
};

/** The refusal of codes after too many wrong ones. */
const paused = (until: Date, now: Date): Refusal => {
  const retryAfter = Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1000));
  return new Refusal(
    'TooManyRequests',
    'Too many wrong codes. Codes are paused for an hour; a passkey or a recovery code still works.',
    { retryAfter, limit: 'wrong_codes' },
  );
};

export const openAnswers = (
  { challenges, factorChecks }: Pick<Credentials, 'challenges' | 'factorChecks'>,
  passkeys: Passkeys,
): Answers => {
  type Checked = { asked: AskedOperator | undefined; isRight: boolean };

  const checkCode = async (asked: AskedOperator, code: string, now: Date): Promise<Checked> => {
    const tried = await factorChecks.tryCode(asked, now);
    if (tried === undefined) return { asked, isRight: false };
    if ('pausedUntil' in tried) throw paused(tried.pausedUntil, now);
    const step = stepOf(tried.secret, code, now);
    if (step !== undefined && (await factorChecks.acceptCode(asked, step, tried.triedTime)))
      return { asked, isRight: true };
    await factorChecks.pauseCodes(asked, now);
    return { asked, isRight: false };
  };

  const checkAssertion = async (
    { challenge, assertion }: Pick<FactorAnswer, 'challenge' | 'assertion'>,
    given: AskedOperator | undefined,
    now: Date,
  ): Promise<Checked> => {
    const wrong = { asked: given, isRight: false };
    if (assertion === undefined) return wrong;
    // After a password, some authenticators do not name the operator.
    const operatorId = operatorIdIn(assertion) ?? given?.operatorId;
    const found = operatorId && (await factorChecks.findPasskey(operatorId, assertion.id, given));
    if (!found) return wrong;
    const counter = await passkeys.verify(assertion, challenge, found.passkey);
    if (counter === undefined) return wrong;
    const isRight = await factorChecks.acceptPasskey(found.asked, assertion.id, counter, now);
    return { asked: found.asked, isRight };
  };

  return {
    async check(answer, purposes, of) {
      const now = clock.now();
      const taken = await challenges.take(answer.challenge, purposes, now);
      if (taken === undefined) return { outcome: 'unknown' };
      const { asked } = taken;
      if (of && (asked?.operatorId !== of.operatorId || asked.organizationId !== of.organizationId))
        return { outcome: 'unknown' };
      const { code, recoveryCode } = answer;
      const check = async (): Promise<Checked> => {
        if (code !== undefined && asked !== undefined) return checkCode(asked, code, now);
        if (recoveryCode !== undefined && asked !== undefined)
          return { asked, isRight: await factorChecks.useRecoveryCode(asked, normalized(recoveryCode)) };
        return checkAssertion(answer, asked, now);
      };
      let checked: Checked;
      try {
        checked = await check();
      } catch (error) {
        await taken.putBack(false);
        throw error;
      }
      if (checked.isRight && checked.asked !== undefined) return { outcome: 'right', asked: checked.asked };
      await taken.putBack(true);
      return { outcome: 'wrong', asked: checked.asked };
    },
  };
};

/** The refusal that asks for a factor: 401 without a session, 403 inside one. */
export const askingFor = (
  name: 'Unauthorized' | 'Forbidden',
  { kinds, challenge }: { kinds: readonly FactorKind[]; challenge: string },
  details: Record<string, unknown> = {},
): Refusal =>
  new Refusal(
    name,
    'Your password is right. Send the request again with the challenge and a code, a recovery code, or the answer of a passkey.',
    { details: { ...details, requiredSecondFactor: kinds, challenge } },
  );

/** The refusal of a wrong answer. The challenge can be answered again, unless this was its last try. */
export const wrongAnswer = (kinds: readonly FactorKind[] = []): Refusal =>
  new Refusal('Unauthorized', 'Wrong code, or a passkey that is not known here.', {
    details: { ...(kinds.length > 0 && { requiredSecondFactor: kinds }) },
  });
