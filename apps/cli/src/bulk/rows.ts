import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { openInput, wideEncodingOf } from '@chairside/terminal';
import { CliError, UsageError } from '../failure.ts';
import { type Flag, kebab, readText } from '../flags/flags.ts';
import { unguarded } from '../output/formulas.ts';
import type { Encoding } from './encodings.ts';
import type { Writes } from './writes.ts';

/**
 * A record of a file: its fields, and the line in which it begins. The record of a CSV file also has its cells as they are
 * in the file.
 */
export type InputRow = { line: number; body: Record<string, unknown>; cells?: Record<string, string> };

/**
 * A file of records. `path` is its name in messages, and the files beside it begin with this name; `source` is the file to
 * read, which is a copy if the input was a stream.
 */
export type InputFile = { path: string; source: string; format: 'csv' | 'ndjson'; encoding: Encoding };

const formatOfName = (path: string): InputFile['format'] | undefined => {
  if (/\.csv$/i.test(path)) return 'csv';
  return /\.(ndjson|jsonl)$/i.test(path) ? 'ndjson' : undefined;
};

/** The format of a stream without a name: an object in its first line is JSON. */
const formatOfText = async (source: string, encoding: Encoding): Promise<InputFile['format']> => {
  for await (const part of textOf({ path: 'stdin', source, encoding })) {
    const begin = part.replace(/^\ufeff/, '').trimStart();
    if (begin !== '') return begin.startsWith('{') ? 'ndjson' : 'csv';
  }
  return 'csv';
};

/**
 * Opens a file of records, or a stream, such as `-` for stdin. The files beside a stream are in the current folder, under
 * a name that follows from its content, so that a repeated run with the same content continues.
 *
 * @returns the file, and a function that removes the copy of a stream
 * @throws {UsageError} if the name of a file has none of the known extensions
 */
export const openInputFile = async (
  path: string,
  encoding: Encoding = 'utf-8',
): Promise<{ file: InputFile; discard(): Promise<void> }> => {
  const named = formatOfName(path);
  const { source, streamHash, discard } = await openInput(path);
  try {
    if (streamHash === undefined) {
      if (named !== undefined) return { file: { path, source, format: named, encoding }, discard };
      throw new UsageError(`${path}: the name must end in .csv, .ndjson or .jsonl.`);
    }
    const format = named ?? (await formatOfText(source, encoding));
    const name = `stdin-${streamHash.slice(0, 16)}.${format}`;
    return { file: { path: name, source, format, encoding }, discard };
  } catch (error) {
    await discard();
    throw error;
  }
};

const hasMark = (bytes: Buffer): boolean => bytes.subarray(0, 3).equals(Buffer.from('\ufeff'));

/** How many bytes show the encoding of a file. */
const BEGIN_BYTES = 4;

/** The text of the file in parts. @throws {UsageError} if the bytes do not have the encoding of the file */
async function* textOf({ path, source, encoding }: Omit<InputFile, 'format'>): AsyncGenerator<string> {
  let decoder = new TextDecoder(encoding, { fatal: true });
  const decode = (bytes?: Uint8Array): string => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw new UsageError(
        `${path}: is not UTF-8. If Excel has saved it as "CSV", add --encoding windows-1252. Or save it as "CSV UTF-8".`,
      );
    }
  };
  let isBegin = true;
  for await (const chunk of createReadStream(source)) {
    const wide = isBegin ? wideEncodingOf((chunk as Buffer).subarray(0, BEGIN_BYTES)) : undefined;
    if (wide !== undefined)
      throw new UsageError(
        `${path}: is ${wide}, as Excel saves "Unicode Text". Save it as "CSV UTF-8", or convert it, for example with: iconv -f ${wide} -t UTF-8.`,
      );
    // A file says itself that it is UTF-8, such as that of the refused rows of one that is not.
    if (isBegin && hasMark(chunk as Buffer)) decoder = new TextDecoder('utf-8', { fatal: true });
    isBegin = false;
    yield decode(chunk as Buffer);
  }
  yield decode();
}

/** The field of a column. @throws {UsageError} for an unknown column */
const fieldOf = (flags: readonly Flag[], column: string, path: string): Flag => {
  const flag = flags.find(({ name }) => name === column || kebab(name) === column);
  if (flag !== undefined) return flag;
  throw new UsageError(
    `${path}: there is no field ${JSON.stringify(column)}. Columns can be ${flags.map(({ name }) => name).join(', ')}.`,
  );
};

/** The columns of a file of refused rows that are no fields. They are ignored when the file is read. */
export const REFUSED_COLUMNS = ['_line', '_reason', '_requestId'] as const;
const isRefusedColumn = (name: string): boolean => (REFUSED_COLUMNS as readonly string[]).includes(name);

