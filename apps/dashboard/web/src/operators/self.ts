import type { Operator } from '@chairside/client';

/** The other operators who are administrators and may sign in. */
export const otherAdministrators = (operators: readonly Operator[], self: string): Operator[] =>
  operators.filter(({ _id, role, active }) => _id !== self && role === 'administrator' && active);

/** Who remains an administrator, in words. @param others e-mail addresses */
export const remainText = (others: readonly string[]): string => {
  if (others.length === 0) return 'Nobody else is an administrator, so this is refused.';
  const names = new Intl.ListFormat('en', { type: 'conjunction' }).format(others);
  return others.length === 1 ? `${names} stays administrator.` : `${names} stay administrators.`;
};

/** What undoing the change of an operator cannot bring back. */
export const ENDED = 'Sessions, access tokens and connected apps that have ended stay ended.';
