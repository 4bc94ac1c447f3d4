import { hash } from 'node:crypto';
import type { ResourceLimit } from '@chairside/domain';
import type { LineOutcome, NumberedSettingLine } from '@chairside/mongodb/administration';

/** How many records of a file are remembered. Each takes about 150 bytes. */
const MAX_REMEMBERED = 500_000;

export const repeatLimits: readonly ResourceLimit[] = [
  {
    id: 'import_remembered',
    part: 'Imports',
    resource: 'Records of a file among which repeated external ids are found',
    value: MAX_REMEMBERED,
    unit: 'records',
    beyond: 'the import goes on, and says that it finds no repetition of later records',
  },
];

/** A line whose record has an earlier line in the same file, and what it does to what that line leaves. */
export type Repeat = { number: number; earlier: number; outcome: LineOutcome };

/** Finds the lines of a file that are about the same record. */
export type Repeats = {
  /** @returns undefined if no earlier line that was met is about the record of this one */
  meet(line: NumberedSettingLine): Repeat | undefined;
  /** Whether some lines were not remembered. */
  isIncomplete(): boolean;
};

/** What is kept of a line: hashes of nine bytes, whatever its length. */
type Met = { number: number; content: string; isDeletion: boolean };
const digestOf = (text: string): string => hash('sha256', text, 'buffer').toString('base64url', 0, 9);

const outcomeAfter = (before: Met, line: Met): LineOutcome => {
  if (before.content === line.content) return 'unchanged';
  if (line.isDeletion) return 'deleted';
  return before.isDeletion ? 'created' : 'updated';
};

export const createRepeats = (max = MAX_REMEMBERED): Repeats => {
  const met = new Map<string, Met>();
  let isIncomplete = false;
  return {
    meet({ number, line }) {
      const id = digestOf(line.externalId);
      const own = { number, content: digestOf(JSON.stringify(line)), isDeletion: 'deleted' in line };
      const before = met.get(id);
      if (before !== undefined || met.size < max) met.set(id, own);
      else isIncomplete = true;
      return before && { number, earlier: before.number, outcome: outcomeAfter(before, own) };
    },
    isIncomplete: () => isIncomplete,
  };
};
