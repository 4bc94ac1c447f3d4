import { createReadStream } from 'node:fs';
import {
  isSettingKind,
  type RecordKind,
  type ResourceLimit,
  readImportLine,
  readSettingLine,
  type SettingKind,
  type SettingLine,
} from '@chairside/domain';
import { CsvProblem, readCsv } from '@chairside/terminal';
import { cellsOf } from './cells.ts';
import { UsageFailure } from './failure.ts';
import { decodeUtf8 } from './utf8.ts';

/** The longest line that is read, in bytes. A longer line is refused and not kept in memory. */
const MAX_LINE_BYTES = 1_048_576;
const CHUNK_BYTES = 262_144;
const LINE_FEED = 0x0a;

export const importLimits: readonly ResourceLimit[] = [
  {
    id: 'import_line',
    part: 'Imports',
    resource: 'Line of a file, or row of a CSV file',
    value: MAX_LINE_BYTES / 1024,
    unit: 'KiB',
    beyond: 'the line is refused; a CSV file is refused as a whole',
  },
];

/** A file that is imported. `name` is its name in messages, and `file` the file to read, a copy if the input was a stream. */
export type ImportInput = {
  file: string;
  name: string;
  kind: RecordKind | SettingKind;
  format: 'ndjson' | 'csv';
};

/** A line of a file: its number from 1, the offset of its end in bytes, and its bytes (undefined if it is too long). */
type RawLine = { number: number; end: number; bytes: Buffer | undefined };

/**
 * A line with its number and the offset of its end. `read` is the checked line, or the reason of its refusal, which quotes
 * no values; undefined for an empty line.
 */
export type CheckedLine = {
  number: number;
  end: number;
  read: { line: SettingLine } | { reason: string } | undefined;
};

/**
 * Reads the lines of a file chunk by chunk.
 *
 * @param from the offset and number of the line after which to begin; both are 0 for the beginning
 */
async function* rawLines(
  file: string,
  from: { offset: number; number: number },
): AsyncGenerator<RawLine, void> {
  let { offset: position, number } = from;
  let parts: Buffer[] = [];
  let length = 0;
  const add = (part: Buffer): void => {
    length += part.length;
    if (length <= MAX_LINE_BYTES) parts.push(part);
    else parts = [];
  };
  const take = (): RawLine => {
    const bytes = length <= MAX_LINE_BYTES ? Buffer.concat(parts) : undefined;
    parts = [];
    length = 0;
    number++;
    return { number, end: position, bytes };
  };

  for await (const chunk of createReadStream(file, { start: position, highWaterMark: CHUNK_BYTES })) {
    let begin = 0;
    for (;;) {
      const feed = (chunk as Buffer).indexOf(LINE_FEED, begin);
      if (feed === -1) break;
      add(chunk.subarray(begin, feed));
      position += feed + 1 - begin;
      begin = feed + 1;
      yield take();
    }
    if (begin < chunk.length) {
      add(chunk.subarray(begin));
      position += chunk.length - begin;
    }
  }
  if (length > 0) yield take();
}

const parsed = (text: string): { value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) };
  } catch {
    // The parser's message is not used, because it quotes the line.
    return undefined;
  }
};

/** Checks the value of a line. */
const checked = (kind: RecordKind | SettingKind, value: unknown): CheckedLine['read'] => {
  const read = isSettingKind(kind) ? readSettingLine(kind, value) : readImportLine(kind, value);
  if ('line' in read) return read;
  return { reason: read.issues.map(({ path, message }) => `${path} ${message}`.trim()).join('; ') };
};

const readLine = (kind: RecordKind | SettingKind, { bytes }: RawLine): CheckedLine['read'] => {
  if (bytes === undefined) return { reason: `has more than ${MAX_LINE_BYTES} bytes` };
  const text = decodeUtf8(bytes);
  if (text === undefined) return { reason: 'is not UTF-8: convert the file to UTF-8' };
  if (text.trim() === '') return undefined;
  const json = parsed(text);
  return json === undefined ? { reason: 'is not JSON' } : checked(kind, json.value);
};

/** The text of a CSV file, in parts. `bytes` counts what was read. */
async function* textOf({ file, name }: ImportInput, read: { bytes: number }): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (bytes?: Uint8Array): string => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw new UsageFailure(
        `${name} is not UTF-8. Save it as "CSV UTF-8", or convert it, for example with: iconv -f WINDOWS-1252 -t UTF-8.`,
      );
    }
  };
  read.bytes = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: CHUNK_BYTES })) {
    read.bytes += (chunk as Buffer).length;
    yield decode(chunk as Buffer);
  }
  yield decode();
}

/** The rows of a CSV file. After them comes an empty line at the end of the file. */
async function* csvLines(input: ImportInput, from: { number: number }): AsyncGenerator<CheckedLine, void> {
  const { kind, name } = input;
  const cells = cellsOf(kind, name);
  const read = { bytes: 0 };
  let last = 1;
  try {
    for await (const row of readCsv(() => textOf(input, read), cells)) {
      last = row.line;
      if (last <= from.number) continue;
      const line = 'problem' in row ? { reason: row.problem } : checked(kind, cells.lineOf(row.cells));
      yield { number: last, end: row.end, read: line };
    }
  } catch (error) {
    throw error instanceof CsvProblem ? new UsageFailure(`${name}: ${error.message}`) : error;
  }
  if (read.bytes > 0) yield { number: last, end: read.bytes, read: undefined };
}

async function* ndjsonLines(
  { file, kind }: ImportInput,
  from: { offset: number; number: number },
): AsyncGenerator<CheckedLine, void> {
  for await (const raw of rawLines(file, from))
    yield { number: raw.number, end: raw.end, read: readLine(kind, raw) };
}

/**
 * Reads and checks the lines of a file.
 *
 * @param from the offset and number of the line after which to begin; both are 0 for the beginning
 * @throws {UsageFailure} if a CSV file cannot be read on
 */
export const readLines = (
  input: ImportInput,
  from: { offset: number; number: number },
): AsyncGenerator<CheckedLine, void> =>
  input.format === 'csv' ? csvLines(input, from) : ndjsonLines(input, from);

/**
 * Refuses a CSV file that cannot be read to its end, before any of its rows is imported.
 *
 * @throws {UsageFailure} that names the line
 */
const checkCsv = async (input: ImportInput): Promise<void> => {
  // No row comes after this number, so none is checked.
  for await (const _line of csvLines(input, { number: Number.POSITIVE_INFINITY }));
};

/**
 * Refuses a CSV file that is read as JSON, because each of its lines would be refused: its first line is no JSON and has
 * separators.
 *
 * @throws {UsageFailure} that says what to do
 */
const refuseCsv = async ({ file, name }: ImportInput): Promise<void> => {
  for await (const { number, bytes = Buffer.of() } of rawLines(file, { offset: 0, number: 0 })) {
    const text = decodeUtf8(bytes)?.trim();
    if (text === '') continue;
    if (text !== undefined && !/^[{[]/.test(text) && /[,;\t]/.test(text) && parsed(text) === undefined)
      throw new UsageFailure(`${name}: line ${number} is not JSON. If the file is CSV, add --csv.`);
    return;
  }
};

/** @throws {UsageFailure} if the file is not of its format as a whole, before anything is imported */
export const checkFormat = (input: ImportInput): Promise<void> =>
  input.format === 'csv' ? checkCsv(input) : refuseCsv(input);
