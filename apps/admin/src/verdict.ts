/** The result of one check, and what to do if there is a problem. */
export type Verdict = { check: string; ok: boolean; finding: string; hint?: string };
