import { CHALLENGE_LIFE_MS, type FactorKind, MAX_WRONG_ANSWERS } from '@chairside/domain';
import type { Collection } from '../driver/database.ts';
import { hashOf, newSecret } from '../encryption/secrets.ts';

/**
 * What a challenge is for. `sign-in` follows a right password, `passkey` asks for no password, `session` follows the
 * password of a signed-in operator, `reset` a link for a new password, and `enrolment` begins a passkey.
 */
export type ChallengePurpose = 'sign-in' | 'passkey' | 'session' | 'reset' | 'enrolment';

/** The operator who is asked, with the access at that moment. */
export type AskedOperator = { organizationId: string; operatorId: string; accessRevision: number };

export type ChallengeDocument = {
  /** The hash of the challenge. */
  _id: string;
  purpose: ChallengePurpose;
  /** The operator who is asked. Absent if nobody is known yet, as in a sign-in by passkey alone. */
  asked?: AskedOperator;
  wrongAnswers: number;
  /** When an answer began to be checked. It stays after a right one. */
  takenTime?: Date;
  expireAt: Date;
};

/** A challenge that nobody else can answer meanwhile. */
export type TakenChallenge = Pick<ChallengeDocument, 'purpose' | 'asked'> & {
  /** Lets it be answered again. @param isWrong whether the answer was wrong; the last wrong one ends the challenge */
  putBack(isWrong: boolean): Promise<void>;
};

/** What is asked besides the password: the kinds that can answer, and the challenge. */
export type Asked = { kinds: FactorKind[]; challenge: string };

/** The challenges of all organizations. Each is answered once. */
export type Challenges = {
  /** @returns the challenge: 32 random bytes in base64url. Its hash is stored */
  create(purpose: ChallengePurpose, asked: AskedOperator | undefined, now: Date): Promise<string>;
  /**
   * Takes a challenge, so that of two answers at the same moment only one is checked.
   *
   * @returns undefined if it is unknown, has ended, was answered, or is for something else
   */
  take(
    challenge: string,
    purposes: readonly ChallengePurpose[],
    now: Date,
  ): Promise<TakenChallenge | undefined>;
};

export const openChallenges = (challenges: Collection<ChallengeDocument>): Challenges => ({
  async create(purpose, asked, now) {
    const challenge = newSecret('');
    await challenges.insertOne({
      _id: hashOf(challenge),
      purpose,
      ...(asked && { asked }),
      wrongAnswers: 0,
      expireAt: new Date(now.getTime() + CHALLENGE_LIFE_MS),
    });
    return challenge;
  },

  async take(challenge, purposes, now) {
    const one = { _id: hashOf(challenge), wrongAnswers: { $lt: MAX_WRONG_ANSWERS } };
    const taken = await challenges.findOneAndUpdate(
      { ...one, purpose: { $in: [...purposes] }, takenTime: { $exists: false }, expireAt: { $gt: now } },
      { $set: { takenTime: now } },
    );
    if (taken === null) return undefined;
    return {
      purpose: taken.purpose,
      ...(taken.asked && { asked: taken.asked }),
      async putBack(isWrong) {
        await challenges.updateOne(one, {
          $unset: { takenTime: '' },
          $inc: { wrongAnswers: isWrong ? 1 : 0 },
        });
      },
    };
  },
});