const LINE_BREAK = /\r\n|\r|\n/;
const SEPARATORS = [',', ';', '\t'] as const;
/** The longest first line in which the separator is looked for, in characters. */
const MAX_HEAD = 65_536;

/** The first line of a CSV file that has names, its number, and the separator that a line `sep=;` before it names. */
type Head = { line: number; names: string; given: string | undefined };

const headOf = async (file: InputFile): Promise<Head> => {
  let text = '';
  for await (const part of textOf(file)) {
    text += part;
    if (text.length > MAX_HEAD) break;
  }
  const lines = text.replace(/^\ufeff/, '').split(LINE_BREAK);
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
const separatorOf = ({ names, given }: Head, flags: readonly Flag[]): string => {
  const isField = (column: string): boolean =>
    isRefusedColumn(column) || flags.some(({ name }) => name === column || kebab(name) === column);
  const [best = ','] = SEPARATORS.toSorted((one, other) => {
    const [here, there] = [namesIn(names, one), namesIn(names, other)];
    return there.filter(isField).length - here.filter(isField).length || there.length - here.length;
  });
  return given !== undefined && namesIn(names, given).some(isField) ? given : best;
};

/** What is wrong with a file that the parser refuses, by the code of its error. */
const PARSER_PROBLEMS: Readonly<Record<string, string>> = {
  CSV_RECORD_INCONSISTENT_COLUMNS: 'has more or fewer cells than the first line',
  CSV_QUOTE_NOT_CLOSED: 'begins a quote that does not end',
  CSV_INVALID_CLOSING_QUOTE: 'has text after a quoted cell. Write a quote within a cell twice',
  INVALID_OPENING_QUOTE:
    'has a quote in a cell without quotes. Put the cell in quotes, and write its own quotes twice',
  CSV_MAX_RECORD_SIZE: 'is too long',
};

/** The field of a column; `ignored` for one that is no field; `empty` for one without a name. */
type Column = { field: string } | 'ignored' | 'empty';

const columnsOf = (names: readonly string[], flags: readonly Flag[], path: string): Column[] => {
  const columns = names.map((each): Column => {
    const name = each.trim();
    if (name === '') return 'empty';
    return isRefusedColumn(name) ? 'ignored' : { field: fieldOf(flags, name, path).name };
  });
  const fields = columns.flatMap((column) => (typeof column === 'object' ? [column.field] : []));
  const twice = fields.find((name, index) => fields.indexOf(name) !== index);
  if (twice !== undefined) throw new UsageError(`${path}: has the column ${twice} twice.`);
  return columns;
};

/** What a CSV file has beside its rows. */
export type Layout = { separator: string; emptyColumns: number; emptyRows: number };

/**
 * The cells of a row by their fields; undefined if all of them are empty.
 *
 * @throws {UsageError} if the row has another number of cells than the first line, or a value in a column without a name
 */
const cellsOf = (
  columns: readonly Column[],
  cells: readonly string[],
  place: string,
): Record<string, string> | undefined => {
  if (cells.every((cell) => cell.trim() === '')) return undefined;
  const named: Record<string, string> = {};
  for (const [index, cell] of cells.entries()) {
    const column = columns[index];
    if (typeof column === 'object') named[column.field] = cell;
    else if (column === 'empty' && cell.trim() !== '')
      throw new UsageError(
        `${place} has a value in column ${index + 1}, which has no name in the first line. Name the column.`,
      );
  }
  // Excel ends each row with the separators of empty columns, and not always with the same number of them.
  const isMore = cells.slice(columns.length).some((cell) => cell.trim() !== '');
  if (isMore || columns.slice(cells.length).some((column) => column !== 'empty'))
    throw new UsageError(`${place} ${PARSER_PROBLEMS.CSV_RECORD_INCONSISTENT_COLUMNS}.`);
  return named;
};

async function* csvRows(
  file: InputFile,
  flags: readonly Flag[],
  layout: Layout = { separator: ',', emptyColumns: 0, emptyRows: 0 },
): AsyncGenerator<InputRow> {
  const { path } = file;
  const { parse } = await import('csv-parse');
  const head = await headOf(file);
  layout.separator = separatorOf(head, flags);
  const parser = parse({
    bom: true,
    skip_empty_lines: true,
    raw: true,
    delimiter: layout.separator,
    from_line: head.line,
    relax_column_count: true,
  });
  const byName = new Map(flags.map((flag) => [flag.name, flag]));
  const fed = pipeline(textOf(file), parser).catch(() => {});
  let columns: Column[] | undefined;
  // The parser's own count is wrong if a quoted cell contains CR LF.
  let line = head.line;
  let next = line;
  try {
    for await (const { record, raw } of parser as AsyncIterable<{ record: string[]; raw: string }>) {
      // The text of a record begins with the empty lines that were skipped before it.
      const [empty = ''] = /^[\r\n]*/.exec(raw) ?? [];
      line = next + (columns === undefined ? 0 : empty.split(LINE_BREAK).length - 1);
      if (columns === undefined) {
        columns = columnsOf(
          record.map((name) => name.replace(/^\ufeff/, '')),
          flags,
          path,
        );
        layout.emptyColumns = columns.filter((column) => column === 'empty').length;
        next = head.line + 1;
        continue;
      }
      next += raw.split(LINE_BREAK).length - 1;
      const cells = cellsOf(columns, record, `${path}: line ${line}`);
      if (cells === undefined) {
        layout.emptyRows++;
        continue;
      }
      const body = Object.fromEntries(
        // The field of an empty cell is left out.
        Object.entries(cells).flatMap(([name, cell]) =>
          cell.trim() === '' ? [] : [[name, readText(byName.get(name) as Flag, unguarded(cell))]],
        ),
      );
      yield { line, body, cells };
    }
    await fed;
  } catch (error) {
    if (error instanceof CliError) throw error;
    const { code = '', message } = Object(error) as { code?: string; message?: string };
    // The parser's message is not used, because it may quote the text.
    if (/^CSV_|^INVALID_/.test(code))
      throw new UsageError(`${path}: line ${next} ${PARSER_PROBLEMS[code] ?? 'is not CSV'}.`);
    if (code.startsWith('commander.')) throw new UsageError(`${path}: line ${line}: ${message}`);
    throw error;
  }
}

/** The record of a line. A line of a file of refused rows contains the record, the reason and more. */
const recordOf = (value: Record<string, unknown>): Record<string, unknown> => {
  const { record, reason, line } = value;
  const isRefused = typeof reason === 'string' && typeof line === 'number';
  return isRefused && typeof record === 'object' && record !== null ? { ...record } : value;
};

/** As in a CSV file, a field without a value is left out. */
const withoutEmptyTexts = (record: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== ''));

