import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { instant } from '@chairside/domain';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { answers, type CommonOptions, type Context } from './command.ts';

/** The most rows that can be asked for. */
const MAX_LIMIT = 1_000_000;

/** A value as a line of a terminal can show it: a name may hold characters that move the cursor. */
const shown = (value: string): string =>
  value.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });

/** The columns of a line; one without a value is left out. */
export const lineOf = (...columns: readonly (string | number | undefined)[]): string =>
  columns
    .filter((column) => column !== undefined && column !== '')
    .map((column) => shown(String(column)))
    .join('  ');

const readLimit = (given: string): number => {
  const limit = Number(given);
  if (/^\d+$/.test(given) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new InvalidArgumentError(`It must be a number from 1 to ${MAX_LIMIT}.`);
};

const readTime = (given: string): Date => {
  const parsed = instant.safeParse(given);
  if (parsed.success) return new Date(parsed.data);
  throw new InvalidArgumentError(
    'It must be an ISO 8601 instant with Z or an offset, such as 2030-01-31T09:30:00Z.',
  );
};

/** An option whose value is a time. */
export const timeOption = (flags: string, description: string): Option =>
  new Option(flags, description).argParser(readTime);

export type ListOptions = { limit?: number };

/** What a list has: its rows, and a row as lines for people. */
type Rows<R> = { rows: AsyncIterable<R>; linesOf: (row: R) => readonly string[] };

/** The rows as text, part by part; nothing is read before the part before has been taken. */
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
 * Makes a command a list: adds `--limit` and `--json`, which prints one object a line, and prints the rows as they are
 * read. What is to be said about them goes to stderr.
 *
 * @param standard the limit without the option; all rows by default
 */
export const lists = <O extends object, R>(
  command: Command,
  work: (context: Context, options: O) => Promise<Rows<R>>,
  standard?: number,
): void => {
  const most = new Option('--limit <number>', 'print at most so many').argParser(readLimit);
  command.addOption(standard === undefined ? most : most.default(standard));
  const run = async (context: Context, options: O & ListOptions & CommonOptions): Promise<undefined> => {
    const { json = false, limit = Number.POSITIVE_INFINITY } = options;
    const text = textOf(await work(context, options), { json, limit }, (count, isWhole) => {
      if (json) return;
      if (count === 0) process.stderr.write('Nothing matches.\n');
      if (!isWhole)
        process.stderr.write(`There are more than ${count}. Give a higher --limit to see them.\n`);
    });
    await pipeline(Readable.from(text), process.stdout, { end: false });
    return undefined;
  };
  answers(command, run, 'print one JSON object a line, for machines');
};
