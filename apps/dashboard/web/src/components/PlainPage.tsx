import type { ReactNode } from 'react';
import './PlainPage.css';

/** The frame of a page without navigation. */
export const PlainPage = ({ children }: { children: ReactNode }) => (
  <main className="plain-page">{children}</main>
);
