import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { CliError, UsageError } from '../failure.ts';
import { type Flag, kebab, readText } from '../flags/flags.ts';

/** A record of a file: its fields, and the number of its row from 1. The header of a CSV file is not counted. */
export type InputRow = { row: number; body: Record<string, unknown> };

/** The path and the format of a file of records. */
export type InputFile = { path: string; format: 'csv' | 'ndjson' };

/** @throws {UsageError} if the name has none of the known extensions */
export const inputFileOf = (path: string): InputFile => {
  if (/\.csv$/i.test(path)) return { path, format: 'csv' };
  if (/\.(ndjson|jsonl)$/i.test(path)) return { path, format: 'ndjson' };
  throw new UsageError(`${path}: the name must end in .csv, .ndjson or .jsonl.`);
};

/** The text of the file in parts. @throws {UsageError} if the bytes are not UTF-8 */
async function* textOf(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (bytes?: Uint8Array): string => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw new UsageError(`${path}: is not UTF-8. Convert the file to UTF-8.`);
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

async function* csvRows({ path }: InputFile, flags: readonly Flag[]): AsyncGenerator<InputRow> {
  const { parse } = await import('csv-parse');
  const parser = parse({
    bom: true,
    skip_empty_lines: true,
    columns: (names: string[]) => names.map((name) => fieldOf(flags, name.trim(), path).name),
  });
  const byName = new Map(flags.map((flag) => [flag.name, flag]));
  const fed = pipeline(textOf(path), parser).catch(() => {});
  let row = 0;
  try {
    for await (const cells of parser as AsyncIterable<Record<string, string>>) {
      row++;
      const body = Object.fromEntries(
        // The field of an empty cell is left out.
        Object.entries(cells).flatMap(([name, cell]) =>
          cell === '' ? [] : [[name, readText(byName.get(name) as Flag, cell)]],
        ),
      );
      yield { row, body };
    }
    await fed;
  } catch (error) {
    if (error instanceof CliError) throw error;
    const { code, lines, message } = Object(error) as { code?: string; lines?: number; message?: string };
    // The parser's message is not used, because it may quote the text.
    if (code?.startsWith('CSV_'))
      throw new UsageError(`${path}: is not CSV near line ${lines ?? '?'} (${code}).`);
    if (code?.startsWith('commander.')) throw new UsageError(`${path}: row ${row}: ${message}`);
    throw error;
  }
}

async function* ndjsonRows({ path }: InputFile): AsyncGenerator<InputRow> {
  let row = 0;
  let rest = '';
  const readLine = (line: string): InputRow | undefined => {
    row++;
    if (line.trim() === '') return undefined;
    let body: unknown;
    try {
      body = JSON.parse(line);
    } catch {
      throw new UsageError(`${path}: line ${row} is not JSON.`);
    }
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      throw new UsageError(`${path}: line ${row} is not a JSON object.`);
    return { row, body: body as Record<string, unknown> };
  };
  for await (const part of textOf(path)) {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const read = readLine(line);
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

/**
 * Reads and checks the whole file.
 *
 * @returns the number of rows
 * @throws {UsageError} if the file is malformed or has no rows, or if a row has no value for a required field
 */
export const checkFile = async (file: InputFile, flags: readonly Flag[]): Promise<number> => {
  const required = flags.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  let count = 0;
  for await (const { row, body } of rowsOf(file, flags)) {
    count++;
    const missing = required.filter((name) => body[name] === undefined);
    if (missing.length > 0)
      throw new UsageError(`${file.path}: row ${row} has no ${missing.join(' and no ')}.`);
  }
  if (count === 0) throw new UsageError(`${file.path}: has no rows.`);
  return count;
};
