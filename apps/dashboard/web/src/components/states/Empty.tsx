import { Inbox, SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import './Waiting.css';

/**
 * What a list says while it has no rows: why, and the next step.
 *
 * @param props.isFiltered whether the filters exclude all rows
 */
export const Empty = ({
  title,
  isFiltered = false,
  children,
}: {
  title: string;
  isFiltered?: boolean;
  children?: ReactNode;
}) => (
  <div className="empty">
    {isFiltered ? <SearchX aria-hidden="true" /> : <Inbox aria-hidden="true" />}
    <p className="strong">{title}</p>
    {children}
  </div>
);
