import type { ApiKey, UpdateApiKey } from '@chairside/client';
import { SCOPES, type Scope } from './scopes.ts';

/** The fields of a key that can be edited. */
export type KeyFields = {
  name: string;
  scopes: readonly Scope[];
  rateLimit: number;
  /** The clinics that the key is for; empty if it is for all clinics. */
  clinicIds: readonly string[];
  /** When the key ends; undefined if it has no end. */
  expiryTime: string | undefined;
};

export const fieldsOf = ({ name, scopes, rateLimit, clinicIds = [], expiryTime }: ApiKey): KeyFields => ({
  name,
  scopes,
  rateLimit,
  clinicIds,
  expiryTime,
});

/** The body that gives a key these fields. */
export const updateOf = ({ scopes, clinicIds, expiryTime, ...fields }: KeyFields): UpdateApiKey => ({
  ...fields,
  scopes: [...scopes],
  clinicIds: clinicIds.length === 0 ? null : [...clinicIds],
  expiryTime: expiryTime ?? null,
});

/** Whether two lists have the same entries. Their order has no meaning. */
const isSameSet = <T>(one: readonly T[], other: readonly T[]): boolean =>
  one.length === other.length && one.every((each) => other.includes(each));

/** Whether two versions of a key are the same. */
export const isSameKey = (one: KeyFields, other: KeyFields): boolean =>
  one.name === other.name &&
  one.rateLimit === other.rateLimit &&
  one.expiryTime === other.expiryTime &&
  isSameSet(one.scopes, other.scopes) &&
  isSameSet(one.clinicIds, other.clinicIds);

/** Returns the name of a clinic. */
export type ClinicOf = (clinicId: string) => string;

const newClinics = (before: KeyFields, after: KeyFields, clinicOf: ClinicOf): string[] => {
  if (before.clinicIds.length === 0) return [];
  if (after.clinicIds.length === 0) return ['All clinics, also those that are added later'];
  return after.clinicIds.filter((id) => !before.clinicIds.includes(id)).map((id) => `Clinic ${clinicOf(id)}`);
};

const isLater = ({ expiryTime: before }: KeyFields, { expiryTime: after }: KeyFields): boolean =>
  before !== undefined && (after === undefined || after > before);

/** What the key may do only after the change, in words. Empty if the change adds no permission. */
export const widenings = (before: KeyFields, after: KeyFields, clinicOf: ClinicOf): string[] => [
  ...after.scopes.filter((scope) => !before.scopes.includes(scope)).map((scope) => SCOPES[scope]),
  ...newClinics(before, after, clinicOf),
  ...(after.rateLimit > before.rateLimit
    ? [`${after.rateLimit} instead of ${before.rateLimit} requests per minute`]
    : []),
  ...(isLater(before, after) ? ['Use it for longer'] : []),
];

/** The fields as lines of text, to compare two versions. */
export const linesOf = (
  { name, scopes, rateLimit, clinicIds, expiryTime }: KeyFields,
  clinicOf: ClinicOf,
): string[] => [
  `Name: ${name}`,
  `Scopes: ${scopes.map((scope) => SCOPES[scope]).join(', ') || 'none'}`,
  `Clinics: ${clinicIds.map(clinicOf).join(', ') || 'all'}`,
  `Requests per minute: ${rateLimit}`,
  `Ends: ${expiryTime ?? 'never'}`,
];
