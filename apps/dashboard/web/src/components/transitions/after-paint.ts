import { startTransition } from 'react';

/**
 * Changes the page after the next frame, so that this frame shows the press that asks for it. Opening or removing a
 * dialog over a long list takes longer than a frame, and so would the first reaction to the press.
 *
 * @param change sets the state
 */
export const afterPaint = (change: () => void): void => {
  requestAnimationFrame(() => setTimeout(() => startTransition(change)));
};
