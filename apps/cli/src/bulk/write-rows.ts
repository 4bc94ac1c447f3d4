import type { Chairside, WriteResult } from '@chairside/client';
import { openProgress, type Progress } from '@chairside/terminal';
import { CliError, describe, EXIT } from '../failure.ts';
import type { Flag } from '../flags/flags.ts';
import { type Columns, type OutputOptions, printRows } from '../output/rows.ts';
import { goOnWithoutReader, say } from '../output/stdout.ts';
import { countOf, type Ended, type Journal, journalOf, type Result } from './journal.ts';
import { openRefused, refusedFileOf, refusedSizes, removeUnnoted } from './refused.ts';
import { type Checked, type InputFile, type InputRow, rowsOf } from './rows.ts';
import type { Verb, Writes } from './writes.ts';

/** How long the requests in flight may take after Ctrl-C, in milliseconds. */
const GRACE_MS = 5000;
/** The number of lines of earlier runs that are printed together. */
const PAGE = 500;

export type Run = {
  client: Chairside;
  file: InputFile;
  writes: Writes;
  checked: Checked;
  journal: Journal;
  output: OutputOptions;
  signal: AbortSignal;
};

/** The columns of the results. */
const COLUMNS = ['line', 'externalId', '_id', 'result'];
const RESULT_COLUMNS: Columns = { shown: COLUMNS, all: COLUMNS };

const shownRow = ({ body: { externalId } }: InputRow, { line, result, _id }: Ended) => ({
  line,
  ...(externalId !== undefined && { externalId }),
  ...(_id !== undefined && { _id }),
  result,
});

/**
 * What a repeated batch says about rows that were written, or changed nothing, before: there is nothing to correct. A later row
 * of the file has changed the record, or somebody has deleted it.
 */
const BY_CONFLICT: Readonly<Record<string, Result>> = {
  later_write_made: 'unchanged',
  idempotency_record_deleted: 'deleted',
};

const endedOf = ({ line }: InputRow, { error, _id, created, changed }: WriteResult): Ended => {
  if (error !== undefined) return { line, result: BY_CONFLICT[error.details.code ?? ''] ?? 'refused' };
  const result = created === true ? 'created' : changed === true ? 'changed' : 'unchanged';
  return { line, result, ...(_id !== undefined && { _id }) };
};

/** The rows that earlier runs have ended, as they are printed. */
async function* earlierRows(file: InputFile, flags: readonly Flag[], ended: readonly Ended[]) {
  let page: object[] = [];
  let index = 0;
  for await (const input of rowsOf(file, flags)) {
    const one = ended[index++];
    if (one === undefined) break;
    page.push(shownRow(input, one));
    if (page.length < PAGE) continue;
    yield page;
    page = [];
  }
  yield page;
}

/** Writes the rows that no earlier run has ended. Yields each time some have ended, as they are printed. */
async function* newRows({ client, file, writes, journal, signal }: Run): AsyncGenerator<object[]> {
  if (signal.aborted) return;
  const skip = journal.ended.length;
  if (journal.begun !== undefined) removeUnnoted(file, journal.begun);
  const writeRefused = await openRefused(file);
  const waiting: InputRow[] = [];
  const begin = (): void => {
    const [first] = waiting;
    if (first === undefined) return;
    journal.begin(() => ({ line: first.line, refused: refusedSizes(file) }));
  };
  async function* rows() {
    let index = 0;
    for await (const input of rowsOf(file, writes.flags)) {
      if (index++ >= skip) {
        waiting.push(input);
        begin();
      }
      yield input.body;
    }
    begin();
  }
  const ending = new AbortController();
  const onSignal = () => setTimeout(() => ending.abort(signal.reason), GRACE_MS).unref();
  signal.addEventListener('abort', onSignal);
  const options = { idempotencyKey: journal.run, skip, signal: ending.signal };
  try {
    for await (const { results } of writes.write(client, rows(), options)) {
      const written = results.flatMap((result) => {
        const input = waiting.shift();
        return input === undefined ? [] : [{ input, result, ended: endedOf(input, result) }];
      });
      const refused = written.flatMap(({ input, result: { error }, ended }) =>
        error === undefined || ended.result !== 'refused' ? [] : [{ input, error }],
      );
      writeRefused(refused, () => journal.end(written.map(({ ended }) => ended)));
      yield written.map(({ input, ended }) => shownRow(input, ended));
      if (signal.aborted) return;
    }
  } finally {
    signal.removeEventListener('abort', onSignal);
  }
}

async function* allRows(run: Run, progress: Progress): AsyncGenerator<Record<string, unknown>[]> {
  const { file, writes, journal } = run;
  for (const source of [earlierRows(file, writes.flags, [...journal.ended]), newRows(run)])
    for await (const rows of source) {
      // Lines on the same terminal take the place of the bar, which is drawn again below them.
      progress.hide();
      yield rows as Record<string, unknown>[];
      progress.advance(journal.ended.length);
    }
}

/**
 * Writes each row that no earlier run has ended, and prints a line for each row.
 *
 * @throws {CliError} if a failure or Ctrl-C stopped the run, or if rows were refused
 */
export const writeRows = async (run: Run): Promise<void> => {
  const { checked, journal, output } = run;
  const value = journal.ended.length;
  const initial = { value, count: value };
  const progress = await openProgress({ total: checked.total, initial, unit: 'rows' });
  let failure: unknown;
  goOnWithoutReader();
  try {
    await printRows(allRows(run, progress), output, RESULT_COLUMNS);
  } catch (error) {
    failure = error;
  } finally {
    progress.end();
  }
  report(run, failure);
};

const DONE: Readonly<Record<Verb, string>> = { create: 'created', update: 'updated', upsert: 'upserted' };

/** Says the result. @throws {CliError} if a failure or Ctrl-C stopped the run, or if rows were refused */
const report = (
  { file: { path, format }, writes: { verb }, checked: { total, nameless = 0 }, journal, signal }: Run,
  failure: unknown,
): void => {
  const count = (wanted: Result) => countOf(journal, wanted);
  const refused = count('refused');
  const done = journal.ended.length - refused;
  const left = total - journal.ended.length;
  say(`${done} of ${total} rows are ${DONE[verb]}, ${refused} refused, ${left} left.`);
  if (verb === 'upsert')
    say(`${count('created')} created, ${count('changed')} changed, ${count('unchanged')} unchanged.`);
  if (verb === 'create' && nameless > 0) say(`${nameless} of ${total} rows have no name.`);
  if (refused > 0) {
    const file = refusedFileOf(path, format);
    say(`The refused rows, with the reasons: ${file}. Correct them there, and give that file to --from.`);
  }
  if (left > 0 && journal.begun !== undefined)
    say(
      `Rows from line ${journal.begun.line} on were sent, and it is not known yet which of them are written.`,
    );
  const again = 'un the same command again: it continues, and writes nothing twice.';
  if (failure !== undefined && !signal.aborted) {
    const { text, exitCode } = describe(failure);
    throw new CliError(`${text}\nThen r${again}`, exitCode);
  }
  if (left > 0) throw new CliError(`Interrupted. R${again}`, EXIT.interrupted);
  say(`The journal ${journalOf(path)} records this. Delete it only if you want to write the rows again.`);
  if (refused > 0) throw new CliError('Some rows were refused.');
};
