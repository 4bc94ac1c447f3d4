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
import { type Input, openInput, openProgress, type Progress, withProgress } from '@chairside/terminal';
import { Argument, type Command, Option } from 'commander';
import {
  type CommonOptions,
  type Context,
  note,
  type Output,
  runs,
  withAuthor,
  writeAll,
} from './command.ts';
import { AdminFailure, UsageFailure } from './failure.ts';
import { type DryStep, importFile, tryFile } from './import-file.ts';
import { BEGINNING, type ImportState, openImportFiles } from './import-files.ts';
import { interruption } from './interruption.ts';
import { checkFormat, type ImportInput } from './lines.ts';
import type { Repeat } from './repeats.ts';
import { refuseOtherEncodings } from './utf8.ts';

type ImportOptions = CommonOptions & {
  organization: string;
  events: ImportEvents;
  csv?: boolean;
  dryRun?: boolean;
};

const NOTES = `
The file is UTF-8, with or without a byte order mark. In a CSV file (--csv, or a name that ends in .csv), the first line names the fields, an empty cell is an absent field, lists are separated by commas, and lists of objects are JSON. In any other file, each line is one complete record as JSON. externalId is its id in the other system, and references are ids of that system:
  {"externalId":"p-17","clinicId":"c-1","name":"Ada Beispiel","email":"ada@example.com"}
Import in this order: ${['clinic', 'provider', 'procedure', 'calendar-block', 'patient', 'appointment', 'invoice', 'payment', 'treatment'].join(', ')}.
A line {"externalId":"…","deleted":true} deletes a provider, procedure or calendar block. These have no events.
Two lines may be about the same record: the later one replaces what the earlier one has stored, and the output names both.
With --dry-run, nothing is written: the output says what the import would do, and why it would refuse lines. References are looked for among what is stored, so import the records that the file refers to first.
A line that is equal to the last import of its record changes nothing. Refused lines are reported in a file next to the input; for stdin, in the current folder.
An empty text in an optional field is the same as an absent field.
After Ctrl-C or a crash, run the same command again. It continues where it stopped.`;

const readFileFacts = async (file: string) => {
  const facts = await stat(file);
  if (!facts.isFile())
    throw new UsageFailure(
      `${file} is not a file. Give a file with one JSON object per line, or a CSV file.`,
    );
  return { size: facts.size, modified: facts.mtimeMs };
};

/** How many repeated lines of a run are named. */
const MAX_NAMED = 20;

const repeatLine = ({ number, earlier }: Repeat): string =>
  `Line ${number} is about the same record as line ${earlier}, and replaces it.`;

type Summary = {
  kind: RecordKind | SettingKind;
  state: ImportState;
  isWhole: boolean;
  isIncomplete: boolean;
  seconds: number;
  /** The lines of this run. */
  lines: number;
};

/** What a run and a dry run have counted: for machines, and in a sentence. */
const countsOf = ({ kind, state, isWhole, seconds, lines }: Summary): { result: object; text: string } => {
  const { created, updated, unchanged, deleted, refused, repeated, number } = state;
  const linesPerSecond = seconds > 0 ? Math.round(lines / seconds) : 0;
  const result = {
    complete: isWhole,
    lines: number,
    created,
    updated,
    unchanged,
    ...(isSettingKind(kind) && { deleted }),
    refused,
    repeated,
    seconds,
    linesPerSecond,
  };
  const deletions = isSettingKind(kind) ? `${deleted} deleted, ` : '';
  const text = `${number} lines: ${created} created, ${updated} updated, ${unchanged} unchanged, ${deletions}${refused} refused; ${seconds.toFixed(1)} s, ${linesPerSecond} lines/s.`;
  return { result, text };
};

const repeatedText = ({ state: { repeated }, isIncomplete }: Summary): string[] => [
  ...(repeated > 0 ? [`${repeated} lines are about the same record as an earlier line of the file.`] : []),
  ...(isIncomplete ? ['The file has too many records to find each repeated externalId.'] : []),
];

const outputOf = (summary: Summary, reportFile: string, named: readonly Repeat[]): Output => {
  const { state, isWhole } = summary;
  const { result, text } = countsOf(summary);
  return {
    result: {
      ...result,
      ...(named.length > 0 && {
        repeats: named.map(({ number, earlier }) => ({ line: number, earlier })),
      }),
      ...(state.refused > 0 && { report: reportFile }),
    },
    lines: [
      text,
      ...repeatedText(summary),
      ...named.map(repeatLine),
      ...(state.refused > 0
        ? [`The refused lines are in ${reportFile}: correct them, then import again.`]
        : []),
      ...(isWhole ? [] : ['Interrupted. Run the same command again to continue.']),
    ],
    failed: state.refused > 0 || !isWhole,
  };
};

const dryOutputOf = (summary: Summary): Output => {
  const { state, isWhole } = summary;
  const { result, text } = countsOf(summary);
  return {
    result: { dryRun: true, ...result },
    lines: [
      `Dry run, nothing was written. The import would do this: ${text}`,
      ...repeatedText(summary),
      ...(isWhole ? [] : ['Interrupted.']),
    ],
    failed: state.refused > 0 || !isWhole,
  };
};

