import type { WebhookSubscription } from '@chairside/client';

/** The fields of a subscription that can be edited. */
export type Fields = Pick<WebhookSubscription, 'url' | 'events' | 'active'>;
/** An edit: the version that it started from, and the values in the form. */
export type Edit = { base: Fields; fields: Fields };

const NAMES = ['url', 'events', 'active'] as const;

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
const isTouched = ({ base, fields }: Edit, name: keyof Fields): boolean => !isSame(fields[name], base[name]);

export const editOf = ({ url, events, active }: Fields): Edit => {
  const fields = { url, events, active };
  return { base: fields, fields };
};

/**
 * Updates an edit after the subscription was read again. Fields that the operator has not changed take the new values,
 * and the other fields keep the input.
 *
 * @returns the same object if nothing changes
 */
export const followed = (edit: Edit, live: Fields): Edit => {
  const moved = NAMES.filter((name) => !isTouched(edit, name) && !isSame(edit.base[name], live[name]));
  if (moved.length === 0) return edit;
  const change = Object.fromEntries(moved.map((name) => [name, live[name]]));
  return { base: { ...edit.base, ...change }, fields: { ...edit.fields, ...change } };
};

/** The fields that the edit changes. Somebody else may have changed the other fields in the meantime. */
export const changesOf = (edit: Edit): Partial<Fields> =>
  Object.fromEntries(NAMES.filter((name) => isTouched(edit, name)).map((name) => [name, edit.fields[name]]));

const LABELS: Readonly<Record<keyof Fields, (fields: Fields) => string>> = {
  url: ({ url }) => `URL: ${url}`,
  events: ({ events }) => `Events: ${events.join(', ') || 'all'}`,
  active: ({ active }) => (active ? 'Active' : 'Not active'),
};

/** The stored values, in words, of the fields that both the edit and somebody else have changed. */
export const conflictsOf = (edit: Edit, live: Fields): string[] =>
  NAMES.filter(
    (name) =>
      isTouched(edit, name) && !isSame(live[name], edit.base[name]) && !isSame(live[name], edit.fields[name]),
  ).map((name) => LABELS[name](live));

/** Whether two versions have the same values of these fields. */
export const isSameIn = (one: Fields, other: Fields, names: Partial<Fields>): boolean =>
  NAMES.every((name) => !(name in names) || isSame(one[name], other[name]));

/**
 * How an edit that was saved can be undone; undefined if it changed nothing, or if it ended the state `disabled`, which
 * only failures can bring back.
 *
 * @param state that of the subscription before the edit
 */
export const undoableOf = (
  edit: Edit,
  state: WebhookSubscription['state'],
): { done: string; lost?: string; undone: string; restored: Partial<Fields> } | undefined => {
  const names = NAMES.filter((name) => isTouched(edit, name));
  const isSwitched = names.includes('active');
  if (names.length === 0 || (isSwitched && state === 'disabled')) return undefined;
  const restored = Object.fromEntries(names.map((name) => [name, edit.base[name]]));
  const undone = 'The subscription is as it was before.';
  if (!isSwitched) return { done: 'The subscription is changed.', undone, restored };
  return edit.fields.active
    ? { done: 'The subscription is active.', undone, restored }
    : {
        done: 'The subscription is off.',
        lost: 'Undoing does not send the events of the time in between.',
        undone,
        restored,
      };
};
