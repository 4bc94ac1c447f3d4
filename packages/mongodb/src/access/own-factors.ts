import { type Factors, MAX_PASSKEYS, newId, type Passkey } from '@chairside/domain';
import { Binary } from 'mongodb';
import { findUnique } from '../driver/ferretdb.ts';
import { hashOf, type Secrets } from '../encryption/secrets.ts';
import { enterEnding } from '../restores/endings.ts';
import { codePlace } from './factor-checks.ts';
import { FACTOR_FIELDS, type FactorFields, type PasskeyDocument } from './factor-document.ts';
import { telling } from './operator-change.ts';
import { isActive } from './operator-document.ts';
import { endSessions, type OperatorCollections } from './operator-writes.ts';

/** How long an app that is being added can show its first code, in milliseconds. */
const NEW_CODE_LIFE_MS = 10 * 60_000;

/** A passkey that a browser has created. */
export type NewPasskeyKey = {
  credentialId: string;
  /** The COSE key. */
  publicKey: Uint8Array;
  counter: number;
  transports: string[] | undefined;
};

/** The factors of the operators of an organization. */
export type OwnFactors = {
  /** @returns undefined if the operator does not exist */
  find(operatorId: string): Promise<Omit<Factors, 'required' | 'passkeysOff'> | undefined>;
  /** The ids that authenticators have given to the passkeys of an operator. */
  credentialIds(operatorId: string): Promise<string[]>;
  /** Stores the secret of an app that is being added, instead of an earlier one. @returns false if there is an app */
  beginCode(operatorId: string, secret: string, now: Date): Promise<boolean>;
  /** The secret of the app that is being added; undefined if it was not begun or was begun long ago. */
  newCodeSecret(operatorId: string, now: Date): Promise<string | undefined>;
  /**
   * Adds the app whose first code was right.
   *
   * @param step the number of the code's period of 30 s, which is used up
   * @param recoveryCodes without blanks and dashes; stored if it is the first factor
   * @returns undefined if something else was begun or added meanwhile
   */
  addCode(
    operatorId: string,
    secret: string,
    step: number,
    recoveryCodes: readonly string[],
    now: Date,
  ): Promise<{ isFirst: boolean } | undefined>;
  /** @returns `limitReached` if the operator has the maximum number of passkeys */
  addPasskey(
    operatorId: string,
    key: NewPasskeyKey,
    name: string,
    recoveryCodes: readonly string[],
    now: Date,
  ): Promise<{ passkey: Passkey; isFirst: boolean } | 'limitReached'>;
  /** @returns the renamed passkey; undefined if there is none */
  renamePasskey(operatorId: string, passkeyId: string, name: string): Promise<Passkey | undefined>;
  /** Removes the app, and the recovery codes with the last factor. @returns whether there was one */
  removeCode(operatorId: string, now: Date): Promise<boolean>;
  /** Removes a passkey, and the recovery codes with the last factor. */
  removePasskey(operatorId: string, passkeyId: string, now: Date): Promise<Passkey | undefined>;
  /** Replaces the recovery codes. @returns false without a factor */
  replaceRecoveryCodes(operatorId: string, recoveryCodes: readonly string[], now: Date): Promise<boolean>;
  /**
   * Removes everything of an operator who has lost it, and ends the operator's sessions and program tokens.
   *
   * @returns undefined if the operator does not exist, or has no factor
   */
  reset(operatorId: string, now: Date): Promise<{ endedSessions: number } | undefined>;
};

const toPasskey = ({ _id, name, createdTime, lastUsedTime }: PasskeyDocument): Passkey => ({
  _id,
  name,
  createdTime: createdTime.toISOString(),
  ...(lastUsedTime && { lastUsedTime: lastUsedTime.toISOString() }),
});

const shown = (operator: FactorFields | null, passkeyId: string): Passkey | undefined => {
  const found = operator?.passkeys?.find(({ _id }) => _id === passkeyId);
  return found && toPasskey(found);
};

/** The update that removes an app for codes. */
export const withoutCode = {
  $unset: { codeSecret: '', codeId: '', codeTime: '', codeStep: '', triedCodes: '', codesPausedUntil: '' },
} as const;

