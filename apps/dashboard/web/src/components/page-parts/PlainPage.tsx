import type { ReactNode } from 'react';
import { Brand } from './Brand.tsx';
import './Card.css';
import './PlainPage.css';

/**
 * The frame of a page without navigation.
 *
 * @param props.foot what stands at the foot of the page
 */
export const PlainPage = ({
  isWide = false,
  foot,
  children,
}: {
  isWide?: boolean;
  foot?: ReactNode;
  children: ReactNode;
}) => (
  <main className={isWide ? 'plain-page wide' : 'plain-page'}>
    <div>
      <Brand />
      <div className="card">{children}</div>
    </div>
    {foot !== undefined && <p className="foot">{foot}</p>}
  </main>
);
