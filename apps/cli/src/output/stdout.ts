import { once } from 'node:events';

/** Ends the program quietly when the reader of stdout has gone, such as `head`. */
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

/** Writes a line about the work to stderr, so that stdout has results only. */
export const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};
