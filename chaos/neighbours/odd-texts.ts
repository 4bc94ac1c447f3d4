/** One of these, at random. */
export const oneOf = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T;

/** Texts that grow, or take long, when they are normalized, compared, sorted or shown. */
const ODD_TEXTS: readonly ((length: number) => string)[] = [
  // 18 letters and 4 words each after NFKD.
  (length) => '\u{FDFA}'.repeat(length),
  (length) => `a${'\u0301\u0323\u0302'.repeat(length)}`,
  (length) => Array.from({ length }, (_, index) => index.toString(36)).join(' '),
  (length) => '\u{1D504}\u{1F1E6}'.repeat(length),
  (length) => '山'.repeat(length),
  (length) => "O'-".repeat(length),
  (length) => '٣ '.repeat(length),
  (length) => '+4 '.repeat(length),
  (length) => '\u202E\u200D'.repeat(length),
  (length) => '{"a":['.repeat(length),
];
/** @param maxLength in UTF-16 code units */
export const oddText = (maxLength: number): string => oneOf(ODD_TEXTS)(maxLength).slice(0, maxLength);
/** The names of patients whose comparison with a search takes longest. */
export const oddNames = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${oneOf(ODD_TEXTS)(150).slice(0, 480)} ${index}`);
