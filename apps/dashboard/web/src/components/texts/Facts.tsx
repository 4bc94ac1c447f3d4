import type { ReactNode } from 'react';
import './Facts.css';

/** Names and values one below the other, as `dt` and `dd`. */
export const Facts = ({ children }: { children: ReactNode }) => <dl className="facts">{children}</dl>;
