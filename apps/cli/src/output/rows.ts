import { styleText } from 'node:util';
import { guarded, shown } from '@chairside/terminal';
import { type Command, Option } from 'commander';
import { UsageError } from '../failure.ts';
import { jsonOf } from './json.ts';
import { say, write } from './stdout.ts';

export const FORMATS = ['table', 'json', 'ndjson', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

/** The options of every command that prints records. */
export type OutputOptions = { output?: Format; fields?: string[]; raw?: boolean };

export type Row = Readonly<Record<string, unknown>>;

/** The columns that a list can show. */
export type Columns = {
  /** The columns of a table. */
  shown: readonly string[];
  /** All columns, for CSV and `--fields`. */
  all: readonly string[];
  /** The codes of some columns in words, for a table. */
  words?: Words | undefined;
};

/** The words for the codes of a column, by the name of the column. A code without words is shown as it is. */
export type Words = Readonly<Record<string, Readonly<Record<string, string>>>>;

const worded = (name: string, value: unknown, words: Words): unknown =>
  typeof value === 'string' ? (words[name]?.[value] ?? value) : value;

const names = (value: string): string[] => value.split(',').map((name) => name.trim());

/** Adds `--output`, `--fields` and `--raw`. */
export const addOutputOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('-o, --output <format>', 'table on a terminal, ndjson elsewhere').choices([...FORMATS]),
    )
    .addOption(new Option('--fields <names>', 'only these fields, separated by commas').argParser(names))
    .option('--raw', 'CSV without the apostrophe in front of cells that a spreadsheet takes for a formula');

export const formatOf = ({ output }: OutputOptions): Format =>
  output ?? (process.stdout.isTTY ? 'table' : 'ndjson');

/** @throws {UsageError} for a field that does not exist */
const checkFields = ({ fields }: OutputOptions, { all }: Columns): void => {
  const unknown = fields?.filter((field) => !all.includes(field)) ?? [];
  if (unknown.length > 0)
    throw new UsageError(
      `--fields: unknown ${unknown.map((name) => JSON.stringify(name)).join(', ')}. Fields are ${all.join(', ')}.`,
    );
};

const select = (row: Row, fields: readonly string[] | undefined): Row =>
  fields === undefined
    ? row
    : Object.fromEntries(fields.flatMap((field) => (row[field] === undefined ? [] : [[field, row[field]]])));

