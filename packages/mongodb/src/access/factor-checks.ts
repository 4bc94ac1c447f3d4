import { CODES_PAUSE_MS, MAX_WRONG_CODES } from '@chairside/domain';
import type { Collection } from '../driver/database.ts';
import { findUnique } from '../driver/ferretdb.ts';
import { hashOf, type Secrets } from '../encryption/secrets.ts';
import type { AskedOperator } from './challenges.ts';
import { hasTriedAll, mayTryCode, type PasskeyDocument } from './factor-document.ts';
import { telling } from './operator-change.ts';
import { isActive, type OperatorDocument } from './operator-document.ts';
import { atRevision } from './operator-writes.ts';

/** What a code is compared with. */
export type CodeToCheck = { secret: string; triedTime: Date };

/** A passkey that an operator may sign in with. */
export type KnownPasskey = Pick<PasskeyDocument, 'credentialId' | 'counter'> & {
  /** The COSE key. */
  publicKey: Uint8Array<ArrayBuffer>;
};

/** Checks the answers of operators of all organizations. What was accepted once is never accepted again. */
export type FactorChecks = {
  /**
   * Counts a try of a code before it is checked, so that concurrent tries cannot exceed the limit together.
   *
   * @returns the end of a pause after too many wrong codes, or undefined if the operator has no app or was changed since
   */
  tryCode(asked: AskedOperator, now: Date): Promise<CodeToCheck | { pausedUntil: Date } | undefined>;
  /**
   * Accepts a right code.
   *
   * @param step the number of its period of 30 s (RFC 6238)
   * @returns false if this step or a later one was used before
   */
  acceptCode(asked: AskedOperator, step: number, triedTime: Date): Promise<boolean>;
  /** Pauses codes if too many were wrong. @returns whether it does so now */
  pauseCodes(asked: AskedOperator, now: Date): Promise<boolean>;
  /** Uses up a recovery code. @param code without blanks and dashes, in lower case */
  useRecoveryCode(asked: AskedOperator, code: string): Promise<boolean>;
  /** The operator whom a passkey names, and that passkey. @param asked the operator who is asked, if known */
  findPasskey(
    operatorId: string,
    credentialId: string,
    asked: AskedOperator | undefined,
  ): Promise<{ asked: AskedOperator; passkey: KnownPasskey } | undefined>;
  /**
   * Accepts the answer of a passkey.
   *
   * @param counter the signatures that the authenticator reports; 0 if it does not count them
   * @returns false if the passkey is gone, or has reported as many or more: then it was copied
   */
  acceptPasskey(asked: AskedOperator, credentialId: string, counter: number, now: Date): Promise<boolean>;
};

/** The place of the secret of an operator's codes. */
export const codePlace = (_id: string, field: 'codeSecret' | 'newCodeSecret') => ({
  collection: 'operators',
  _id,
  field,
});

export const openFactorChecks = (operators: Collection<OperatorDocument>, secrets: Secrets): FactorChecks => {
  const operatorOf = ({ organizationId, operatorId, accessRevision }: AskedOperator) => ({
    _id: operatorId,
    organizationId,
    accessRevision: atRevision(accessRevision),
    ...isActive,
  });
  return {
    async tryCode(asked, now) {
      const one = { ...operatorOf(asked), codeSecret: { $exists: true } };
      const found = await operators.findOneAndUpdate(
        { ...one, ...mayTryCode(now) },
        { $push: { triedCodes: { $each: [now], $slice: -MAX_WRONG_CODES } } },
        { projection: { codeSecret: 1 } },
      );
      if (found?.codeSecret !== undefined) {
        const secret = secrets.decrypt(found.codeSecret, codePlace(asked.operatorId, 'codeSecret'));
        return { secret, triedTime: now };
      }
      const paused = await findUnique(operators, one, { codesPausedUntil: 1, triedCodes: 1 });
      if (paused === undefined) return undefined;
      const first = paused.triedCodes?.[0] ?? now;
      const pausedUntil = paused.codesPausedUntil ?? new Date(first.getTime() + CODES_PAUSE_MS);
      return { pausedUntil };
    },

    async acceptCode(asked, step, triedTime) {
      const { matchedCount } = await operators.updateOne(
        { ...operatorOf(asked), codeSecret: { $exists: true }, codeStep: { $not: { $gte: step } } },
        { $set: { codeStep: step }, $pull: { triedCodes: triedTime } },
      );
      return matchedCount === 1;
    },

    async pauseCodes(asked, now) {
      const { matchedCount } = await operators.updateOne(
        { ...operatorOf(asked), ...hasTriedAll(now) },
        telling(['codes'], now, { $set: { codesPausedUntil: new Date(now.getTime() + CODES_PAUSE_MS) } }),
      );
      return matchedCount === 1;
    },

    async useRecoveryCode(asked, code) {
      const hash = hashOf(code);
      const { modifiedCount } = await operators.updateOne(
        { ...operatorOf(asked), recoveryCodes: hash },
        { $pull: { recoveryCodes: hash } },
      );
      return modifiedCount === 1;
    },

    async findPasskey(operatorId, credentialId, asked) {
      if (asked !== undefined && asked.operatorId !== operatorId) return undefined;
      const one = asked === undefined ? { _id: operatorId, ...isActive } : operatorOf(asked);
      const found = await findUnique(operators, one, { organizationId: 1, accessRevision: 1, passkeys: 1 });
      const passkey = found?.passkeys?.find((each) => each.credentialId === credentialId);
      if (found === undefined || passkey === undefined) return undefined;
      const { organizationId, accessRevision = 0 } = found;
      const { counter, publicKey } = passkey;
      return {
        asked: { organizationId, operatorId, accessRevision },
        passkey: { credentialId, counter, publicKey: new Uint8Array(publicKey.buffer) },
      };
    },

    async acceptPasskey(asked, credentialId, counter, now) {
      // An authenticator that does not count always reports 0.
      const before = counter === 0 ? 0 : { $lt: counter };
      const { matchedCount } = await operators.updateOne(
        { ...operatorOf(asked), passkeys: { $elemMatch: { credentialId, counter: before } } },
        { $set: { 'passkeys.$.counter': counter, 'passkeys.$.lastUsedTime': now } },
      );
      return matchedCount === 1;
    },
  };
};
