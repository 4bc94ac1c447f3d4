import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import type { WriteResult } from '@chairside/client';
import { guarded } from '@chairside/terminal';
import { CliError } from '../failure.ts';
import { CSV_STYLE } from '../output/rows.ts';
import type { Begun } from './journal.ts';
import { type InputFile, type InputRow, REFUSED_COLUMNS } from './rows.ts';

const BYTE_ORDER_MARK = '\ufeff';

/** The name of a file of refused rows. */
export const refusedFileOf = (file: string, format: InputFile['format']): string =>
  `${file}.refused.${format}`;

/** The formats of the files of refused rows: JSON and, for the rows of a CSV file, also CSV. */
const refusedFormats = ({ format }: InputFile): InputFile['format'][] =>
  format === 'csv' ? ['ndjson', 'csv'] : ['ndjson'];

const refusedSize = ({ path }: InputFile, format: InputFile['format']): number =>
  statSync(refusedFileOf(path, format), { throwIfNoEntry: false })?.size ?? 0;

/** The sizes of the files of refused rows, by their formats. */
export const refusedSizes = (file: InputFile): Record<string, number> =>
  Object.fromEntries(refusedFormats(file).map((format) => [format, refusedSize(file, format)]));

/** @throws {CliError} if there are refused rows of an earlier run, which rows of this one must not be mixed with */
export const requireNoRefused = (file: InputFile): void => {
  const found = refusedFormats(file).find((format) => refusedSize(file, format) > 0);
  if (found === undefined) return;
  throw new CliError(
    `${refusedFileOf(file.path, found)}: has the refused rows of an earlier run. Move it away, or give it to --from, then run this command again.`,
  );
};

/**
 * Removes refused rows that a crash has left without an entry in the journal. They are refused once more. What a person has
 * written into the files is left.
 */
export const removeUnnoted = (file: InputFile, { line, refused }: Begun): void => {
  if (refusedSize(file, 'ndjson') <= (refused.ndjson ?? 0)) return;
  const tail = readFileSync(refusedFileOf(file.path, 'ndjson')).subarray(refused.ndjson).toString();
  const isOfRun = (text: string): boolean => Number(/^\{"line":(\d+)/.exec(text)?.[1]) >= line;
  if (!tail.trimEnd().split('\n').every(isOfRun)) return;
  for (const format of refusedFormats(file)) {
    const size = refused[format] ?? 0;
    if (refusedSize(file, format) > size) truncateSync(refusedFileOf(file.path, format), size);
  }
};

type Addition = { path: string; textOf(isNew: boolean): string };

/**
 * Appends to all files and then calls `note`, or leaves the files as they were: after a failure, such as a full disk, the
 * next run appends the same again.
 */
const appendToAll = (additions: readonly Addition[], note: () => void): void => {
  const opened: { fd: number; size: number }[] = [];
  try {
    for (const { path, textOf } of additions) {
      const fd = openSync(path, 'a', 0o600);
      const { size } = fstatSync(fd);
      opened.push({ fd, size });
      writeFileSync(fd, textOf(size === 0));
    }
    note();
  } catch (error) {
    for (const { fd, size } of opened) shorten(fd, size);
    throw error;
  } finally {
    for (const { fd } of opened) closeSync(fd);
  }
};

const shorten = (fd: number, size: number): void => {
  try {
    ftruncateSync(fd, size);
  } catch {
    // The file is a device. The failure of the write is reported.
  }
};

type Refused = { input: InputRow; error: NonNullable<WriteResult['error']> };

/**
 * Returns a function that writes refused rows with their reasons, in JSON and, for rows of a CSV file, also as CSV, and then
 * notes them. Both files can be corrected and given to `--from`.
 */
export const openRefused = async ({ path, format }: InputFile) => {
  const { stringify } = await import('csv-stringify/sync');
  return (refused: readonly Refused[], note: () => void): void => {
    if (refused.length === 0) {
      note();
      return;
    }
    const rows = refused.map(({ input: { line, body, cells = {} }, error: { message, details } }) => {
      const { requestId, issues = [] } = details;
      return {
        json: { line, reason: message, issues, requestId, record: body },
        csv: [String(line), guarded(message), guarded(requestId ?? ''), ...Object.values(cells)],
        head: [...REFUSED_COLUMNS, ...Object.keys(cells)],
      };
    });
    const json = {
      path: refusedFileOf(path, 'ndjson'),
      textOf: () => rows.map((row) => `${JSON.stringify(row.json)}\n`).join(''),
    };
    const csv = {
      path: refusedFileOf(path, 'csv'),
      textOf: (isNew: boolean) => {
        const lines = rows.map((row) => row.csv);
        // With the mark, Excel reads the file as UTF-8.
        return (
          (isNew ? BYTE_ORDER_MARK : '') +
          stringify(isNew ? [rows[0]?.head ?? [], ...lines] : lines, CSV_STYLE)
        );
      },
    };
    appendToAll(format === 'csv' ? [json, csv] : [json], note);
  };
};
