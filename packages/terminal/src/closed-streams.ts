/**
 * Lets a command run to its end with its own exit code if nobody reads its messages any more, as in `2>&1 | head`. Call it
 * before the first message.
 */
export const ignoreClosedStderr = (): void => {
  process.stderr.on('error', () => {});
};
