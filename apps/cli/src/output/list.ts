import type { List } from '@chairside/client';
import { type Command, InvalidArgumentError } from 'commander';
import { addOutputOptions, type Columns, type OutputOptions, printRows } from './rows.ts';

const readLimit = (value: string): number => {
  const limit = Number(value);
  if (/^\d+$/.test(value) && limit > 0) return limit;
  throw new InvalidArgumentError('Give a whole number of at least 1.');
};

/** The rows of a list, page by page, up to a limit. */
async function* pagesUpTo(
  pages: AsyncIterable<{ data: object[] }>,
  limit: number,
): AsyncGenerator<Record<string, unknown>[]> {
  let left = limit;
  for await (const { data } of pages) {
    yield data.slice(0, left) as Record<string, unknown>[];
    left -= data.length;
    if (left <= 0) return;
  }
}

/** Adds the options of a command that prints a list. */
export const addListOptions = (command: Command): Command =>
  addOutputOptions(command).option('--limit <number>', 'the maximum number of rows', readLimit);

/** The options for the client's list methods. */
export type Paging = { pageSize?: number };

/** Prints a list while it arrives, up to the limit of the caller. */
export const printList = async (
  read: (paging: Paging) => List<object>,
  options: OutputOptions & { limit?: number },
  columns: Columns,
): Promise<void> => {
  const { limit = Number.POSITIVE_INFINITY } = options;
  const list = read({ pageSize: Math.min(1000, limit) });
  await printRows(pagesUpTo(list.pages(), limit), options, columns);
};
