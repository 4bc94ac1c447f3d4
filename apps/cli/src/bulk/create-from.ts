import { appendFileSync } from 'node:fs';
import { type Call, type Chairside, ChairsideError, type WithResponse } from '@chairside/client';
import { openProgress } from '@chairside/terminal';
import { CliError, describe, EXIT } from '../failure.ts';
import type { Flag } from '../flags/flags.ts';
import { say } from '../output/stdout.ts';
import { type Journal, journalOf } from './journal.ts';
import { type InputFile, type InputRow, rowsOf } from './rows.ts';

/** Maximum number of requests at the same time. */
const MAX_AT_ONCE = 8;

/** Statuses that refuse only one row. The next row may succeed. */
const ROW_REFUSALS: readonly unknown[] = [400, 409, 412, 413, 415];

const refusedFileOf = (file: string): string => `${file}.refused.ndjson`;

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
  total: number;
  journal: Journal;
  send(client: Chairside, body: object, idempotencyKey: string): Call<object>;
  signal: AbortSignal;
};

const writeRefused = (file: string, { row, body }: InputRow, error: ChairsideError): void => {
  const line = {
    row,
    reason: error.message,
    issues: error.issues,
    requestId: error.requestId,
    record: body,
  };
  appendFileSync(refusedFileOf(file), `${JSON.stringify(line)}\n`, { mode: 0o600 });
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
  total,
  journal,
  send,
  signal,
}: Creation): Promise<void> => {
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
      journal.write(input.row, 'sent');
      const { response }: WithResponse<object> = await send(
        client,
        input.body,
        `${journal.run}-${input.row}`,
      ).withResponse();
      journal.write(input.row, 'created');
      throttle.note(response.headers, inFlight.size);
    } catch (error) {
      try {
        if (error instanceof ChairsideError && ROW_REFUSALS.includes(error.status)) {
          writeRefused(file.path, input, error);
          journal.write(input.row, 'refused');
        } else failure ??= error;
      } catch (problem) {
        // The file of the refused rows, or the journal, could not be written.
        failure ??= problem;
      }
    }
    progress.advance(ended());
  };

  try {
    for await (const input of rowsOf(file, flags)) {
      if (journal.hasEnded(input.row)) continue;
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
  report(file, journal, total, failure, signal);
};

/** Reports the result. @throws {CliError} if a failure or Ctrl-C stopped the run, or if rows were refused */
const report = (
  { path }: InputFile,
  journal: Journal,
  total: number,
  failure: unknown,
  signal: AbortSignal,
): void => {
  const { created, refused } = journal.counts();
  const left = total - created - refused;
  say(`${created} of ${total} rows are created, ${refused} refused, ${left} left.`);
  if (refused > 0) say(`The refused rows, with the reasons: ${refusedFileOf(path)}`);
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
