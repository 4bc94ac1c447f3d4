import type { ReactNode } from 'react';

/** A table that scrolls sideways on small screens. */
export const ScrollTable = ({
  label,
  columns,
  children,
}: {
  label: string;
  /** The heads of the columns. A column of buttons has a head for screen readers only. */
  columns: readonly (string | { hidden: string })[];
  children: ReactNode;
}) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard (WCAG 2.1.1)
  <section className="scroll" aria-label={label} tabIndex={0}>
    <table>
      <thead>
        <tr>
          {columns.map((column) =>
            typeof column === 'string' ? (
              <th key={column} scope="col">
                {column}
              </th>
            ) : (
              <th key={column.hidden} scope="col">
                <span className="hidden">{column.hidden}</span>
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
);
