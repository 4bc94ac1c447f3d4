import { once } from 'node:events';
import { ignoreClosedStderr, printable } from '@chairside/terminal';

const STDOUT_PROBLEMS: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full. Free some space, then run the same command again.',
};

/**
 * Ends the program without a message if the reader of stdout, such as `head`, has closed the pipe. Ends it with a
 * message if a write fails for another reason. Without a reader of stderr, the program goes on.
 */
export const endWithReader = (): void => {
  ignoreClosedStderr();
  process.stdout.on('error', ({ code = '', message }: NodeJS.ErrnoException) => {
    if (code !== 'EPIPE') process.stderr.write(`stdout: ${STDOUT_PROBLEMS[code] ?? message}\n`);
    process.exit(code === 'EPIPE' ? process.exitCode : 1);
  });
};

/** Writes to stdout, and waits while the reader is slow. */
export const write = async (text: string): Promise<void> => {
  if (text !== '' && !process.stdout.write(printable(text, process.stdout)))
    await once(process.stdout, 'drain');
};

/** Writes a message to stderr, so that stdout contains only results. */
export const say = (line: string): void => {
  process.stderr.write(printable(`${line}\n`, process.stderr));
};
