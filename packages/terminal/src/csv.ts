import { pipeline } from 'node:stream/promises';

/** The longest row, in characters. Without a limit, a quote that does not end would read the whole file into memory. */
const MAX_ROW = 1_048_576;
/** The longest first line in which the separator is looked for, in characters. */
const MAX_HEAD = 65_536;

/** The content of a CSV file is wrong. The message begins with the place in the file, and quotes no cell. */
export class CsvProblem extends Error {
  override readonly name = 'CsvProblem';
}

/** What a CSV file has beside its rows. */
export type CsvLayout = { separator: string; emptyColumns: number; emptyRows: number };

/** What the columns of a CSV file are. */
export type CsvColumns = {
  /** Whether the name of a column is known. The separator with the most known names is the right one. */
  isKnown(name: string): boolean;
  /**
   * The field of a column; undefined for a column that is ignored.
   *
   * @throws the error of the program for a name that is not known
   */
  fieldOf(name: string): string | undefined;
};

/** A row: the line in which it begins, how many bytes were read up to its end, and its cells by field, or what is wrong. */
export type CsvRow = { line: number; end: number } & (
  | { cells: Record<string, string> }
  | { problem: string }
);

const LINE_BREAK = /\r\n|\r|\n/;
const SEPARATORS = [',', ';', '\t'] as const;

/** The first line of a CSV file that has names, its number, and the separator that a line `sep=;` before it names. */
type Head = { line: number; names: string; given: string | undefined };

const headOf = async (text: AsyncIterable<string>): Promise<Head> => {
  let begin = '';
  for await (const part of text) {
    begin += part;
    if (begin.length > MAX_HEAD) break;
  }
  const lines = begin.replace(/^\ufeff/, '').split(LINE_BREAK);
  // Excel reads the separator from such a line, and other programs write it for Excel.
  const isSeparator = (line: string): boolean => /^"?sep=(.)"?$/i.test(line.replace(/^\ufeff/, ''));
  const hasCells = (line: string): boolean => /[^,;\t "]/.test(line);
  const index = lines.findIndex((line) => hasCells(line) && !isSeparator(line));
  const [, given] = /sep=(.)/i.exec(lines.slice(0, Math.max(0, index)).find(isSeparator) ?? '') ?? [];
  return { line: Math.max(0, index) + 1, names: lines[index] ?? '', given };
};

/** The names in a line, without their quotes. */
const namesIn = (line: string, separator: string): string[] =>
  line.split(separator).map((cell) =>
    cell
      .replace(/^\ufeff/, '')
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .trim(),
  );

/**
 * The character between the cells of a CSV file: the one with the most known columns in the first line, and of these the
 * one with the most columns. Excel writes semicolons where a comma separates decimals.
 */
const separatorOf = ({ names, given }: Head, { isKnown }: CsvColumns): string => {
  const [best = ','] = SEPARATORS.toSorted((one, other) => {
    const [here, there] = [namesIn(names, one), namesIn(names, other)];
    return there.filter(isKnown).length - here.filter(isKnown).length || there.length - here.length;
  });
  return given !== undefined && namesIn(names, given).some(isKnown) ? given : best;
};

/** What is wrong with a file that the parser refuses, by the code of its error. */
const PARSER_PROBLEMS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'begins a quote that does not end',
  CSV_INVALID_CLOSING_QUOTE: 'has text after a quoted cell. Write a quote within a cell twice',
  INVALID_OPENING_QUOTE:
    'has a quote in a cell without quotes. Put the cell in quotes, and write its own quotes twice',
  CSV_MAX_RECORD_SIZE: 'is too long, or begins a quote that does not end',
};
const OTHER_COUNT = 'has more or fewer cells than the first line';

/** The field of a column; `ignored` for one that is no field; `empty` for one without a name. */
type Column = { field: string } | 'ignored' | 'empty';

