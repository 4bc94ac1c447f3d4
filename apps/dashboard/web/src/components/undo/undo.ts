import { sharedValue, useSharedValue } from '../../shared-value.ts';

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

const last = sharedValue<UndoableChange>();

/**
 * Offers to undo a change. The offer stays until the operator dismisses it, makes another such change or opens another
 * page. It is in no storage of the browser.
 */
export const offerUndo = (change: UndoableChange): void => last.set(change);

export const endOffer = (): void => last.set(undefined);

/** The last change that can be undone. */
export const useOffer = (): UndoableChange | undefined => useSharedValue(last);
