import type { Span, Tracer } from '@chairside/runtime';
import type { CommandStartedEvent, MongoClient, MongoError } from 'mongodb';

/** The collection that a command is about: its first value, but for `getMore`, whose first value is a cursor. */
const collectionOf = ({ commandName, command }: CommandStartedEvent): string | undefined => {
  const name = commandName === 'getMore' ? command.collection : command[commandName];
  return typeof name === 'string' ? name : undefined;
};

/**
 * Makes each command a part of the span that is under way: its name and its collection, nothing of what it asks for or
 * gets. The client must monitor its commands.
 */
export const traceCommands = (client: MongoClient, tracer: Tracer): void => {
  const underWay = new Map<number, Span>();
  client.on('commandStarted', (event) => {
    const { commandName, databaseName, requestId } = event;
    const collection = collectionOf(event);
    const span = tracer.startPart(`${commandName}${collection ? ` ${collection}` : ''}`, 'client', {
      'db.system.name': 'mongodb',
      'db.namespace': databaseName,
      'db.operation.name': commandName,
      'db.collection.name': collection,
    });
    if (span !== undefined) underWay.set(requestId, span);
  });
  const end = (requestId: number, failure?: string) => {
    underWay.get(requestId)?.end(failure);
    underWay.delete(requestId);
  };
  client.on('commandSucceeded', ({ requestId }) => end(requestId));
  client.on('commandFailed', ({ requestId, failure }) => {
    // A message may quote what was asked for.
    const { code, name } = failure as MongoError;
    end(requestId, String(code ?? name));
  });
};
