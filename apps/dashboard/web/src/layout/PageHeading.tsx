import { useEffect, useRef } from 'react';

/** The heading of a page. It gets the focus when the page opens, so that a screen reader announces the page. */
export const PageHeading = ({ children, title }: { children: string; title?: string }) => {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title ?? children} · Chairside`;
    heading.current?.focus();
  }, [children, title]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
};
