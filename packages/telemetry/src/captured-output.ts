import { ServiceError } from '@chairside/domain';
import { logOutput } from './log-output.ts';
import { loggableError } from './loggable-error.ts';

type Log = {
  warn(fields: object, message: string): void;
  fatal(fields: object, message: string): void;
};

const METHODS = ['debug', 'error', 'info', 'log', 'trace', 'warn'] as const;

/** Prints a text on stderr, also after `captureOutput`. */
export const printError: (text: string) => void = console.error;

/**
 * Makes the log contain what libraries and Node.js would write past it: the console, warnings and uncaught errors. An
 * uncaught error ends the process. Texts are withheld, because they may quote a record. The stack shows who wrote them.
 */
export const captureOutput = (log: Log): void => {
  for (const method of METHODS)
    console[method] = (...given: unknown[]) => {
      const error =
        given.find((each) => each instanceof Error) ?? new ServiceError('a text, which is withheld');
      log.warn({ err: loggableError(error) }, 'a library wrote to the console');
    };
  logOutput().onLost((lines) => log.warn({ lines }, 'log lines were lost: the output was full'));
  // Without its own listener, Node.js prints warnings.
  process.removeAllListeners('warning');
  process.on('warning', (warning) => log.warn({ err: loggableError(warning) }, 'a warning of Node.js'));
  process.on('uncaughtException', (error) => {
    log.fatal({ err: loggableError(error) }, 'uncaught error');
    process.exit(1);
  });
};
