import { styleText } from 'node:util';
import { type Command, Option } from 'commander';
import { UsageError } from '../failure.ts';
import { shown, write } from './stdout.ts';

export const FORMATS = ['table', 'json', 'ndjson', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

/** The options of every command that prints records. */
export type OutputOptions = { output?: Format; fields?: string[]; raw?: boolean };

export type Row = Readonly<Record<string, unknown>>;

/** What can be shown of a row. */
export type Columns = {
  /** The columns of a table. */
  shown: readonly string[];
  /** All columns, for CSV and `--fields`. */
  all: readonly string[];
};

const names = (value: string): string[] => value.split(',').map((name) => name.trim());

/** Adds `--output`, `--fields` and `--raw`. */
export const addOutputOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('-o, --output <format>', 'table on a terminal, ndjson elsewhere').choices([...FORMATS]),
    )
    .addOption(new Option('--fields <names>', 'only these fields, separated by commas').argParser(names))
    .option('--raw', 'CSV without the apostrophe in front of cells that a spreadsheet would calculate');

export const formatOf = ({ output }: OutputOptions): Format =>
  output ?? (process.stdout.isTTY ? 'table' : 'ndjson');

/** @throws {UsageError} for a field that does not exist */
export const checkFields = ({ fields }: OutputOptions, { all }: Columns): void => {
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

/** The widest cell of a table, in columns of the terminal. */
const MAX_CELL = 60;
/** Characters that take two columns: those of East Asia, and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
/** Characters that take no column: they change the one before. */
const COMBINING = /[\p{Mn}\p{Me}]/u;

const columnsOf = (character: string): number =>
  COMBINING.test(character) ? 0 : WIDE.test(character) ? 2 : 1;

const isAscii = (text: string): boolean => /^[ -~]*$/.test(text);

/** The columns that a text takes on a terminal. */
const widthOf = (text: string): number =>
  isAscii(text) ? text.length : [...text].reduce((sum, character) => sum + columnsOf(character), 0);

/** The beginning of a text that takes at most this many columns. */
const beginningOf = (text: string, width: number): string => {
  if (isAscii(text)) return text.slice(0, width);
  let beginning = '';
  let left = width;
  for (const character of text) {
    left -= columnsOf(character);
    if (left < 0) break;
    beginning += character;
  }
  return beginning;
};

/** A cell with exactly this many columns: padded, or cut off with an ellipsis. */
const fitted = (text: string, width: number): string => {
  const own = widthOf(text);
  if (own <= width) return text + ' '.repeat(width - own);
  const beginning = beginningOf(text, width - 1);
  return `${beginning}…${' '.repeat(width - 1 - widthOf(beginning))}`;
};

const lineOf = (
  cells: readonly string[],
  widths: readonly number[],
  style = (text: string): string => text,
): string =>
  cells
    .map((cell, index) => style(fitted(cell, widths[index] ?? 0)))
    .join('  ')
    .trimEnd();

/** Prints pages as parts of one table. The first page decides the widths. */
const tablePrinter = (columns: readonly string[]) => {
  let widths: number[] | undefined;

  const widthsOf = (rows: readonly string[][]): number[] => {
    const wanted = columns.map((name, index) =>
      Math.min(MAX_CELL, Math.max(name.length, ...rows.map((row) => widthOf(row[index] ?? '')))),
    );
    let over = wanted.reduce((sum, width) => sum + width + 2, 0) - (process.stdout.columns ?? 200);
    while (over > 0 && Math.max(...wanted) > 8) {
      const widest = wanted.indexOf(Math.max(...wanted));
      wanted[widest] = (wanted[widest] ?? 0) - 1;
      over--;
    }
    return wanted;
  };

  return (rows: readonly Row[]): string => {
    const cells = rows.map((row) => columns.map((name) => shown(cellOf(row[name]))));
    const isFirst = widths === undefined;
    widths ??= widthsOf(cells);
    const lines = isFirst
      ? [lineOf(columns, widths, (name) => styleText('bold', name, { stream: process.stdout }))]
      : [];
    for (const row of cells) lines.push(lineOf(row, widths));
    return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
  };
};

const csvPrinter = async (columns: readonly string[], raw: boolean) => {
  const { stringify } = await import('csv-stringify/sync');
  let isFirst = true;
  return (rows: readonly Row[]): string => {
    const cells = rows.map((row) => columns.map((name) => cellOf(row[name])));
    const text = stringify(isFirst ? [[...columns], ...cells] : cells, {
      record_delimiter: '\r\n',
      // A spreadsheet calculates a cell that begins with =, +, -, @, tab or CR.
      escape_formulas: !raw,
    });
    isFirst = false;
    return text;
  };
};

const jsonPrinter = () => {
  let isFirst = true;
  return (rows: readonly Row[]): string => {
    const text = rows.map((row) => JSON.stringify(row)).join(',\n');
    if (text === '') return '';
    const separator = isFirst ? '' : ',\n';
    isFirst = false;
    return separator + text;
  };
};

const ndjsonPrinter =
  () =>
  (rows: readonly Row[]): string =>
    rows.map((row) => `${JSON.stringify(row)}\n`).join('');

/**
 * Prints rows as they arrive.
 *
 * @param pages a page is requested when the one before has been taken
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
      ? tablePrinter(fields ?? columns.shown)
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
  if (format === 'table' && count === 0) process.stderr.write('Nothing found.\n');
};

/** Prints one record: on a terminal one field for each line. */
export const printRow = async (row: Row, options: OutputOptions): Promise<void> => {
  const selected = select(row, options.fields);
  switch (formatOf(options)) {
    case 'ndjson':
      return write(`${JSON.stringify(selected)}\n`);
    case 'json':
      return write(`${JSON.stringify(selected, null, 2)}\n`);
    case 'csv': {
      const all = Object.keys(selected);
      return write((await csvPrinter(all, options.raw ?? false))([selected]));
    }
    case 'table': {
      const entries = Object.entries(selected);
      const width = Math.max(0, ...entries.map(([name]) => name.length));
      const lines = entries.map(
        ([name, value]) =>
          `${styleText('bold', name.padEnd(width), { stream: process.stdout })}  ${shown(cellOf(value))}\n`,
      );
      return write(lines.join(''));
    }
  }
};
