import { once } from 'node:events';

/** Ends the program without an error when the reader of stdout, for example `head`, has closed the pipe. */
export const endWithReader = (): void => {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.stderr.write(`stdout: ${error.message}\n`);
    process.exit(error.code === 'EPIPE' ? 0 : 1);
  });
};

/** Writes to stdout, and waits while the reader is slow. */
export const write = async (text: string): Promise<void> => {
  if (text !== '' && !process.stdout.write(text)) await once(process.stdout, 'drain');
};

/** Writes a message to stderr, so that stdout contains only results. */
export const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

/** Escapes control characters, because a value may contain characters that move the cursor of a terminal. */
export const shown = (value: string): string =>
  value.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
