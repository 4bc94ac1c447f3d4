import { tip } from './tip.ts';
import { visibleText } from './visible-text.ts';
import './Middle.css';

/** A name of which the last word always stays when the place is too narrow: it is cut off before it. */
export const Middle = ({ children }: { children: string }) => {
  const text = visibleText(children);
  const last = text.lastIndexOf(' ') + 1;
  return (
    <span className="kept-end" {...tip(text)}>
      {last > 0 && <span>{text.slice(0, last)}</span>}
      <span>{text.slice(last)}</span>
    </span>
  );
};
