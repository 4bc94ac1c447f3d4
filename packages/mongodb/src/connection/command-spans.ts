import type { Span, Tracer } from '@chairside/telemetry';
import type { CommandStartedEvent, MongoClient, MongoError } from 'mongodb';

/** The collection of a command: the first value of the command, except for `getMore`, whose first value is a cursor. */
const collectionOf = ({ commandName, command }: CommandStartedEvent): string | undefined => {
  const name = commandName === 'getMore' ? command.collection : command[commandName];
  return typeof name === 'string' ? name : undefined;
};

/**
 * Records each command as part of the current span, with its name and collection but without values and results. The
 * client must have command monitoring enabled.
 */
export const traceCommands = (client: MongoClient, tracer: Tracer): void => {
  const inFlight = new Map<number, Span>();
  client.on('commandStarted', (event) => {
    const { commandName, databaseName, requestId } = event;
    const collection = collectionOf(event);
    const span = tracer.startPart(`${commandName}${collection ? ` ${collection}` : ''}`, 'client', {
      'db.system.name': 'mongodb',
      'db.namespace': databaseName,
      'db.operation.name': commandName,
      'db.collection.name': collection,
    });
    if (span !== undefined) inFlight.set(requestId, span);
  });
  const end = (requestId: number, failure?: string) => {
    inFlight.get(requestId)?.end(failure);
    inFlight.delete(requestId);
  };
  client.on('commandSucceeded', ({ requestId }) => end(requestId));
  client.on('commandFailed', ({ requestId, failure }) => {
    // The message is not recorded, because it may quote values of the command.
    const { code, name } = failure as MongoError;
    end(requestId, String(code ?? name));
  });
};
