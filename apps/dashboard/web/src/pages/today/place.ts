/**
 * Sets the place of an element on the axis, from which the stylesheet computes its position: minutes since the start, and a
 * length in minutes. The Content-Security-Policy forbids style attributes.
 */
export const placed =
  (at: number, length = 0) =>
  (element: HTMLElement | null): void => {
    element?.style.setProperty('--at', at.toFixed(2));
    element?.style.setProperty('--length', length.toFixed(2));
  };
