/** Aborts at the first Ctrl-C or SIGTERM. A second signal of the same kind ends the process. */
export const interruption = (): AbortSignal => {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
  return controller.signal;
};
