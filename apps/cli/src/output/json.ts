/** Characters that a terminal acts on or hides, except the line breaks that format the JSON. */
const UNSHOWN = /(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/gu;

const escaped = (character: string): string =>
  Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('');

/**
 * JSON for stdout. On a terminal, control and format characters are escaped, which does not change the value.
 *
 * @param indent the number of spaces per level. Without it, the JSON is one line
 */
export const jsonOf = (value: unknown, indent?: number): string => {
  const text = JSON.stringify(value, null, indent);
  return process.stdout.isTTY ? text.replace(UNSHOWN, escaped) : text;
};
