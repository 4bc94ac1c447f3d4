import { instant } from '@chairside/domain';
import { shown } from '@chairside/terminal';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type CommonOptions, type Context, note, runs, writeAll } from './command.ts';

const MAX_LIMIT = 1_000_000;

/** Joins columns to a line. Columns without a value are left out. */
export const lineOf = (...columns: readonly (string | number | undefined)[]): string =>
  columns
    .filter((column) => column !== undefined && column !== '')
    .map((column) => shown(String(column)))
    .join('  ');

const readLimit = (given: string): number => {
  const limit = Number(given);
  if (/^\d+$/.test(given) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new InvalidArgumentError(`Give a number from 1 to ${MAX_LIMIT}.`);
};

const readTime = (given: string): Date => {
  const parsed = instant.safeParse(given);
  if (parsed.success) return new Date(parsed.data);
  const [problem] = parsed.error.issues;
  throw new InvalidArgumentError(`The time ${problem?.message}.`);
};

/** An option whose value is a time. */
export const timeOption = (flags: string, description: string): Option =>
  new Option(flags, description).argParser(readTime);

export type ListOptions = { limit?: number };

/** The rows of a list, and a function that formats a row as lines for people. */
type Rows<R> = { rows: AsyncIterable<R>; linesOf: (row: R) => readonly string[] };

/** The rows as text, in parts. A part is read only after the previous one has been consumed. */
async function* textOf<R>(
  { rows, linesOf }: Rows<R>,
  { json, limit }: { json: boolean; limit: number },
  onEnd: (count: number, isWhole: boolean) => void,
): AsyncGenerator<string, void> {
  let count = 0;
  for await (const row of rows) {
    if (count === limit) return onEnd(count, false);
    count++;
    yield json
      ? `${JSON.stringify(row)}\n`
      : linesOf(row)
          .map((line) => `${line}\n`)
          .join('');
  }
  onEnd(count, true);
}

/**
 * Turns a command into a list: adds `--limit` and `--json`, which prints one object per line, and prints the rows while
 * they are read. Notes about the list go to stderr.
 *
 * @param standard the limit if `--limit` is not given. If `standard` is absent too, all rows are printed.
 */
export const lists = <O extends object, R>(
  command: Command,
  work: (context: Context, options: O) => Promise<Rows<R>>,
  standard?: number,
): void => {
  const most = new Option('--limit <number>', 'print at most this many').argParser(readLimit);
  command.addOption(standard === undefined ? most : most.default(standard));
  const run = async (context: Context, options: O & ListOptions & CommonOptions): Promise<undefined> => {
    const { json = false, limit = Number.POSITIVE_INFINITY } = options;
    const text = textOf(await work(context, options), { json, limit }, (count, isWhole) => {
      if (json) return;
      if (count === 0) note('Nothing matches.');
      if (!isWhole) note(`There are more than ${count}. Give a higher --limit to see them.`);
    });
    await writeAll(text);
    return undefined;
  };
  runs(command, run, { json: 'print one JSON object per line, for machines' });
};