const columnsOf = (names: readonly string[], { fieldOf }: CsvColumns): Column[] => {
  const columns = names.map((each): Column => {
    const name = each.trim();
    if (name === '') return 'empty';
    const field = fieldOf(name);
    return field === undefined ? 'ignored' : { field };
  });
  const fields = columns.flatMap((column) => (typeof column === 'object' ? [column.field] : []));
  const twice = fields.find((name, index) => fields.indexOf(name) !== index);
  if (twice !== undefined) throw new CsvProblem(`has the column ${twice} twice.`);
  return columns;
};

const isBlank = (cell: string): boolean => cell.trim() === '';

/** The cells of a row by their fields, or what is wrong: a value without a column, or another number of cells. */
const cellsOf = (
  columns: readonly Column[],
  cells: readonly string[],
): { cells: Record<string, string> } | { problem: string } => {
  const named: Record<string, string> = {};
  for (const [index, cell] of cells.entries()) {
    const column = columns[index];
    if (typeof column === 'object') named[column.field] = cell;
    else if (column === 'empty' && !isBlank(cell))
      return {
        problem: `has a value in column ${index + 1}, which has no name in the first line. Name the column`,
      };
  }
  // Excel ends each row with the separators of empty columns, and not always with the same number of them.
  const isMore = !cells.slice(columns.length).every(isBlank);
  const isLess = columns.slice(cells.length).some((column) => column !== 'empty');
  return isMore || isLess ? { problem: OTHER_COUNT } : { cells: named };
};

/**
 * Cuts a text behind its line breaks. The parser drops what nobody has read yet when it meets an error. So it gets a line only
 * when the row before was read, and an error is in the row after the last one.
 */
async function* cutIntoLines(text: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const part of text) {
    let begin = 0;
    for (let end = part.indexOf('\n') + 1; end > 0; end = part.indexOf('\n', begin) + 1) {
      yield part.slice(begin, end);
      begin = end;
    }
    if (begin < part.length) yield part.slice(begin);
  }
}

/**
 * The rows of a CSV file that have a value.
 *
 * @param open the text of the file, from its beginning
 * @param layout receives what the file has beside its rows
 * @throws {CsvProblem} if the file cannot be read on; the errors of `open` and of `columns`
 */
export async function* readCsv(
  open: () => AsyncIterable<string>,
  columns: CsvColumns,
  layout: CsvLayout = { separator: ',', emptyColumns: 0, emptyRows: 0 },
): AsyncGenerator<CsvRow, void> {
  // Loaded only here, because most commands do not need it.
  const { parse } = await import('csv-parse');
  const head = await headOf(open());
  layout.separator = separatorOf(head, columns);
  // The parser passes the last option on to its stream.
  const options = {
    bom: true,
    raw: true,
    info: true,
    delimiter: layout.separator,
    from_line: head.line,
    relax_column_count: true,
    max_record_size: MAX_ROW,
    readableHighWaterMark: 1,
  };
  const parser = parse(options);
  // The parser is destroyed with the error of the text, and the loop below throws it.
  const fed = pipeline(cutIntoLines(open()), parser).catch(() => {});
  let known: Column[] | undefined;
  // The parser's own count is wrong if a quoted cell contains CR LF.
  let next = head.line;
  type Parsed = { record: string[]; raw: string; info: { bytes: number } };
  try {
    for await (const { record, raw, info } of parser as AsyncIterable<Parsed>) {
      if (known === undefined) {
        known = columnsOf(
          record.map((name) => name.replace(/^\ufeff/, '')),
          columns,
        );
        layout.emptyColumns = known.filter((column) => column === 'empty').length;
        next = head.line + 1;
        continue;
      }
      const line = next;
      next += raw.split(LINE_BREAK).length - 1;
      if (!record.every(isBlank)) yield { line, end: info.bytes, ...cellsOf(known, record) };
      // A line without any character is no row.
      else if (record.length > 1 || record[0] !== '') layout.emptyRows++;
    }
    await fed;
  } catch (error) {
    const { code = '' } = Object(error) as { code?: string };
    // The parser's message is not used, because it may quote the text.
    if (/^CSV_|^INVALID_/.test(code))
      throw new CsvProblem(`line ${next} ${PARSER_PROBLEMS[code] ?? 'is not CSV'}.`);
    throw error;
  }
}
