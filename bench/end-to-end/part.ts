import type { Turn } from './turn.ts';

/** The turns of a run, by measurement. Each measurement is a row of the report. */
export type Turns = ReadonlyMap<string, readonly Turn[]>;

/** The result of one part of the bench. */
export type Part = {
  /** Markdown, with its heading. */
  text: string;
  /** All turns except warm-ups. */
  turns: Turns;
};

/** Returns a table in Markdown. */
export const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
