/*
 * A spreadsheet takes a cell for a formula if it begins with one of these characters. CSV output puts an apostrophe in
 * front of such a cell, and `--from` removes it, so that a record that is written and read again is the same.
 */

/** Puts an apostrophe in front of a text that a spreadsheet or `unguarded` would take for something else. */
export const guarded = (text: string): string =>
  /^(?:[=+\-@\t\r]|'[=+\-@\t\r'])/.test(text) ? `'${text}` : text;

/** Removes the apostrophe of `guarded`. */
export const unguarded = (text: string): string => (/^'[=+\-@\t\r']/.test(text) ? text.slice(1) : text);
