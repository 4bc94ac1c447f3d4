import { useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/** The heading of a page. It gets the focus when the page opens, so that a screen reader announces the page. */
export const PageHeading = ({ children, title }: { children: string; title?: string }) => {
  const { pathname } = useLocation();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title ?? children} · Chairside`;
  }, [children, title]);
  // The effect does not run when only the heading changes. For example, saving another URL of a subscription must leave
  // the focus on its button.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another path is another page
  useEffect(() => heading.current?.focus(), [pathname]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
};
