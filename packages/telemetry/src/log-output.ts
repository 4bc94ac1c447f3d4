import pino from 'pino';

/** What waits while nothing can be written, in characters. Lines beyond that are lost. */
const MAX_WAITING = 1024 * 1024;

/** Where a process writes its log lines. */
export type LogOutput = {
  write(line: string): void;
  /** Sets the listener that learns, when lines can be written again, how many were lost. */
  onLost(listener: (lines: number) => void): void;
};

/**
 * Opens an output for log lines that never ends the process. While the output accepts nothing, for example because its
 * disk is full, lines wait, and are written before the next line that finds room.
 *
 * @param fd standard output by default
 */
export const openLogOutput = (fd = 1): LogOutput => {
  // With a minimum of 0, `flush` does nothing. `flushSync` must not be called: it tries again for ever.
  const output = pino.destination({ dest: fd, sync: true, minLength: 1, maxLength: MAX_WAITING });
  let lost = 0;
  let isFull = false;
  let listener: (lines: number) => void = () => {};
  output.on('error', () => {
    isFull = true;
  });
  output.on('drop', () => lost++);
  output.on('write', () => {
    isFull = false;
    if (lost === 0) return;
    const lines = lost;
    lost = 0;
    setImmediate(() => listener(lines));
  });
  return {
    write(line) {
      // The library does not try to write when it drops a line.
      if (isFull) output.flush();
      output.write(line);
    },
    onLost(given) {
      listener = given;
    },
  };
};

let standard: LogOutput | undefined;
/** The log output of this process. */
export const logOutput = (): LogOutput => {
  standard ??= openLogOutput();
  return standard;
};
