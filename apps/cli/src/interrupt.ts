import { CliError, EXIT } from './failure.ts';

/** An abort signal for Ctrl-C and SIGTERM. A second Ctrl-C or SIGTERM ends the process at once. */
export const untilInterrupted = (): AbortSignal => {
  const controller = new AbortController();
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort(new CliError('Interrupted.'));
  };
  // The listener stays installed, because write-file-atomic ends the process on a signal without another listener.
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, interrupt);
  return controller.signal;
};
