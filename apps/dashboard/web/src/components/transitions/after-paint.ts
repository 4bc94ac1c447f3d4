import { startTransition } from 'react';

/**
 * Changes the page after the next frame, for a change that takes longer than a frame itself. So the next frame shows what
 * was there before: the press that opens or removes a dialog over a long list, or the first rows of a list.
 *
 * @param change sets the state
 */
export const afterPaint = (change: () => void): void => {
  requestAnimationFrame(() => setTimeout(() => startTransition(change)));
};
