import type { ApiKey } from '@chairside/client';
import { SCOPES, type Scope } from './scopes.ts';

/** The fields of a key that can be edited. */
export type KeyFields = { name: string; scopes: readonly Scope[]; rateLimit: number };

export const fieldsOf = ({ name, scopes, rateLimit }: ApiKey): KeyFields => ({ name, scopes, rateLimit });

/** Whether two versions of a key are the same. The order of scopes has no meaning. */
export const isSameKey = (one: KeyFields, other: KeyFields): boolean =>
  one.name === other.name &&
  one.rateLimit === other.rateLimit &&
  one.scopes.length === other.scopes.length &&
  one.scopes.every((scope) => other.scopes.includes(scope));

/** What the key may do only after the change, in words. Empty if the change adds no permission. */
export const widenings = (before: KeyFields, after: KeyFields): string[] => [
  ...after.scopes.filter((scope) => !before.scopes.includes(scope)).map((scope) => SCOPES[scope]),
  ...(after.rateLimit > before.rateLimit
    ? [`${after.rateLimit} instead of ${before.rateLimit} requests per minute`]
    : []),
];

/** The fields as lines of text, to compare two versions. */
export const linesOf = ({ name, scopes, rateLimit }: KeyFields): string[] => [
  `Name: ${name}`,
  `Scopes: ${scopes.map((scope) => SCOPES[scope]).join(', ') || 'none'}`,
  `Requests per minute: ${rateLimit}`,
];