const formatOf = ({ csv = false }: ImportOptions, given: string): ImportInput['format'] =>
  csv || /\.csv$/i.test(given) ? 'csv' : 'ndjson';

const run = async (
  context: Context,
  options: ImportOptions,
  kind: RecordKind | SettingKind,
  given: string,
): Promise<Output> => {
  const opened = await openInput(given);
  try {
    const { size } = await readFileFacts(opened.source);
    const input = { file: opened.source, name: given, kind, format: formatOf(options, given) };
    await refuseOtherEncodings(opened.source, given);
    await checkFormat(input);
    return await (options.dryRun === true
      ? runDry(context, options, input, size)
      : runOn(context, options, input, opened));
  } finally {
    await opened.discard();
  }
};

const changedWhileRead = (file: string): AdminFailure =>
  new AdminFailure(
    `${file} changed while it was being read. Run the command again when the file is complete.`,
  );

const secondsSince = (startedAt: number): number => (performance.now() - startedAt) / 1000;

/** The files beside a stream are in the current folder. */
const runOn = async (
  { administration, begin }: Context,
  { organization, events }: ImportOptions,
  input: ImportInput,
  { source, streamHash }: Input,
): Promise<Output> => {
  const { kind, name, format } = input;
  const file = resolve(streamHash === undefined ? name : `stdin-${streamHash.slice(0, 16)}.${format}`);
  const { size, modified: time } = await readFileFacts(source);
  // The copy of a stream is new each time, and its name identifies its content.
  const modified = streamHash === undefined ? time : 0;
  const run = await begin(organization);
  const importer = administration.importer(run);
  const { organizationId } = run;
  const files = await openImportFiles(file, { organizationId, kind, events, format, size, modified });
  const signal = interruption();
  const startedAt = performance.now();
  const first = files.state;
  const progress = await openProgress({
    total: size,
    initial: { value: first.offset, count: 0 },
    unit: 'lines',
  });
  if (first.number > 0) note(`Continuing after line ${first.number}.`);
  const named: Repeat[] = [];
  try {
    const { state, isIncomplete } = await importFile(
      { input, events, importer, files, signal },
      {
        step: ({ offset, number }) => progress.advance(offset, number - first.number),
        repeats: (found) => void named.push(...found.slice(0, MAX_NAMED - named.length)),
      },
    );
    const isWhole = state.offset === size;
    if (!isWhole && !signal.aborted) throw changedWhileRead(file);
    if (isWhole) await files.finish();
    const lines = state.number - first.number;
    const seconds = secondsSince(startedAt);
    return outputOf({ kind, state, isWhole, isIncomplete, seconds, lines }, files.reportFile, named);
  } finally {
    progress.end();
    await files.close();
  }
};

/** The lines of a dry run that an import would refuse, and those that repeat an earlier one, as they are printed. */
const findingsOf = ({ refused, repeated }: DryStep, isJson: boolean): string[] =>
  isJson
    ? [
        ...refused.map(({ number, reason }) => JSON.stringify({ line: number, reason })),
        ...repeated.map(({ number, earlier }) => JSON.stringify({ line: number, earlier })),
      ]
    : [
        ...refused.map(({ number, reason }) => `Line ${number} would be refused: ${reason}`),
        ...repeated.map(repeatLine),
      ];

/** Prints what an import would refuse while the file is read, because it may be any number of lines. */
const runDry = async (
  { administration, begin }: Context,
  { organization, json = false }: ImportOptions,
  input: ImportInput,
  size: number,
): Promise<Output> => {
  const importer = administration.importer(await begin(organization));
  const signal = interruption();
  const startedAt = performance.now();
  let last: DryStep = { state: BEGINNING, refused: [], repeated: [], isIncomplete: false };
  const findings = (progress: Progress) =>
    async function* () {
      for await (const step of tryFile({ input, importer, signal })) {
        last = step;
        const lines = findingsOf(step, json);
        // Lines on the same terminal take the place of the bar, which is drawn again below them.
        if (lines.length > 0) progress.hide();
        for (const line of lines) yield `${line}\n`;
        progress.advance(step.state.offset, step.state.number);
      }
    };
  await withProgress({ total: size, unit: 'lines' }, (progress) => writeAll(findings(progress)()));
  const { state, isIncomplete } = last;
  const isWhole = state.offset === size;
  if (!isWhole && !signal.aborted) throw changedWhileRead(input.name);
  const seconds = secondsSince(startedAt);
  return dryOutputOf({ kind: input.kind, state, isWhole, isIncomplete, seconds, lines: state.number });
};

export const addImportCommand = (program: Command): void => {
  const command = program
    .command('import')
    .description('import or update records and settings of another system')
    .addArgument(new Argument('<kind>', 'kind of the records').choices([...recordKinds, ...settingKinds]))
    .argument('<file>', 'file with one JSON object per line, CSV file, or - for stdin')
    .requiredOption('--organization <id>', 'id of the organization')
    .option('--csv', 'the file is CSV; not needed if its name ends in .csv')
    .option('--dry-run', 'change nothing, and say what the import would do')
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
