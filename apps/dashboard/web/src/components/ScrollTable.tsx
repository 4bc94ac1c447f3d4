import type { ReactNode } from 'react';
import './ScrollTable.css';

/**
 * The header of a column of text, of a column of numbers, or of a column of buttons. The last is visible only to screen
 * readers.
 */
export type Column = string | { number: string } | { hidden: string };

const Head = ({ column }: { column: Column }) => {
  if (typeof column === 'string') return <th scope="col">{column}</th>;
  if ('number' in column)
    return (
      <th scope="col" className="number">
        {column.number}
      </th>
    );
  return (
    <th scope="col">
      <span className="hidden">{column.hidden}</span>
    </th>
  );
};

/** A table that scrolls sideways on small screens. */
export const ScrollTable = ({
  label,
  columns,
  children,
}: {
  label: string;
  columns: readonly Column[];
  children: ReactNode;
}) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard (WCAG 2.1.1)
  <section className="scroll" aria-label={label} tabIndex={0}>
    <table>
      <thead>
        <tr>
          {columns.map((column) => (
            <Head key={JSON.stringify(column)} column={column} />
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
);
