import { isSettingKind } from '@chairside/domain';
import {
  hasFields,
  type ImportEvents,
  type Importer,
  type NumberedSettingLine,
  type RefusedLine,
} from '@chairside/mongodb/administration';
import { BEGINNING, type ImportFiles, type ImportState } from './import-files.ts';
import { type ImportInput, readLines } from './lines.ts';
import { createRepeats, type Repeat, type Repeats } from './repeats.ts';

/** A group ends when it has this number of lines or bytes. */
const MAX_GROUP_LINES = 500;
const MAX_GROUP_BYTES = 4 * 1_048_576;

/** Lines that are written in one step, and the place in the file where they end. */
type Group = {
  lines: NumberedSettingLine[];
  ids: Set<string>;
  refused: RefusedLine[];
  /** The offset before the first line, and after the last one. */
  begin: number;
  offset: number;
  number: number;
};

const emptyGroup = (begin: number): Group => ({
  lines: [],
  ids: new Set(),
  refused: [],
  begin,
  offset: begin,
  number: 0,
});

/** Splits the file into groups without repeated ids. If two lines have the same id, the later one wins. */
async function* groupsOf(
  input: ImportInput,
  from: { offset: number; number: number },
): AsyncGenerator<Group, void> {
  let group = emptyGroup(from.offset);
  for await (const { number, end, read } of readLines(input, from)) {
    const isRepeated = read !== undefined && 'line' in read && group.ids.has(read.line.externalId);
    if (
      isRepeated ||
      group.lines.length + group.refused.length >= MAX_GROUP_LINES ||
      group.offset - group.begin >= MAX_GROUP_BYTES
    ) {
      yield group;
      group = emptyGroup(group.offset);
    }
    group.offset = end;
    group.number = number;
    if (read === undefined) continue;
    if ('line' in read) {
      group.ids.add(read.line.externalId);
      group.lines.push({ number, line: read.line });
    } else group.refused.push({ number, reason: read.reason });
  }
  if (group.number > 0) yield group;
}

/** The refused lines of a group, by their numbers. */
const allRefused = (group: Group, refused: readonly RefusedLine[]): RefusedLine[] =>
  [...group.refused, ...refused].sort((one, other) => one.number - other.number);

/** The lines of a group that were not refused, and that are about the record of an earlier line. */
const repeatsIn = (group: Group, refused: readonly RefusedLine[], repeats: Repeats): Repeat[] => {
  const numbers = new Set(refused.map(({ number }) => number));
  return group.lines.flatMap((line) => (numbers.has(line.number) ? [] : (repeats.meet(line) ?? [])));
};

type Counts = Pick<ImportState, 'created' | 'updated' | 'unchanged' | 'deleted'>;

/** The state after a group. */
const advanced = (
  state: ImportState,
  { offset, number }: Group,
  { created, updated, unchanged, deleted }: Counts,
  { refused, repeated }: { refused: readonly RefusedLine[]; repeated: readonly Repeat[] },
): ImportState => ({
  ...state,
  offset,
  number,
  created: state.created + created,
  updated: state.updated + updated,
  unchanged: state.unchanged + unchanged,
  deleted: state.deleted + deleted,
  refused: state.refused + refused.length,
  repeated: state.repeated + repeated.length,
});

/**
 * Imports a file, continuing where its last import stopped. A group is written while the next one is read. The state is
 * stored after each group, so that Ctrl-C or a crash duplicates nothing.
 *
 * @param signal stops the import after the current group
 * @param on.step called after each group
 * @param on.repeats called with the lines that have replaced what earlier lines of this run have stored
 * @returns the state after the last group, and whether the file has more records than are remembered
 */
export const importFile = async (
  {
    input,
    events,
    importer,
    files,
    signal,
  }: {
    input: ImportInput;
    events: ImportEvents;
    importer: Importer;
    files: ImportFiles;
    signal: AbortSignal;
  },
  on: { step(state: ImportState): void; repeats(found: readonly Repeat[]): void },
): Promise<{ state: ImportState; isIncomplete: boolean }> => {
  const { kind } = input;
  const repeats = createRepeats();
  let state = files.state;
  const write = async (group: Group): Promise<void> => {
    const result = isSettingKind(kind)
      ? await importer.writeSettings(kind, group.lines)
      : { deleted: 0, ...(await importer.write(kind, group.lines.filter(hasFields), events)) };
    const refused = allRefused(group, result.refused);
    const repeated = repeatsIn(group, refused, repeats);
    const next = advanced(state, group, result, { refused, repeated });
    state = await files.save(next, refused);
    on.repeats(repeated);
    on.step(state);
  };

  let writing: Promise<void> = Promise.resolve();
  try {
    for await (const group of groupsOf(input, state)) {
      await writing;
      if (signal.aborted) break;
      writing = write(group);
      // The error is handled where `writing` is awaited.
      writing.catch(() => {});
    }
  } finally {
    await writing;
  }
  return { state, isIncomplete: repeats.isIncomplete() };
};

/** What a dry run has found in a group. */
export type DryStep = {
  state: ImportState;
  refused: RefusedLine[];
  repeated: Repeat[];
  isIncomplete: boolean;
};

/**
 * Reads a whole file and says what its import would do, group by group. Writes nothing, neither to the database nor beside
 * the file.
 *
 * @param signal stops after the current group
 */
export async function* tryFile({
  input,
  importer,
  signal,
}: {
  input: ImportInput;
  importer: Pick<Importer, 'preview'>;
  signal: AbortSignal;
}): AsyncGenerator<DryStep, void> {
  const repeats = createRepeats();
  let state = BEGINNING;
  for await (const group of groupsOf(input, BEGINNING)) {
    if (signal.aborted) return;
    const found = await importer.preview(input.kind, group.lines);
    const refused = allRefused(group, found.refused);
    const repeated = repeatsIn(group, refused, repeats);
    // A later line of a record finds what the earlier one leaves, not what is stored now.
    const after = new Map(repeated.map(({ number, outcome }) => [number, outcome]));
    const counts: Counts = { created: 0, updated: 0, unchanged: 0, deleted: 0 };
    for (const { number, outcome } of found.outcomes) counts[after.get(number) ?? outcome]++;
    state = advanced(state, group, counts, { refused, repeated });
    yield { state, refused, repeated, isIncomplete: repeats.isIncomplete() };
  }
}
