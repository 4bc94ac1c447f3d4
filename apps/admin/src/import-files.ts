import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { ImportCounts, ImportEvents, RefusedLine } from '@chairside/mongodb';

/** Which import of which file this is: another one does not go on where it stopped. */
export type ImportIdentity = {
  organizationId: string;
  kind: string;
  events: ImportEvents;
  size: number;
  modified: number;
};

/** How far an import is: everything before `offset` is in the database. */
export type ImportState = ImportCounts & {
  offset: number;
  number: number;
  refused: number;
  /** Bytes of the report of refused lines that belong to what is before `offset`. */
  reportBytes: number;
};

const BEGINNING: ImportState = {
  offset: 0,
  number: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  refused: 0,
  reportBytes: 0,
};

/** The files beside the input: how far the import is, and which lines were refused. */
export type ImportFiles = {
  /** Where an interrupted import goes on, or the beginning. */
  state: ImportState;
  reportFile: string;
  /** Stores a step; a crash before its end repeats it, which is harmless. */
  save(state: ImportState, refused: readonly RefusedLine[]): Promise<ImportState>;
  /** Ends the import: the next one begins at the beginning. */
  finish(): Promise<void>;
  close(): Promise<void>;
};

const readState = async (file: string, identity: ImportIdentity): Promise<ImportState> => {
  try {
    const kept = JSON.parse(await readFile(file, 'utf8'));
    return JSON.stringify(kept.identity) === JSON.stringify(identity) ? kept.state : BEGINNING;
  } catch (error) {
    // None yet, or one that a dying machine has cut: from the beginning is right, if slower.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return BEGINNING;
    throw error;
  }
};

export const openImportFiles = async (file: string, identity: ImportIdentity): Promise<ImportFiles> => {
  const base = `${file}.${identity.organizationId}.${identity.kind}`;
  const progressFile = `${base}.progress.json`;
  const reportFile = `${base}.refused.ndjson`;
  const state = await readState(progressFile, identity);
  let report: FileHandle | undefined;
  if (state.reportBytes === 0) await rm(reportFile, { force: true });
  else {
    report = await open(reportFile, constants.O_RDWR | constants.O_NOFOLLOW);
    // Lines that were reported by a step that was not stored come again.
    await report.truncate(state.reportBytes);
  }

  return {
    state,
    reportFile,
    async save(next, refused) {
      let { reportBytes } = next;
      if (refused.length > 0) {
        const text = refused
          .map(({ number, reason }) => `${JSON.stringify({ line: number, reason })}\n`)
          .join('');
        // Never through a link: whoever can write to the folder could have made one under this name.
        report ??= await open(reportFile, 'wx', 0o600);
        const { bytesWritten } = await report.write(text, reportBytes);
        reportBytes += bytesWritten;
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
