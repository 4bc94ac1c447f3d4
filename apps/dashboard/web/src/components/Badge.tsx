import type { ReactNode } from 'react';
import './Badge.css';

/**
 * A state as a word with a colour. The colour adds no information to the word.
 *
 * @param props.look the state that has the colour; without it, the badge is grey
 */
export const Badge = ({ look, children }: { look?: string; children: ReactNode }) => (
  <span className={look === undefined ? 'badge' : `badge ${look}`}>{children}</span>
);
