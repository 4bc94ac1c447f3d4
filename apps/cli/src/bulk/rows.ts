import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import {
  type CsvLayout,
  CsvProblem,
  openInput,
  readCsv,
  unguarded,
  wideEncodingOf,
} from '@chairside/terminal';
import { UsageError } from '../failure.ts';
import { type Flag, kebab, readText } from '../flags/flags.ts';
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

const flagOf = (flags: readonly Flag[], column: string): Flag | undefined =>
  flags.find(({ name }) => name === column || kebab(name) === column);

/** The field of a column. @throws {UsageError} for an unknown column */
const fieldOf = (flags: readonly Flag[], column: string, path: string): Flag => {
  const flag = flagOf(flags, column);
  if (flag !== undefined) return flag;
  throw new UsageError(
    `${path}: there is no field ${JSON.stringify(column)}. Columns can be ${flags.map(({ name }) => name).join(', ')}.`,
  );
};

/** The columns of a file of refused rows that are no fields. They are ignored when the file is read. */
export const REFUSED_COLUMNS = ['_line', '_reason', '_requestId'] as const;
const isRefusedColumn = (name: string): boolean => (REFUSED_COLUMNS as readonly string[]).includes(name);

/** The fields of a row. The field of an empty cell is left out. */
const bodyOf = (
  cells: Readonly<Record<string, string>>,
  byName: ReadonlyMap<string, Flag>,
  place: string,
): Record<string, unknown> => {
  try {
    return Object.fromEntries(
      Object.entries(cells).flatMap(([name, cell]) =>
        cell.trim() === '' ? [] : [[name, readText(byName.get(name) as Flag, unguarded(cell))]],
      ),
    );
  } catch (error) {
    const { code = '', message } = Object(error) as { code?: string; message?: string };
    throw code.startsWith('commander.') ? new UsageError(`${place}: ${message}`) : error;
  }
};

async function* csvRows(
  file: InputFile,
  flags: readonly Flag[],
  layout?: CsvLayout,
): AsyncGenerator<InputRow> {
  const { path } = file;
  const byName = new Map(flags.map((flag) => [flag.name, flag]));
  const columns = {
    isKnown: (name: string) => isRefusedColumn(name) || flagOf(flags, name) !== undefined,
    fieldOf: (name: string) => (isRefusedColumn(name) ? undefined : fieldOf(flags, name, path).name),
  };
  try {
    for await (const row of readCsv(() => textOf(file), columns, layout)) {
      const place = `${path}: line ${row.line}`;
      if ('problem' in row) throw new UsageError(`${place} ${row.problem}.`);
      yield { line: row.line, body: bodyOf(row.cells, byName, place), cells: row.cells };
    }
  } catch (error) {
    throw error instanceof CsvProblem ? new UsageError(`${path}: ${error.message}`) : error;
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
export const rowsOf = (
  file: InputFile,
  flags: readonly Flag[],
  layout?: CsvLayout,
): AsyncGenerator<InputRow> => (file.format === 'csv' ? csvRows(file, flags, layout) : ndjsonRows(file));

/** SHA-256 of the file, in hexadecimal. */
export const hashOf = async ({ source }: InputFile): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(source), hash);
  return hash.digest('hex');
};

/** The number of rows of a file, and of those without a value for `name`, if the records have this field. */
export type Checked = { total: number; nameless: number | undefined; layout: CsvLayout };

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
  const layout: CsvLayout = { separator: ',', emptyColumns: 0, emptyRows: 0 };
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
