import type { ReactNode } from 'react';
import { Brand } from './Brand.tsx';
import './Card.css';
import './PlainPage.css';

/** The frame of a page without navigation. */
export const PlainPage = ({ children }: { children: ReactNode }) => (
  <main className="plain-page">
    <div>
      <Brand />
      <div className="card">{children}</div>
    </div>
  </main>
);
