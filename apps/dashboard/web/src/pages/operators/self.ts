import type { Operator } from '@chairside/client';
import { relativeText } from '../../components/texts/relative.ts';
import { LANGUAGE } from '../../language.ts';
import { operatorName } from '../../principals/operator-name.ts';

/** The other operators who are administrators and can sign in. */
export const otherAdministrators = (operators: readonly Operator[], self: string): Operator[] =>
  operators.filter(
    ({ _id, role, active, invitation }) =>
      _id !== self && role === 'administrator' && active && invitation === undefined,
  );

const whoAndWhen = (operator: Operator, now: number): string => {
  const { lastSignInTime } = operator;
  const when =
    lastSignInTime === undefined
      ? 'has never signed in'
      : `last signed in: ${relativeText(Date.parse(lastSignInTime), now)}`;
  return `${operatorName(operator)} (${when})`;
};

/** Who remains an administrator, in words, and when they last signed in. @param now in milliseconds since the epoch */
export const remainText = (others: readonly Operator[], now: number): string => {
  if (others.length === 0) return 'Nobody else is an administrator, so this is refused.';
  const names = new Intl.ListFormat(LANGUAGE, { type: 'conjunction' }).format(
    others.map((other) => whoAndWhen(other, now)),
  );
  return others.length === 1 ? `${names} stays administrator.` : `${names} stay administrators.`;
};

/** What undoing the change of an operator cannot bring back. */
export const ENDED = 'Sessions, access tokens and connected apps that have ended stay ended.';
