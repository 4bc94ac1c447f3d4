import { type ReactNode, useId } from 'react';
import './Card.css';

/** A part of a page with a frame and a heading. */
export const Card = ({
  title,
  end,
  isPadded = true,
  children,
}: {
  title: string;
  /** What stands at the end of the heading's line. */
  end?: ReactNode;
  isPadded?: boolean;
  children: ReactNode;
}) => {
  const id = useId();
  return (
    <section className="card" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {end}
      </header>
      {isPadded ? <div className="pad">{children}</div> : children}
    </section>
  );
};