const cellOf = (value: unknown): string => {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

/** The maximum width of a cell of text, in columns of the terminal. Ids and times may be wider. */
const MAX_CELL = 60;
/** A column of text is not cut to less than this width, in columns of the terminal. */
const MIN_CELL = 12;
/** Matches text whose width on a terminal is its number of characters. */
const ASCII = /^[ -~]*$/;
const GAP = 2;
/** The width of a table if stdout is not a terminal. */
const DEFAULT_WIDTH = 200;
const ISO_TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{3}Z$/;

/** The text of a table's cell: one line, and times to the second. */
const shownCell = (value: unknown): string => {
  if (typeof value === 'object' && value !== null) {
    const values: unknown[] = Object.values(value);
    if (values.every((each) => typeof each !== 'object'))
      return shown(values.join(Array.isArray(value) ? ', ' : ' '));
  }
  return shown(cellOf(value).replace(ISO_TIME, '$1Z'));
};

/** Whether the cells of a column are never cut. This applies to times, and to ids, because people copy ids. */
const isWhole = (column: string): boolean => /(id|time)$/i.test(column);

/**
 * Chooses the columns that fit into a width. It leaves out the last columns until the others, with their text cut as
 * far as possible, fit or only one is left. Then it cuts the text only as far as necessary.
 *
 * @param widthOf returns the number of terminal columns that a text takes
 * @returns the columns with their widths in columns of the terminal
 */
export const layoutOf = (
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  available: number,
  widthOf: (text: string) => number,
): [column: string, width: number][] => {
  const wanted = columns.map((name, index): [string, number] => {
    const widest = Math.max(name.length, ...rows.map((row) => widthOf(row[index] ?? '')));
    return [name, isWhole(name) ? widest : Math.min(MAX_CELL, widest)];
  });
  const leastOf = ([name, width]: readonly [string, number]) =>
    isWhole(name) ? width : Math.min(MIN_CELL, width);
  const total = (widths: readonly number[]) => widths.reduce((sum, width) => sum + width + GAP, -GAP);
  while (wanted.length > 1 && total(wanted.map(leastOf)) > available) wanted.pop();
  for (let over = total(wanted.map(([, width]) => width)) - available; over > 0; over--) {
    const widest = wanted
      .filter((column) => column[1] > leastOf(column))
      .reduce<[string, number] | undefined>((a, b) => (a === undefined || b[1] > a[1] ? b : a), undefined);
    if (widest !== undefined) widest[1]--;
  }
  return wanted;
};

/**
 * Formats pages as parts of one table. The first page with rows decides the layout. The cells are cut and padded here, because a
 * library for tables took 40 times as long: half a minute of CPU time for 100,000 rows.
 */
const tablePrinter = async (columns: readonly string[], words: Words) => {
  const [{ default: widthOfText }, { default: truncate }] = await Promise.all([
    import('string-width'),
    import('cli-truncate'),
  ]);
  const widthOf = (text: string): number => (ASCII.test(text) ? text.length : widthOfText(text));
  const fitted = (text: string, width: number): string => {
    const cut = widthOf(text) > width ? truncate(text, width) : text;
    return cut + ' '.repeat(width - widthOf(cut));
  };
  let layout: [column: string, width: number][] | undefined;
  const lineOf = (cells: readonly string[], style = (text: string) => text): string =>
    `${(layout ?? []).map(([, width], index) => style(fitted(cells[index] ?? '', width))).join(' '.repeat(GAP))}\n`;

  return (rows: readonly Row[]): string => {
    const cells = rows.map((row) => columns.map((name) => shownCell(worded(name, row[name], words))));
    // A page may have no rows although more follow.
    if (cells.length === 0) return '';
    const isFirst = layout === undefined;
    if (layout === undefined) {
      layout = layoutOf(columns, cells, process.stdout.columns ?? DEFAULT_WIDTH, widthOf);
      const left = columns.slice(layout.length);
      if (left.length > 0)
        say(
          `Columns that do not fit: ${left.join(', ')}. Widen the terminal, or choose columns with --fields.`,
        );
    }
    const bold = (text: string) => styleText('bold', text, { stream: process.stdout });
    const head = isFirst ? lineOf(columns, bold) : '';
    return head + cells.map((row) => lineOf(row)).join('');
  };
};

/** How CSV is written. */
export const CSV_STYLE = {
  record_delimiter: '\r\n',
  // By default, a cell with a lone LF or CR is not quoted. It would begin a new row, perhaps with a formula.
  quoted_match: /[\r\n]/,
};

/** Formats rows as CSV. On a terminal, control characters are escaped. */
const csvPrinter = async (columns: readonly string[], raw: boolean) => {
  const { stringify } = await import('csv-stringify/sync');
  const textOf = (value: unknown): string => {
    const text = process.stdout.isTTY ? shown(cellOf(value)) : cellOf(value);
    return raw ? text : guarded(text);
  };
  let isFirst = true;
  return (rows: readonly Row[]): string => {
    const cells = rows.map((row) => columns.map((name) => textOf(row[name])));
    const text = stringify(isFirst ? [[...columns], ...cells] : cells, CSV_STYLE);
    isFirst = false;
    return text;
  };
};

const jsonPrinter = () => {
  let isFirst = true;
  return (rows: readonly Row[]): string => {
    const text = rows.map((row) => jsonOf(row)).join(',\n');
    if (text === '') return '';
    const separator = isFirst ? '' : ',\n';
    isFirst = false;
    return separator + text;
  };
};

const ndjsonPrinter =
  () =>
  (rows: readonly Row[]): string =>
    rows.map((row) => `${jsonOf(row)}\n`).join('');

/**
 * Prints rows as they arrive.
 *
 * @param pages a page is requested when the previous page has been printed
 */
export const printRows = async (
  pages: AsyncIterable<readonly Row[]>,
  options: OutputOptions,
  columns: Columns,
): Promise<void> => {
  const { fields, raw = false } = options;
  checkFields(options, columns);
  const format = formatOf(options);
  const print =
    format === 'table'
      ? await tablePrinter(fields ?? columns.shown, columns.words ?? {})
      : format === 'csv'
        ? await csvPrinter(fields ?? columns.all, raw)
        : format === 'json'
          ? jsonPrinter()
          : ndjsonPrinter();
  let count = 0;
  if (format === 'json') await write('[');
  for await (const page of pages) {
    count += page.length;
    await write(print(fields === undefined ? page : page.map((row) => select(row, fields))));
  }
  if (format === 'json') await write(']\n');
  if (format === 'csv' && count === 0) await write(print([]));
  if (format === 'table' && count === 0) say('Nothing found.');
};

/** Prints one record: on a terminal one field for each line. */
export const printRow = async (row: Row, options: OutputOptions, words: Words = {}): Promise<void> => {
  const selected = select(row, options.fields);
  switch (formatOf(options)) {
    case 'ndjson':
      return write(`${jsonOf(selected)}\n`);
    case 'json':
      return write(`${jsonOf(selected, 2)}\n`);
    case 'csv': {
      const all = Object.keys(selected);
      return write((await csvPrinter(all, options.raw ?? false))([selected]));
    }
    case 'table': {
      const entries = Object.entries(selected);
      const width = Math.max(0, ...entries.map(([name]) => name.length));
      const lines = entries.map(
        ([name, value]) =>
          `${styleText('bold', name.padEnd(width), { stream: process.stdout })}  ${shown(cellOf(worded(name, value, words)))}\n`,
      );
      return write(lines.join(''));
    }
  }
};
