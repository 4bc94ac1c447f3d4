import { Fragment, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useHandOver } from '../transitions/hand-over.ts';
import { InTable } from './in-table.ts';
import './Table.css';

/** A column of a table. */
export type Column<Row> = {
  name: string;
  /** Whether only screen readers get the name, for example of the column with the buttons. */
  isNameHidden?: boolean;
  cell(row: Row): ReactNode;
  /** Whether the cells name their rows. */
  isHeader?: boolean;
  isNumber?: boolean;
  /** Takes the width that the others leave: 2 for most of it, 1 for a smaller part. A longer text is cut off. */
  grow?: 1 | 2;
  /**
   * The narrowest list that has the column: `widest` 1088 px, `wide` 960 px, `medium` 832 px. Without it, any table has
   * it.
   */
  from?: 'widest' | 'wide' | 'medium';
  /**
   * The place in the card that a row becomes in a list of less than 640 px: the line, then nothing for its start, `r`
   * for its end, or `w` for the whole line. A column without a place is not in the card.
   */
  card?: '1' | '1r' | '1w' | '2' | '2r' | '2w' | '3' | '3r' | '3w' | '4w' | '5w';
};

/** The classes of a column. @param total the sum of the shares of all columns that grow */
const classOf = <Row,>({ isNumber, grow, from, card, isNameHidden }: Column<Row>, total: number): string =>
  [
    isNumber && 'number',
    grow !== undefined && `grow grow-${Math.round((100 * grow) / total)}`,
    from !== undefined && `from-${from}`,
    card === undefined ? 'no-card' : `at-${card}`,
    isNameHidden && 'actions',
  ]
    .filter(Boolean)
    .join(' ');

/** Moves the focus to the link of the next row after J, or of the previous row after K. */
const walk = (event: KeyboardEvent<HTMLTableElement>): void => {
  if ((event.key !== 'j' && event.key !== 'k') || event.ctrlKey || event.metaKey || event.altKey) return;
  // React also passes on the keys of the dialogs that a row has opened.
  if (!event.currentTarget.contains(event.target as Node)) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('.row-link')];
  const row = (event.target as Element).closest('tr');
  const current = links.findIndex((link) => link.closest('tr') === row);
  links[current + (event.key === 'j' ? 1 : -1)]?.focus();
};

/** The row that the address names: mails lead to rows in this way. */
const rowOfAddress = (): string | undefined => location.hash.slice(1) || undefined;

/** The lengths of the bars of a table that is being loaded, in turns. */
const BARS = ['short', 'long', 'middle'] as const;
const WAITING_ROWS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

/**
 * A table that never scrolls sideways: it leaves out columns as it becomes narrower, and below 640 px a row is a card.
 * The roles are explicit, because browsers drop the roles of tables that are not displayed as tables.
 *
 * @param props.rows undefined while the rows are read: grey bars have their places
 * @param props.headOf the heading above a row that begins a group
 */
export const Table = <Row,>({
  label,
  columns,
  rows,
  keyOf,
  headOf,
  isTall = false,
}: {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[] | undefined;
  keyOf(row: Row): string;
  headOf?: ((row: Row) => ReactNode) | undefined;
  /** Whether rows have two lines. */
  isTall?: boolean;
}) => {
  const body = useRef<HTMLTableSectionElement>(null);
  const [wanted, setWanted] = useState(rowOfAddress);
  useHandOver(label, setWanted);
  // The rows may arrive later than the wish.
  useEffect(() => {
    if (wanted === undefined || rows === undefined) return;
    const row = body.current?.querySelector<HTMLElement>(`tr[data-key="${CSS.escape(wanted)}"]`);
    // Only this row, so that a press on another one leaves the focus where it is.
    row?.setAttribute('tabindex', '-1');
    row?.focus();
    setWanted(undefined);
  }, [wanted, rows]);
  const total = columns.reduce((sum, { grow = 0 }) => sum + grow, 0);
  const classes = columns.map((column) => classOf(column, total));
  return (
    <InTable value={true}>
      {/* biome-ignore-start lint/a11y/noRedundantRoles: see above */}
      {/* biome-ignore-start lint/a11y/useSemanticElements: see above */}
      <table
        className={isTall ? 'table tall' : 'table'}
        role="table"
        aria-label={label}
        aria-busy={rows === undefined}
        onKeyDown={walk}
      >
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column, index) => (
              <th key={column.name} role="columnheader" scope="col" className={classes[index]}>
                {column.isNameHidden ? <span className="hidden">{column.name}</span> : column.name}
              </th>
            ))}
          </tr>
        </thead>
        {rows === undefined ? (
          <tbody aria-hidden="true" className="bones">
            {WAITING_ROWS.map((id) => (
              <tr key={id}>
                {columns.map((column, index) => (
                  <td key={column.name} className={classes[index]}>
                    <span className={`bone ${BARS[index % BARS.length]}`} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        ) : (
          <tbody role="rowgroup" ref={body}>
            {rows.map((row) => {
              const key = keyOf(row);
              const head = headOf?.(row);
              return (
                <Fragment key={key}>
                  {head !== undefined && (
                    <tr role="row" className="head">
                      <th role="rowheader" scope="colgroup" colSpan={columns.length}>
                        {head}
                      </th>
                    </tr>
                  )}
                  <tr role="row" data-key={key}>
                    {columns.map((column, index) =>
                      column.isHeader ? (
                        <th key={column.name} role="rowheader" scope="row" className={classes[index]}>
                          {column.cell(row)}
                        </th>
                      ) : (
                        <td key={column.name} role="cell" className={classes[index]}>
                          {column.cell(row)}
                        </td>
                      ),
                    )}
                  </tr>
                </Fragment>
              );
            })}
          </tbody>
        )}
      </table>
      {/* biome-ignore-end lint/a11y/useSemanticElements: see above */}
      {/* biome-ignore-end lint/a11y/noRedundantRoles: see above */}
    </InTable>
  );
};
