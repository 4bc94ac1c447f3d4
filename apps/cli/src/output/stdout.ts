import { once } from 'node:events';
import { ignoreClosedStderr, printable } from '@chairside/terminal';

const STDOUT_PROBLEMS: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full. Free some space, then run the same command again.',
};

/** Whether the program ends when the reader of stdout has closed the pipe. */
let needsReader = true;
let hasReader = true;

/**
 * Ends the program without a message if the reader of stdout, such as `head`, has closed the pipe. Ends it with a
 * message if a write fails for another reason. Without a reader of stderr, the program goes on.
 */
export const endWithReader = (): void => {
  ignoreClosedStderr();
  process.stdout.on('error', ({ code = '', message }: NodeJS.ErrnoException) => {
    hasReader = false;
    if (code === 'EPIPE' && !needsReader) return;
    if (code !== 'EPIPE') process.stderr.write(`stdout: ${STDOUT_PROBLEMS[code] ?? message}\n`);
    process.exit(code === 'EPIPE' ? process.exitCode : 1);
  });
};

/** Lets the program go on without a reader of stdout, because its work is not only to print. */
export const goOnWithoutReader = (): void => {
  needsReader = false;
};

/** Writes to stdout, and waits while the reader is slow. */
export const write = async (text: string): Promise<void> => {
  if (text === '' || !hasReader || process.stdout.write(printable(text, process.stdout))) return;
  await once(process.stdout, 'drain').catch((error: NodeJS.ErrnoException) => {
    if (needsReader || error.code !== 'EPIPE') throw error;
  });
};

/** Writes a message to stderr, so that stdout contains only results. */
export const say = (line: string): void => {
  process.stderr.write(printable(`${line}\n`, process.stderr));
};
