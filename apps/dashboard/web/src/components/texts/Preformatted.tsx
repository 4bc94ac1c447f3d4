import type { ReactNode } from 'react';

/** A text whose lines are kept. If it is long, it scrolls, so it can have the focus. */
export const Preformatted = ({ children }: { children: ReactNode }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls what has the focus
  <pre tabIndex={0}>{children}</pre>
);
