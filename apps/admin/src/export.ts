import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type RecordKind, recordKinds, type SettingKind, settingKinds } from '@chairside/domain';
import type { Run } from '@chairside/mongodb';
import { Argument, type Command } from 'commander';
import { type Context, type Output, runs, withAuthor, writeAll } from './command.ts';
import { AdminFailure } from './failure.ts';
import { interruption } from './interruption.ts';

type ExportOptions = { organization: string; output?: string };

/** The records as text, in parts. A part is read only after the previous one has been consumed. */
async function* textOf(
  { administration }: Context,
  run: Run,
  kind: RecordKind | SettingKind,
  onCount: (count: number) => void,
) {
  for await (const part of administration.export(run, kind)) {
    yield part.map((record) => `${JSON.stringify(record)}\n`).join('');
    onCount(part.length);
  }
}

const run = async (
  context: Context,
  { organization, output }: ExportOptions,
  kind: RecordKind | SettingKind,
): Promise<Output | undefined> => {
  const run = await context.begin(organization);
  let count = 0;
  const text = textOf(context, run, kind, (part) => {
    count += part;
  });
  if (output === undefined) {
    await writeAll(text);
    return undefined;
  }
  const file = resolve(output);
  // The file is moved into place at the end, so that an incomplete export is never mistaken for a complete one.
  // The random name matters in a folder that other users can write to: under a predictable name they could create a
  // link.
  const beside = `${file}.${randomBytes(8).toString('hex')}.part`;
  const signal = interruption();
  try {
    await pipeline(text, createWriteStream(beside, { flags: 'wx', mode: 0o600 }), { signal });
    await rename(beside, file);
  } catch (error) {
    // The records of patients must not stay under a name that nobody knows.
    await rm(beside, { force: true });
    throw signal.aborted ? new AdminFailure('Interrupted. Nothing was exported to the file.') : error;
  }
  return { result: { kind, records: count, file }, lines: [`${count} records in ${file}.`] };
};

export const addExportCommand = (program: Command): void => {
  const command = program
    .command('export')
    .description('write all records or settings of a kind, one JSON object per line, to stdout or a file')
    .addArgument(new Argument('<kind>', 'kind of the records').choices([...recordKinds, ...settingKinds]))
    .requiredOption('--organization <id>', 'id of the organization')
    .option('--output <file>', 'write to this file instead of stdout');
  runs(withAuthor(command), (context, options: ExportOptions, kind = '') =>
    run(context, options, kind as RecordKind | SettingKind),
  );
};
