import type { ReactNode } from 'react';
import { Problem } from '../states/Problem.tsx';
import { Waiting } from '../states/Waiting.tsx';
import { rowsOf } from '../transitions/hand-over.ts';
import { type Column, Table } from './Table.tsx';

/** The parts of a query that a list uses. */
type Query = { error: unknown; refetch(): unknown };

/**
 * A list in each of its states. While its rows are read, after a failure and without rows, something else has the place
 * of the table.
 *
 * @param props.of the things in the list, such as `deliveries`
 * @param props.rows undefined while they are read
 * @param props.empty what is shown instead of a table without rows
 */
export const List = <Row,>({
  of,
  query,
  rows,
  empty,
  ...table
}: {
  of: string;
  query: Query;
  rows: readonly Row[] | undefined;
  empty: ReactNode;
  label?: string;
  columns: readonly Column<Row>[];
  keyOf(row: Row): string;
  headOf?: (row: Row) => ReactNode;
  isTall?: boolean;
}) => {
  const label = table.label ?? rowsOf(of);
  if (rows === undefined && query.error !== null)
    return <Problem error={query.error} again={query.refetch} />;
  if (rows === undefined)
    return (
      <Waiting of={of}>
        <Table {...table} label={label} rows={undefined} />
      </Waiting>
    );
  return (
    <>
      <Problem error={query.error} />
      {rows.length === 0 ? empty : <Table {...table} label={label} rows={rows} />}
    </>
  );
};
