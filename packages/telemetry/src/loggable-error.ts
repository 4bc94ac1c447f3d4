import { ServiceError } from '@chairside/domain';

/** The names of foreign errors whose messages describe machines and faults, not values of records. */
const SAFE_NAMES =
  /^(Refusal|TypeError|ReferenceError|ReplyError|MaxRetriesPerRequestError|Mongo(Network|NetworkTimeout|ServerSelection|TopologyClosed|PoolCleared|OperationTimeout|WaitQueueTimeout)Error)$/;
const MAX_CAUSES = 3;
const WITHHELD = 'withheld: it may quote a record';

export type LoggableError = { [key: string]: unknown; type: string; message: string; stack: string };

/**
 * Returns the parts of an error that may be logged: its name, its codes, its stack, and up to three nested causes. The
 * message is included only for errors of this service and others that cannot quote stored data. For example, a database's message about a
 * duplicate or invalid document does quote it.
 */
export const loggableError = (error: unknown, depth = 0): LoggableError => {
  if (!(error instanceof Error)) return { type: typeof error, message: WITHHELD, stack: '' };
  const { name, message, stack = '', cause } = error;
  const { code, codeName } = error as { code?: unknown; codeName?: unknown };
  const isSystemError = typeof code === 'string' && /^E[A-Z_]+$/.test(code);
  return {
    type: name,
    ...(code !== undefined && { code }),
    ...(codeName !== undefined && { codeName }),
    message: error instanceof ServiceError || SAFE_NAMES.test(name) || isSystemError ? message : WITHHELD,
    // The stack begins with the message, which is removed. A line of the message may look like a line of the stack.
    stack: stack
      .slice(stack.includes(message) ? stack.indexOf(message) + message.length : 0)
      .split('\n')
      .filter((line) => /^ {4}at /.test(line))
      .join('\n'),
    ...(cause !== undefined && depth < MAX_CAUSES && { cause: loggableError(cause, depth + 1) }),
  };
};
