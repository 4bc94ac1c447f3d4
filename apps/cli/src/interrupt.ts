import { CliError } from './failure.ts';

/** An abort signal for Ctrl-C and SIGTERM. A second Ctrl-C or SIGTERM ends the process at once. */
export const untilInterrupted = (): AbortSignal => {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => controller.abort(new CliError('Interrupted.')));
  }
  return controller.signal;
};