async function* ndjsonRows(file: InputFile): AsyncGenerator<InputRow> {
  const { path } = file;
  let line = 0;
  let rest = '';
  const readLine = (text: string): InputRow | undefined => {
    line++;
    if (text.trim() === '') return undefined;
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      throw new UsageError(`${path}: line ${line} is not JSON.`);
    }
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      throw new UsageError(`${path}: line ${line} is not a JSON object.`);
    return { line, body: withoutEmptyTexts(recordOf(body as Record<string, unknown>)) };
  };
  for await (const part of textOf(file)) {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) {
      const read = readLine(text);
      if (read !== undefined) yield read;
    }
  }
  const last = readLine(rest);
  if (last !== undefined) yield last;
}

/**
 * The rows of a file.
 *
 * @param layout receives what a CSV file has beside its rows
 * @throws {UsageError} if the content is not UTF-8, is malformed, or has an unknown column
 */
export const rowsOf = (file: InputFile, flags: readonly Flag[], layout?: Layout): AsyncGenerator<InputRow> =>
  file.format === 'csv' ? csvRows(file, flags, layout) : ndjsonRows(file);

/** SHA-256 of the file, in hexadecimal. */
export const hashOf = async ({ source }: InputFile): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(source), hash);
  return hash.digest('hex');
};

/** The number of rows of a file, and of those without a value for `name`, if the records have this field. */
export type Checked = { total: number; nameless: number | undefined; layout: Layout };

/**
 * Reads and checks the whole file.
 *
 * @throws {UsageError} if the file is malformed or has no rows, or if a row has no value for a field that it needs
 */
export const checkFile = async (
  file: InputFile,
  { flags, needed }: Pick<Writes, 'flags' | 'needed'>,
): Promise<Checked> => {
  let total = 0;
  let nameless = 0;
  const layout: Layout = { separator: ',', emptyColumns: 0, emptyRows: 0 };
  for await (const { line, body } of rowsOf(file, flags, layout)) {
    total++;
    if (body.name === undefined) nameless++;
    const missing = needed.filter((names) => names.every((name) => (body[name] ?? undefined) === undefined));
    if (missing.length > 0)
      throw new UsageError(
        `${file.path}: line ${line} has no ${missing.map((names) => names.join(' or ')).join(' and no ')}.`,
      );
  }
  if (total === 0) throw new UsageError(`${file.path}: has no rows.`);
  const hasNames = flags.some(({ name }) => name === 'name');
  return { total, nameless: hasNames ? nameless : undefined, layout };
};
