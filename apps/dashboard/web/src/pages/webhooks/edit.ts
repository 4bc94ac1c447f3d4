import type { WebhookSubscription } from '@chairside/client';
import { headersOf, keepsValues, linesOf } from './headers.ts';

type Stored = Pick<WebhookSubscription, 'url' | 'events' | 'payload' | 'headers' | 'active'>;
/** The fields of a subscription that can be edited. The headers are lines. */
export type Fields = Omit<Stored, 'headers'> & { headers: string };
/** An edit: the version that it started from, and the values in the form. */
export type Edit = { base: Fields; fields: Fields };

const NAMES = ['url', 'events', 'payload', 'headers', 'active'] as const;

const fieldsOf = ({ url, events, payload, headers, active }: Stored): Fields => ({
  url,
  events,
  payload,
  headers: linesOf(headers),
  active,
});

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
/** Headers are typed for a URL, so they are sent together with the URL of the form. */
const isTouched = ({ base, fields }: Edit, name: keyof Fields): boolean =>
  !isSame(fields[name], base[name]) || (name === 'url' && !isSame(fields.headers, base.headers));

export const editOf = (stored: Stored): Edit => {
  const fields = fieldsOf(stored);
  return { base: fields, fields };
};

/**
 * Updates an edit after the subscription was read again. Fields that the operator has not changed take the new values,
 * and the other fields keep the input.
 *
 * @returns the same object if nothing changes
 */
export const followed = (edit: Edit, stored: Stored): Edit => {
  const live = fieldsOf(stored);
  const moved = NAMES.filter((name) => !isTouched(edit, name) && !isSame(edit.base[name], live[name]));
  if (moved.length === 0) return edit;
  const change = Object.fromEntries(moved.map((name) => [name, live[name]]));
  return { base: { ...edit.base, ...change }, fields: { ...edit.fields, ...change } };
};

/** The fields that the edit changes. Somebody else may have changed the other fields in the meantime. */
export const changesOf = (edit: Edit): Partial<Stored> =>
  Object.fromEntries(
    NAMES.filter((name) => isTouched(edit, name)).map((name) => [
      name,
      name === 'headers' ? headersOf(edit.fields.headers) : edit.fields[name],
    ]),
  );

/** Whether the URL of the edit is at another scheme, host or port, which gets no header whose value is not typed again. */
export const losesHeaders = ({ base, fields }: Edit): boolean =>
  keepsValues(fields.headers) &&
  URL.canParse(fields.url) &&
  new URL(fields.url).origin !== new URL(base.url).origin;

const LABELS: Readonly<Record<keyof Fields, (fields: Fields) => string>> = {
  url: ({ url }) => `URL: ${url}`,
  events: ({ events }) => `Events: ${events.join(', ') || 'all'}`,
  payload: ({ payload }) => (payload === 'ids' ? 'Data: only ids' : 'Data: the whole record'),
  headers: ({ headers }) => `Headers: ${headers.replaceAll('\n', ', ') || 'none'}`,
  active: ({ active }) => (active ? 'Active' : 'Not active'),
};

/** The stored values, in words, of the fields that both the edit and somebody else have changed. */
export const conflictsOf = (edit: Edit, stored: Stored): string[] => {
  const live = fieldsOf(stored);
  return NAMES.filter(
    (name) =>
      isTouched(edit, name) && !isSame(live[name], edit.base[name]) && !isSame(live[name], edit.fields[name]),
  ).map((name) => LABELS[name](live));
};

/** Whether two versions have the same values of these fields. */
export const isSameIn = (one: Stored, other: Stored, names: Partial<Stored>): boolean =>
  NAMES.every((name) => !(name in names) || isSame(one[name], other[name]));

/**
 * How an edit that was saved can be undone; undefined if it changed nothing, if it ended the state `disabled`, which only
 * failures can bring back, or if it changed headers, whose former values nobody knows.
 *
 * @param state that of the subscription before the edit
 */
export const undoableOf = (
  edit: Edit,
  state: WebhookSubscription['state'],
): { done: string; lost?: string; undone: string; restored: Partial<Stored> } | undefined => {
  const names = NAMES.filter((name) => isTouched(edit, name));
  const isSwitched = names.includes('active');
  const changesHeaders = names.includes('headers') || losesHeaders(edit);
  if (names.length === 0 || changesHeaders || (isSwitched && state === 'disabled')) return undefined;
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