export const ownFactorsOf = (
  collections: OperatorCollections,
  secrets: Secrets,
  endTokens: (operatorId: string) => Promise<unknown>,
): OwnFactors => {
  const { operators, endings, organizationId } = collections;
  const one = (_id: string) => ({ _id, organizationId, ...isActive });
  const hashes = (recoveryCodes: readonly string[]): string[] => recoveryCodes.map(hashOf);

  const enter = (id: string) => enterEnding(endings, { kind: 'factor', id, organizationId });

  /** Removes the recovery codes of an operator who has no factor. A factor that was added meanwhile keeps them. */
  const dropRecoveryCodes = (_id: string) =>
    operators.updateOne(
      { ...one(_id), codeSecret: { $exists: false }, 'passkeys.0': { $exists: false } },
      { $unset: { recoveryCodes: '', passkeys: '', triedCodes: '', codesPausedUntil: '' } },
    );
  /** Stores recovery codes if the operator has none. @returns whether they were stored */
  const storeFirst = async (_id: string, recoveryCodes: readonly string[]): Promise<boolean> => {
    const { matchedCount } = await operators.updateOne(
      { ...one(_id), recoveryCodes: { $exists: false } },
      { $set: { recoveryCodes: hashes(recoveryCodes) } },
    );
    return matchedCount === 1;
  };

  return {
    async find(operatorId) {
      const found = await findUnique(operators, one(operatorId), {
        codeTime: 1,
        codeSecret: 1,
        passkeys: 1,
        recoveryCodes: 1,
      });
      if (found === undefined) return undefined;
      const { passkeys = [], codeSecret, codeTime, recoveryCodes = [] } = found;
      return {
        passkeys: passkeys.map(toPasskey),
        ...(codeSecret !== undefined && codeTime && { codes: { createdTime: codeTime.toISOString() } }),
        recoveryCodes: { left: recoveryCodes.length },
      };
    },

    async credentialIds(operatorId) {
      const found = await findUnique(operators, one(operatorId), { passkeys: 1 });
      return (found?.passkeys ?? []).map(({ credentialId }) => credentialId);
    },

    async beginCode(_id, secret, now) {
      const newCodeSecret = secrets.encrypt(secret, codePlace(_id, 'newCodeSecret'));
      const { matchedCount } = await operators.updateOne(
        { ...one(_id), codeSecret: { $exists: false } },
        { $set: { newCodeSecret, newCodeTime: now } },
      );
      return matchedCount === 1;
    },

    async newCodeSecret(_id, now) {
      const since = new Date(now.getTime() - NEW_CODE_LIFE_MS);
      const found = await findUnique(
        operators,
        { ...one(_id), codeSecret: { $exists: false }, newCodeTime: { $gt: since } },
        { newCodeSecret: 1 },
      );
      return found?.newCodeSecret && secrets.decrypt(found.newCodeSecret, codePlace(_id, 'newCodeSecret'));
    },

    async addCode(_id, secret, step, recoveryCodes, now) {
      const begun = await findUnique(operators, one(_id), { newCodeSecret: 1 });
      const newCodeSecret = begun?.newCodeSecret;
      if (newCodeSecret === undefined) return undefined;
      if (secrets.decrypt(newCodeSecret, codePlace(_id, 'newCodeSecret')) !== secret) return undefined;
      const { matchedCount } = await operators.updateOne(
        { ...one(_id), newCodeSecret, codeSecret: { $exists: false } },
        telling(['factors'], now, {
          $set: {
            codeSecret: secrets.encrypt(secret, codePlace(_id, 'codeSecret')),
            codeId: newId(now),
            codeTime: now,
            codeStep: step,
          },
          $unset: { newCodeSecret: '', newCodeTime: '' },
        }),
      );
      return matchedCount === 1 ? { isFirst: await storeFirst(_id, recoveryCodes) } : undefined;
    },

    async addPasskey(_id, key, name, recoveryCodes, now) {
      const { transports, publicKey, ...rest } = key;
      const passkey: PasskeyDocument = {
        _id: newId(now),
        ...rest,
        publicKey: new Binary(publicKey),
        ...(transports && { transports }),
        name,
        createdTime: now,
      };
      const { matchedCount } = await operators.updateOne(
        { ...one(_id), [`passkeys.${MAX_PASSKEYS - 1}`]: { $exists: false } },
        telling(['factors'], now, { $push: { passkeys: passkey } }),
      );
      if (matchedCount === 0) return 'limitReached';
      return { passkey: toPasskey(passkey), isFirst: await storeFirst(_id, recoveryCodes) };
    },

    async renamePasskey(_id, passkeyId, name) {
      const changed = await operators.findOneAndUpdate(
        { ...one(_id), 'passkeys._id': passkeyId },
        { $set: { 'passkeys.$.name': name } },
        { returnDocument: 'after', projection: { passkeys: 1 } },
      );
      return shown(changed, passkeyId);
    },

    async removeCode(_id, now) {
      const found = await findUnique(operators, one(_id), { codeId: 1 });
      if (found?.codeId === undefined) return false;
      await enter(found.codeId);
      const { matchedCount } = await operators.updateOne(
        { ...one(_id), codeId: found.codeId },
        telling(['factors'], now, withoutCode),
      );
      if (matchedCount === 1) await dropRecoveryCodes(_id);
      return matchedCount === 1;
    },

    async removePasskey(_id, passkeyId, now) {
      const own = { ...one(_id), 'passkeys._id': passkeyId };
      if ((await findUnique(operators, own, { _id: 1 })) === undefined) return undefined;
      await enter(passkeyId);
      const before = await operators.findOneAndUpdate(
        own,
        telling(['factors'], now, { $pull: { passkeys: { _id: passkeyId } } }),
        { returnDocument: 'before', projection: { passkeys: 1 } },
      );
      if (before === null) return undefined;
      await dropRecoveryCodes(_id);
      return shown(before, passkeyId);
    },

    async replaceRecoveryCodes(_id, recoveryCodes, now) {
      const { matchedCount } = await operators.updateOne(
        { ...one(_id), $or: [{ codeSecret: { $exists: true } }, { 'passkeys.0': { $exists: true } }] },
        telling(['factors'], now, { $set: { recoveryCodes: hashes(recoveryCodes) } }),
      );
      return matchedCount === 1;
    },

    async reset(_id, now) {
      const found = await findUnique(operators, { _id, organizationId }, { codeId: 1, passkeys: 1 });
      for (const { _id: passkeyId } of found?.passkeys ?? []) await enter(passkeyId);
      if (found?.codeId !== undefined) await enter(found.codeId);
      const before = await operators.findOneAndUpdate(
        {
          _id,
          organizationId,
          $or: [{ codeSecret: { $exists: true } }, { 'passkeys.0': { $exists: true } }],
        },
        telling(['factors'], now, {
          $unset: Object.fromEntries(FACTOR_FIELDS.map((name) => [name, ''])) as Record<
            keyof FactorFields,
            ''
          >,
          $inc: { accessRevision: 1 },
        }),
        { returnDocument: 'before', projection: { _id: 1 } },
      );
      if (before === null) return undefined;
      const endedSessions = await endSessions(collections, _id);
      await endTokens(_id);
      return { endedSessions };
    },
  };
};
