import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { ImportCounts, ImportEvents, RefusedLine } from '@chairside/mongodb/administration';

/** Identifies an import and its file. An import continues only the progress of an import with the same identity. */
export type ImportIdentity = {
  organizationId: string;
  kind: string;
  events: ImportEvents;
  format: 'ndjson' | 'csv';
  size: number;
  modified: number;
};

/** The progress of an import. All lines before `offset` have been imported or refused. */
export type ImportState = ImportCounts & {
  offset: number;
  number: number;
  /** Number of deleted settings. Records are never deleted by an import. */
  deleted: number;
  refused: number;
  /** Number of lines whose record has an earlier line in the same file. */
  repeated: number;
  /** Number of bytes in the report of refused lines that belong to the lines before `offset`. */
  reportBytes: number;
};

/** The state of an import that has not begun. */
export const BEGINNING: ImportState = {
  offset: 0,
  number: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  deleted: 0,
  refused: 0,
  repeated: 0,
  reportBytes: 0,
};

/** The files next to the input: the progress of the import, and its refused lines. */
export type ImportFiles = {
  /** The state from which the import continues; the beginning for a new import. */
  state: ImportState;
  reportFile: string;
  /** Stores a step. If a crash interrupts this call, the next run may repeat the step, which is harmless. */
  save(state: ImportState, refused: readonly RefusedLine[]): Promise<ImportState>;
  /** Ends the import. The next one starts at the beginning. */
  finish(): Promise<void>;
  close(): Promise<void>;
};

const readState = async (file: string, identity: ImportIdentity): Promise<ImportState> => {
  try {
    const kept = JSON.parse(await readFile(file, 'utf8'));
    const isSame = JSON.stringify(kept.identity) === JSON.stringify(identity);
    return isSame ? kept.state : BEGINNING;
  } catch (error) {
    // The file does not exist, or a crash has truncated it. Starting at the beginning is correct, only slower.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return BEGINNING;
    throw error;
  }
};

/** Opens the report of an interrupted import. @returns undefined if it was taken away, for example to correct its lines */
const openReport = async (file: string): Promise<FileHandle | undefined> => {
  try {
    return await open(file, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

export const openImportFiles = async (file: string, identity: ImportIdentity): Promise<ImportFiles> => {
  const base = `${file}.${identity.organizationId}.${identity.kind}`;
  const progressFile = `${base}.progress.json`;
  const reportFile = `${base}.refused.ndjson`;
  const read = await readState(progressFile, identity);
  let report: FileHandle | undefined;
  if (read.reportBytes === 0) await rm(reportFile, { force: true });
  else report = await openReport(reportFile);
  // Drop lines of a step that was not stored. The step is repeated and reports them again.
  await report?.truncate(read.reportBytes);
  const state = report === undefined ? { ...read, reportBytes: 0 } : read;

  return {
    state,
    reportFile,
    async save(next, refused) {
      let { reportBytes } = next;
      if (refused.length > 0) {
        const text = refused
          .map(({ number, reason }) => `${JSON.stringify({ line: number, reason })}\n`)
          .join('');
        // `ax` never follows a link: another user with access to the folder could have created one under this name.
        report ??= await open(reportFile, 'ax', 0o600);
        // Unlike write, appendFile fails if the disk becomes full after a part of the text.
        await report.appendFile(text);
        reportBytes += Buffer.byteLength(text);
      }
      const saved = { ...next, reportBytes };
      const beside = `${progressFile}.${randomBytes(8).toString('hex')}.new`;
      await writeFile(beside, JSON.stringify({ identity, state: saved }), { flag: 'wx', mode: 0o600 });
      await rename(beside, progressFile);
      return saved;
    },
    finish: () => rm(progressFile, { force: true }),
    close: async () => report?.close(),
  };
};
