import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { CliError, UsageError } from '../failure.ts';
import { type Flag, kebab, readText } from '../flags/flags.ts';
import { unguarded } from '../output/formulas.ts';
import type { Encoding } from './encodings.ts';

/**
 * A record of a file: its fields, and the line in which it begins. The record of a CSV file also has its cells as they are
 * in the file.
 */
export type InputRow = { line: number; body: Record<string, unknown>; cells?: Record<string, string> };

/** The path and the format of a file of records. */
export type InputFile = { path: string; format: 'csv' | 'ndjson'; encoding: Encoding };

/** @throws {UsageError} if the name has none of the known extensions */
export const inputFileOf = (path: string, encoding: Encoding = 'utf-8'): InputFile => {
  if (/\.csv$/i.test(path)) return { path, format: 'csv', encoding };
  if (/\.(ndjson|jsonl)$/i.test(path)) return { path, format: 'ndjson', encoding };
  throw new UsageError(`${path}: the name must end in .csv, .ndjson or .jsonl.`);
};

/** The text of the file in parts. @throws {UsageError} if the bytes do not have the encoding of the file */
async function* textOf({ path, encoding }: InputFile): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const decode = (bytes?: Uint8Array): string => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw new UsageError(
        `${path}: is not UTF-8. If Excel has saved it as "CSV", add --encoding windows-1252. Or save it as "CSV UTF-8".`,
      );
    }
  };
  for await (const chunk of createReadStream(path)) yield decode(chunk as Buffer);
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

/** The first line of a file that is not empty, and its number. */
export const headOf = async (file: InputFile): Promise<{ head: string; line: number }> => {
  let text = '';
  for await (const part of textOf(file)) {
    text += part;
    if (/[^\r\n\ufeff][\r\n]/.test(text) || text.length > MAX_HEAD) break;
  }
  const lines = text.replace(/^\ufeff/, '').split(LINE_BREAK);
  const index = Math.max(
    0,
    lines.findIndex((line) => line !== ''),
  );
  return { head: lines[index] ?? '', line: index + 1 };
};

/**
 * The character between the cells of a CSV file: a comma, or a semicolon or a tab if the first line then has known fields
 * only. Excel writes semicolons where a comma separates decimals.
 */
export const separatorOf = (head: string, flags: readonly Flag[]): string => {
  const isField = (cell: string): boolean => {
    const column = cell.replace(/^"(.*)"$/, '$1').trim();
    return isRefusedColumn(column) || flags.some(({ name }) => name === column || kebab(name) === column);
  };
  return SEPARATORS.find((separator) => head.split(separator).every(isField)) ?? ',';
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

/** The fields of the columns; undefined for a column that is ignored. */
const columnsOf = (
  names: readonly string[],
  flags: readonly Flag[],
  path: string,
): (string | undefined)[] => {
  const columns = names.map((name) =>
    isRefusedColumn(name.trim()) ? undefined : fieldOf(flags, name.trim(), path).name,
  );
  const twice = columns.find((name, index) => name !== undefined && columns.indexOf(name) !== index);
  if (twice !== undefined) throw new UsageError(`${path}: has the column ${twice} twice.`);
  return columns;
};

async function* csvRows(file: InputFile, flags: readonly Flag[]): AsyncGenerator<InputRow> {
  const { path } = file;
  const { parse } = await import('csv-parse');
  const begin = await headOf(file);
  const parser = parse({
    bom: true,
    skip_empty_lines: true,
    raw: true,
    delimiter: separatorOf(begin.head, flags),
    columns: (names: string[]) => columnsOf(names, flags, path).map((name) => name ?? false),
  });
  const byName = new Map(flags.map((flag) => [flag.name, flag]));
  const fed = pipeline(textOf(file), parser).catch(() => {});
  // The parser's own count is wrong if a quoted cell contains CR LF.
  let line = begin.line + 1;
  let next = line;
  try {
    for await (const { record: cells, raw } of parser as AsyncIterable<{
      record: Record<string, string>;
      raw: string;
    }>) {
      // The text of a record begins with the empty lines that were skipped before it.
      const [empty = ''] = /^[\r\n]*/.exec(raw) ?? [];
      line = next + empty.split(LINE_BREAK).length - 1;
      next += raw.split(LINE_BREAK).length - 1;
      const body = Object.fromEntries(
        // The field of an empty cell is left out.
        Object.entries(cells).flatMap(([name, cell]) =>
          cell === '' ? [] : [[name, readText(byName.get(name) as Flag, unguarded(cell))]],
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
    return { line, body: recordOf(body as Record<string, unknown>) };
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
 * @throws {UsageError} if the content is not UTF-8, is malformed, or has an unknown column
 */
export const rowsOf = (file: InputFile, flags: readonly Flag[]): AsyncGenerator<InputRow> =>
  file.format === 'csv' ? csvRows(file, flags) : ndjsonRows(file);

/** SHA-256 of the file, in hexadecimal. */
export const hashOf = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
};

/** The number of rows of a file, and of those without a value for `name`, if the records have this field. */
export type Checked = { total: number; nameless: number | undefined };

/**
 * Reads and checks the whole file.
 *
 * @throws {UsageError} if the file is malformed or has no rows, or if a row has no value for a required field
 */
export const checkFile = async (file: InputFile, flags: readonly Flag[]): Promise<Checked> => {
  const required = flags.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  let total = 0;
  let nameless = 0;
  for await (const { line, body } of rowsOf(file, flags)) {
    total++;
    if (body.name === undefined) nameless++;
    const missing = required.filter((name) => body[name] === undefined);
    if (missing.length > 0)
      throw new UsageError(`${file.path}: line ${line} has no ${missing.join(' and no ')}.`);
  }
  if (total === 0) throw new UsageError(`${file.path}: has no rows.`);
  return { total, nameless: flags.some(({ name }) => name === 'name') ? nameless : undefined };
};
