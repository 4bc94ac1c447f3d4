/** What an examination found about one thing, and what to do about it if it is not well. */
export type Verdict = { check: string; ok: boolean; finding: string; cure?: string };
