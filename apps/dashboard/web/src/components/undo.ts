import { useSyncExternalStore } from 'react';

/** A change that can be undone, in words and in fact. */
export type UndoableChange = {
  /** What was done, such as `The block is deleted.` */
  done: string;
  /** What undoing cannot bring back. */
  lost?: string | undefined;
  /** @throws {UnusableInput} if somebody else has changed the same thing since */
  undo(): Promise<unknown>;
  /** What is the case afterwards. */
  undone: string;
};

let last: UndoableChange | undefined;
const listeners = new Set<() => void>();

const set = (change: UndoableChange | undefined): void => {
  last = change;
  for (const listener of listeners) listener();
};

/**
 * Offers to undo a change. The offer stays until the operator dismisses it, makes another such change or opens another
 * page. It is in no storage of the browser.
 */
export const offerUndo = (change: UndoableChange): void => set(change);

export const endOffer = (): void => set(undefined);

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** The last change that can be undone. */
export const useOffer = (): UndoableChange | undefined => useSyncExternalStore(subscribe, () => last);
