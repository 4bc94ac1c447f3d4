import { closeSync, fstatSync, ftruncateSync, openSync, writeFileSync } from 'node:fs';
import { type Call, type Chairside, ChairsideError, type WithResponse } from '@chairside/client';
import { openProgress } from '@chairside/terminal';
import { CliError, describe, EXIT } from '../failure.ts';
import type { Flag } from '../flags/flags.ts';
import { guarded } from '../output/formulas.ts';
import { CSV_STYLE } from '../output/rows.ts';
import { say } from '../output/stdout.ts';
import { type Journal, journalOf } from './journal.ts';
import { type Checked, type InputFile, type InputRow, REFUSED_COLUMNS, rowsOf } from './rows.ts';

/** Maximum number of requests at the same time. */
const MAX_AT_ONCE = 8;

/** Statuses that refuse only one row. The next row may succeed. */
const ROW_REFUSALS: readonly unknown[] = [400, 409, 412, 413, 415];

/**
 * Whether the service refuses this row. A response with `Retry-After` says nothing about the row: its first request is
 * still running, and may yet create it.
 */
const isRowRefusal = ({ status, retryAfter }: ChairsideError): boolean =>
  ROW_REFUSALS.includes(status) && retryAfter === undefined;

const refusedFileOf = (file: string, format: InputFile['format']): string => `${file}.refused.${format}`;

/** Waits for the next window of the rate limit if the requests in flight may use up the current one. */
const createThrottle = () => {
  let resumeAt = 0;
  return {
    /**
     * @param headers of the last response; `RateLimit` contains the remaining requests
     *   (draft-ietf-httpapi-ratelimit-headers)
     */
    note(headers: { get(name: string): string | null }, inFlight: number): void {
      const [, left, seconds] = /;r=(\d+);t=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? [];
      if (left !== undefined && Number(left) <= inFlight)
        resumeAt = performance.now() + Number(seconds) * 1000;
    },
    async turn(signal: AbortSignal): Promise<void> {
      while (!signal.aborted && performance.now() < resumeAt) {
        const wait = Math.min(1000, resumeAt - performance.now());
        await new Promise((resolve) => setTimeout(resolve, wait));
      }
    },
  };
};

export type Creation = {
  client: Chairside;
  file: InputFile;
  flags: readonly Flag[];
  checked: Checked;
  journal: Journal;
  send(client: Chairside, body: object, idempotencyKey: string): Call<object>;
  signal: AbortSignal;
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

/**
 * Returns a function that writes a refused row with the reason, in JSON and, for a row of a CSV file, also as CSV, and then
 * notes it. Both files can be corrected and given to `--from`.
 */
const openRefused = async ({ path, format }: InputFile) => {
  const { stringify } = await import('csv-stringify/sync');
  return (
    { line, body, cells = {} }: InputRow,
    { message: reason, issues, requestId }: ChairsideError,
    note: () => void,
  ): void => {
    const head = [...REFUSED_COLUMNS, ...Object.keys(cells)];
    const row = [String(line), guarded(reason), guarded(requestId ?? ''), ...Object.values(cells)];
    const json = {
      path: refusedFileOf(path, 'ndjson'),
      textOf: () => `${JSON.stringify({ line, reason, issues, requestId, record: body })}\n`,
    };
    const csv = {
      path: refusedFileOf(path, 'csv'),
      textOf: (isNew: boolean) => stringify(isNew ? [head, row] : [row], CSV_STYLE),
    };
    appendToAll(format === 'csv' ? [json, csv] : [json], note);
  };
};

/**
 * Creates a record for each row that no earlier run has created or refused.
 *
 * @throws {CliError} if a failure or Ctrl-C stopped the run, or if rows were refused
 */
export const createRows = async ({
  client,
  file,
  flags,
  checked,
  journal,
  send,
  signal,
}: Creation): Promise<void> => {
  const { total } = checked;
  const writeRefused = await openRefused(file);
  const throttle = createThrottle();
  const ended = () => journal.counts().created + journal.counts().refused;
  const progress = await openProgress({
    total,
    initial: { value: ended(), count: ended() },
    unit: 'rows',
  });
  const inFlight = new Set<Promise<void>>();
  let failure: unknown;

  const create = async (input: InputRow): Promise<void> => {
    try {
      journal.write(input.line, 'sent');
      const { response }: WithResponse<object> = await send(
        client,
        input.body,
        `${journal.run}-${input.line}`,
      ).withResponse();
      journal.write(input.line, 'created');
      throttle.note(response.headers, inFlight.size);
    } catch (error) {
      try {
        if (error instanceof ChairsideError && isRowRefusal(error))
          writeRefused(input, error, () => journal.write(input.line, 'refused'));
        else failure ??= error;
      } catch (problem) {
        // The file of the refused rows, or the journal, could not be written.
        failure ??= problem;
      }
    }
    progress.advance(ended());
  };

  try {
    for await (const input of rowsOf(file, flags)) {
      if (journal.hasEnded(input.line)) continue;
      await throttle.turn(signal);
      if (inFlight.size >= MAX_AT_ONCE) await Promise.race(inFlight);
      if (signal.aborted || failure !== undefined) break;
      const created = create(input).finally(() => inFlight.delete(created));
      inFlight.add(created);
    }
  } finally {
    await Promise.all(inFlight);
    progress.end();
  }
  report(file, journal, checked, failure, signal);
};

/** Reports the result. @throws {CliError} if a failure or Ctrl-C stopped the run, or if rows were refused */
const report = (
  { path, format }: InputFile,
  journal: Journal,
  { total, nameless = 0 }: Checked,
  failure: unknown,
  signal: AbortSignal,
): void => {
  const { created, refused } = journal.counts();
  const left = total - created - refused;
  say(`${created} of ${total} rows are created, ${refused} refused, ${left} left.`);
  if (nameless > 0) say(`${nameless} of ${total} rows have no name.`);
  if (refused > 0) {
    const file = refusedFileOf(path, format);
    say(`The refused rows, with the reasons: ${file}. Correct them there, and give that file to --from.`);
  }
  if (failure !== undefined) {
    const { text, exitCode } = describe(failure);
    throw new CliError(
      `${text}\nThen run the same command again: it continues, and creates nothing twice.`,
      exitCode,
    );
  }
  if (left > 0 && signal.aborted)
    throw new CliError(
      'Interrupted. Run the same command again: it continues, and creates nothing twice.',
      EXIT.interrupted,
    );
  say(`The journal ${journalOf(path)} records this. Delete it only if you want to create the rows again.`);
  if (refused > 0) throw new CliError('Some rows were refused.');
};
