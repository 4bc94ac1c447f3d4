import { type ReactNode, useEffect, useState } from 'react';
import { Problem } from '../states/Problem.tsx';
import { Waiting } from '../states/Waiting.tsx';
import { afterPaint } from '../transitions/after-paint.ts';
import { rowsOf } from '../transitions/hand-over.ts';
import { type Column, Table } from './Table.tsx';

/** The parts of a query that a list uses. */
type Query = { error: unknown; refetch(): unknown };

/** The height of a row, as `--row` of the styles has it, in px. */
const ROW_HEIGHT = 38;

/**
 * The rows to show now. The layout of fifty rows takes longer than a frame, so rows that arrive are shown in two frames:
 * first those that the window has room for, then the others, below it. Rows that a list has from its beginning are shown
 * at once, because after Back the page scrolls to its place among them.
 */
const useFrames = <Row,>(rows: readonly Row[] | undefined) => {
  const arrived = rows !== undefined;
  const [isWhole, setIsWhole] = useState(arrived);
  useEffect(() => {
    if (arrived) afterPaint(() => setIsWhole(true));
    else setIsWhole(false);
  }, [arrived]);
  const first = Math.ceil(innerHeight / ROW_HEIGHT);
  const isPart = arrived && !isWhole && rows.length > first;
  return { shown: isPart ? rows.slice(0, first) : rows, isPart };
};

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
  const { shown, isPart } = useFrames(rows);
  if (shown === undefined && query.error !== null)
    return <Problem error={query.error} again={query.refetch} />;
  if (shown === undefined)
    return (
      <Waiting of={of}>
        <Table {...table} label={label} rows={undefined} />
      </Waiting>
    );
  return (
    <>
      <Problem error={query.error} />
      {shown.length === 0 ? empty : <Table {...table} label={label} rows={shown} isPart={isPart} />}
    </>
  );
};
