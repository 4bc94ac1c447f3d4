import {
  type AddedFactorKind,
  CODES_PAUSE_MS,
  type FactorKind,
  type FactorRequirement,
  MAX_WRONG_CODES,
  type Role,
} from '@chairside/domain';
import type { Binary } from 'mongodb';

export type PasskeyDocument = {
  _id: string;
  /** The id that the authenticator has given, in base64url. */
  credentialId: string;
  /** The COSE key. */
  publicKey: Binary;
  /** The number of signatures that the authenticator has reported, or 0 if it does not count them. */
  counter: number;
  transports?: string[];
  name: string;
  createdTime: Date;
  lastUsedTime?: Date;
};

/** What an operator is asked besides the password. */
export type FactorFields = {
  /** The secret of one-time codes, encrypted. */
  codeSecret?: string;
  /** The id of the app that has the secret. */
  codeId?: string;
  codeTime?: Date;
  /** The last step of 30 s whose code was used. */
  codeStep?: number;
  /** The secret of an app that is being added, encrypted, and when that began. */
  newCodeSecret?: string;
  newCodeTime?: Date;
  passkeys?: PasskeyDocument[];
  /** The hashes of the recovery codes that are left. */
  recoveryCodes?: string[];
  /** When the last codes that were tried were tried, without right ones. */
  triedCodes?: Date[];
  codesPausedUntil?: Date;
};

/** The fields of factors, to remove them all. */
export const FACTOR_FIELDS = [
  'codeSecret',
  'codeId',
  'codeTime',
  'codeStep',
  'newCodeSecret',
  'newCodeTime',
  'passkeys',
  'recoveryCodes',
  'triedCodes',
  'codesPausedUntil',
] as const satisfies readonly (keyof FactorFields)[];

/** The kinds that an operator has added. */
export const addedKindsOf = ({ codeSecret, passkeys = [] }: FactorFields): AddedFactorKind[] => [
  ...(passkeys.length > 0 ? ['passkey' as const] : []),
  ...(codeSecret === undefined ? [] : ['code' as const]),
];

/** The kinds with which an operator can answer a challenge. Empty without a factor. */
export const kindsOf = (operator: FactorFields): FactorKind[] => {
  const added = addedKindsOf(operator);
  const hasCodes = added.length > 0 && (operator.recoveryCodes ?? []).length > 0;
  return hasCodes ? [...added, 'recoveryCode'] : added;
};

const LAST = MAX_WRONG_CODES - 1;
const pauseAgo = (now: Date): Date => new Date(now.getTime() - CODES_PAUSE_MS);

/** Matches operators who may try a code: not after too many wrong ones. */
export const mayTryCode = (now: Date) => ({
  codesPausedUntil: { $not: { $gt: now } },
  $or: [{ [`triedCodes.${LAST}`]: { $exists: false } }, { 'triedCodes.0': { $lte: pauseAgo(now) } }],
});

/** Matches operators whose tried codes are as many as may be wrong, and who are not paused yet. */
export const hasTriedAll = (now: Date) => ({
  codesPausedUntil: { $not: { $gt: now } },
  [`triedCodes.${LAST}`]: { $exists: true },
  'triedCodes.0': { $gt: pauseAgo(now) },
});

/** Whether an organization requires a factor of an operator with this role. */
export const isFactorRequired = (
  requirement: FactorRequirement | undefined,
  { role }: { role: Role },
): boolean => requirement === 'everybody' || (requirement === 'administrators' && role === 'administrator');
