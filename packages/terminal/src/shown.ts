const UNSHOWN = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;
/** The same characters, and the sequences with which `styleText` sets colours. */
const WITH_FORMAT = new RegExp(`\\u001b\\[[\\d;]*m|${UNSHOWN.source}`, 'gu');

const escapedCharacter = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
};

/** Escapes control and format characters, because a value may contain characters that move the cursor of a terminal. */
export const shown = (value: string): string => value.replace(UNSHOWN, escapedCharacter);

/**
 * The text to write to a stream. For a terminal, control characters are escaped except line breaks and colours, so that
 * a value that nobody has escaped cannot move the cursor.
 */
export const printable = (text: string, { isTTY }: { isTTY?: boolean }): string =>
  isTTY === true
    ? text.replace(WITH_FORMAT, (found) =>
        found === '\n' || found.length > 2 ? found : escapedCharacter(found),
      )
    : text;
