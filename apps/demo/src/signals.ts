/**
 * Calls the function when this process must stop: at a signal, and when the process that runs the command has ended.
 * Does not keep this process alive.
 */
export const onStop = (stop: () => void): void => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  process.on('disconnect', stop);
  // The listener alone would keep the channel open, and this process running.
  process.channel?.unref();
};
