import { CliError } from './failure.ts';

/** A signal that Ctrl-C and SIGTERM abort. The second one ends the process at once. */
export const untilInterrupted = (): AbortSignal => {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => controller.abort(new CliError('Interrupted.')));
  }
  return controller.signal;
};
