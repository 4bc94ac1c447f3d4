import { isSettingKind, type RecordKind, type SettingKind } from '@chairside/domain';
import type {
  ImportEvents,
  Importer,
  NumberedLine,
  NumberedSettingLine,
  RefusedLine,
} from '@chairside/mongodb/administration';
import type { ImportFiles, ImportState } from './import-files.ts';
import { readLine, readLines } from './lines.ts';

/** A group ends when it has this number of lines or bytes. */
const MAX_GROUP_LINES = 500;
const MAX_GROUP_BYTES = 4 * 1_048_576;

/** Lines that are written in one step, and the place in the file where they end. */
type Group = {
  lines: NumberedSettingLine[];
  ids: Set<string>;
  refused: RefusedLine[];
  size: number;
  offset: number;
  number: number;
};

const emptyGroup = (): Group => ({ lines: [], ids: new Set(), refused: [], size: 0, offset: 0, number: 0 });

/** Splits the file into groups without repeated ids. If two lines have the same id, the later one wins. */
async function* groupsOf(
  file: string,
  kind: RecordKind | SettingKind,
  from: { offset: number; number: number },
): AsyncGenerator<Group, void> {
  let group = emptyGroup();
  for await (const raw of readLines(file, from)) {
    const { number, end, bytes } = raw;
    const read = readLine(kind, raw);
    const isRepeated = read !== undefined && 'line' in read && group.ids.has(read.line.externalId);
    if (
      isRepeated ||
      group.lines.length + group.refused.length >= MAX_GROUP_LINES ||
      group.size >= MAX_GROUP_BYTES
    ) {
      yield group;
      group = emptyGroup();
    }
    group.offset = end;
    group.number = number;
    group.size += bytes?.length ?? 0;
    if (read === undefined) continue;
    if ('line' in read) {
      group.ids.add(read.line.externalId);
      group.lines.push({ number, line: read.line });
    } else group.refused.push({ number, reason: read.reason });
  }
  if (group.number > 0) yield group;
}

/** Whether a line contains fields. Otherwise it deletes a setting; records have no such lines. */
const isWhole = (each: NumberedSettingLine): each is NumberedLine => 'fields' in each.line;

/**
 * Imports a file, continuing where its last import stopped. A group is written while the next one is read. The state is
 * stored after each group, so that Ctrl-C or a crash duplicates nothing.
 *
 * @param signal stops the import after the current group
 * @param onStep called after each group
 * @returns the state after the last group
 */
export const importFile = async (
  {
    file,
    kind,
    events,
    importer,
    files,
    signal,
  }: {
    file: string;
    kind: RecordKind | SettingKind;
    events: ImportEvents;
    importer: Importer;
    files: ImportFiles;
    signal: AbortSignal;
  },
  onStep: (state: ImportState) => void,
): Promise<ImportState> => {
  let state = files.state;
  const write = async (group: Group): Promise<void> => {
    const result = isSettingKind(kind)
      ? await importer.writeSettings(kind, group.lines)
      : { deleted: 0, ...(await importer.write(kind, group.lines.filter(isWhole), events)) };
    const { created, updated, unchanged, deleted, refused } = result;
    const allRefused = [...group.refused, ...refused].sort((one, other) => one.number - other.number);
    const next = {
      ...state,
      offset: group.offset,
      number: group.number,
      created: state.created + created,
      updated: state.updated + updated,
      unchanged: state.unchanged + unchanged,
      deleted: state.deleted + deleted,
      refused: state.refused + allRefused.length,
    };
    state = await files.save(next, allRefused);
    onStep(state);
  };

  let writing: Promise<void> = Promise.resolve();
  try {
    for await (const group of groupsOf(file, kind, state)) {
      await writing;
      if (signal.aborted) return state;
      writing = write(group);
      // The error is handled where `writing` is awaited.
      writing.catch(() => {});
    }
  } finally {
    await writing;
  }
  return state;
};
