import type { Turn } from './turn.ts';

/** The turns of a run, by what was measured: a row of the report each. */
export type Turns = ReadonlyMap<string, readonly Turn[]>;

/** What one part of the bench measured. */
export type Part = {
  /** Markdown, with its heading. */
  text: string;
  /** All turns that count. */
  turns: Turns;
};

/** The rows of a table in markdown. */
export const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
