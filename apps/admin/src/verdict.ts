/** The result of one check. `hint` says what to do. */
export type Verdict = { check: string; ok: boolean; finding: string; hint?: string };
