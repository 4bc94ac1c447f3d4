import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  isSettingKind,
  type RecordKind,
  recordKinds,
  type SettingKind,
  settingKinds,
} from '@chairside/domain';
import type { ImportEvents } from '@chairside/mongodb/administration';
import { type Input, openInput, openProgress } from '@chairside/terminal';
import { Argument, type Command, Option } from 'commander';
import { type Context, note, type Output, runs, withAuthor } from './command.ts';
import { AdminFailure, UsageFailure } from './failure.ts';
import { importFile } from './import-file.ts';
import { type ImportState, openImportFiles } from './import-files.ts';
import { interruption } from './interruption.ts';
import { refuseOtherEncodings } from './utf8.ts';

type ImportOptions = { organization: string; events: ImportEvents };

const NOTES = `
The file is UTF-8, with or without a byte order mark. Each line is one complete record as JSON. externalId is its id in the other system, and references are ids of that system:
  {"externalId":"p-17","clinicId":"c-1","name":"Ada Beispiel","email":"ada@example.com"}
Import in this order: ${['clinic', 'provider', 'procedure', 'calendar-block', 'patient', 'appointment', 'invoice', 'payment', 'treatment'].join(', ')}.
A line {"externalId":"…","deleted":true} deletes a provider, procedure or calendar block. These have no events.
A line that is equal to the last import of its record changes nothing. Refused lines are reported in a file next to the input; for stdin, in the current folder.
An empty text in an optional field is the same as an absent field.
After Ctrl-C or a crash, run the same command again. It continues where it stopped.`;

const readFileFacts = async (file: string) => {
  const facts = await stat(file);
  if (!facts.isFile())
    throw new UsageFailure(`${file} is not a file. Give a file with one JSON object per line.`);
  return { size: facts.size, modified: facts.mtimeMs };
};

const outputOf = (
  kind: RecordKind | SettingKind,
  state: ImportState,
  {
    isWhole,
    reportFile,
    seconds,
    lines,
  }: { isWhole: boolean; reportFile: string; seconds: number; lines: number },
): Output => {
  const { created, updated, unchanged, deleted, refused, number } = state;
  const rate = seconds > 0 ? Math.round(lines / seconds) : 0;
  return {
    result: {
      complete: isWhole,
      lines: number,
      created,
      updated,
      unchanged,
      ...(isSettingKind(kind) && { deleted }),
      refused,
      ...(refused > 0 && { report: reportFile }),
      seconds,
      linesPerSecond: rate,
    },
    lines: [
      `${number} lines: ${created} created, ${updated} updated, ${unchanged} unchanged, ${isSettingKind(kind) ? `${deleted} deleted, ` : ''}${refused} refused; ${seconds.toFixed(1)} s, ${rate} lines/s.`,
      ...(refused > 0 ? [`The refused lines are in ${reportFile}: correct them, then import again.`] : []),
      ...(isWhole ? [] : ['Interrupted. Run the same command again to continue.']),
    ],
    failed: refused > 0 || !isWhole,
  };
};

const run = async (
  context: Context,
  options: ImportOptions,
  kind: RecordKind | SettingKind,
  given: string,
): Promise<Output> => {
  const input = await openInput(given);
  try {
    return await runOn(context, options, kind, given, input);
  } finally {
    await input.discard();
  }
};

/** @param given the name of the input. The files beside a stream are in the current folder */
const runOn = async (
  { administration, begin }: Context,
  { organization, events }: ImportOptions,
  kind: RecordKind | SettingKind,
  given: string,
  { source, streamHash }: Input,
): Promise<Output> => {
  const file = resolve(streamHash === undefined ? given : `stdin-${streamHash.slice(0, 16)}.ndjson`);
  const { size, modified: time } = await readFileFacts(source);
  // The copy of a stream is new each time, and its name identifies its content.
  const modified = streamHash === undefined ? time : 0;
  await refuseOtherEncodings(source, given);
  const run = await begin(organization);
  const importer = administration.importer(run);
  const { organizationId } = run;
  const files = await openImportFiles(file, { organizationId, kind, events, size, modified });
  const signal = interruption();
  const startedAt = performance.now();
  const first = files.state;
  const seconds = () => (performance.now() - startedAt) / 1000;
  const progress = await openProgress({
    total: size,
    initial: { value: first.offset, count: 0 },
    unit: 'lines',
  });
  if (first.number > 0) note(`Continuing after line ${first.number}.`);
  try {
    const state = await importFile(
      { file: source, kind, events, importer, files, signal },
      ({ offset, number }) => progress.advance(offset, number - first.number),
    );
    const isWhole = state.offset === size;
    if (!isWhole && !signal.aborted) {
      throw new AdminFailure(
        `${file} changed while it was being read. Run the command again when the file is complete.`,
      );
    }
    if (isWhole) await files.finish();
    const { reportFile } = files;
    return outputOf(kind, state, {
      isWhole,
      reportFile,
      seconds: seconds(),
      lines: state.number - first.number,
    });
  } finally {
    progress.end();
    await files.close();
  }
};

export const addImportCommand = (program: Command): void => {
  const command = program
    .command('import')
    .description('import or update records and settings of another system')
    .addArgument(new Argument('<kind>', 'kind of the records').choices([...recordKinds, ...settingKinds]))
    .argument('<file>', 'file with one JSON object per line, or - for stdin')
    .requiredOption('--organization <id>', 'id of the organization')
    .addOption(
      new Option(
        '--events <which>',
        'use none for a first load; changes sends an event for each new or changed record',
      )
        .choices(['none', 'changes'])
        .default('none'),
    )
    .addHelpText('after', NOTES);
  runs(withAuthor(command), (context, options: ImportOptions, kind = '', file = '') =>
    run(context, options, kind as RecordKind | SettingKind, file),
  );
};
