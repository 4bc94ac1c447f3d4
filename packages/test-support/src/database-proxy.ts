import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { BSON, type Document, MongoClient, ObjectId } from 'mongodb';
import { ConnectionString } from 'mongodb-connection-string-url';
import { messageReader, readMessage, responseTo, type WireMessage, withDocument } from './wire-message.ts';

/** What the proxy does with a command that a rule matches. */
export type Fault =
  /** The command is not run. The response has this error code. */
  | { kind: 'error'; code: number; labels?: readonly string[] }
  /** The command is run. The response has a write concern error with this code. */
  | { kind: 'writeConcernError'; code: number }
  /** The connection is closed before the command is run, or after it has run and before its response. */
  | { kind: 'cut'; when: 'before' | 'after' }
  /** The command is run when `until` resolves. If `until` never resolves, the command is never run. */
  | { kind: 'delay'; until: Promise<unknown> }
  /** The command is run. The response is the one that `change` makes of the response of the database. */
  | { kind: 'response'; change(response: Document): Document };

export type Rule = {
  matches(name: string, command: Document): boolean;
  fault: Fault;
  /** The number of commands that the rule applies to. By default, it applies to all commands until it is removed. */
  times?: number;
};

/** A proxy between a database driver and the database. It reads their messages and injects faults. */
export type DatabaseProxy = {
  /** The URL that reaches the database through the proxy. */
  url: string;
  /**
   * Adds a rule. Rules do not apply to commands that the driver sends on its own, such as the initial handshake.
   *
   * @returns a function that removes the rule and returns the number of commands it was applied to
   */
  inject(rule: Rule): () => number;
  /**
   * Makes the server refuse every command of a caller with the error of a member that is not the primary. In
   * replica-set mode, the server also reports that it is a secondary.
   */
  stepDown(): void;
  /** Makes the server a primary again. */
  elect(): void;
  /** Stops reading from the driver, even in the middle of a message. */
  turnDeaf(): void;
  close(): Promise<void>;
};

const isGreeting = (name: string): boolean => /^(hello|ismaster)$/i.test(name);
/** Whether the driver sends this command on its own. */
const isOfDriver = (name: string): boolean =>
  isGreeting(name) || name === 'endSessions' || name === 'killCursors';

/** The error codes that a member of a replica set labels as retryable, so that the driver sends the write again. */
const RETRYABLE_CODES: readonly number[] = [
  6, 7, 89, 91, 189, 262, 9001, 10_107, 11_600, 11_602, 13_435, 13_436,
];
/** The error code of a member that is not the primary. */
const NOT_PRIMARY = 10_107;
const labelsOf = (command: Document, code: number): string[] =>
  command.txnNumber !== undefined && RETRYABLE_CODES.includes(code) ? ['RetryableWriteError'] : [];

const refusal = (
  command: Document,
  { code, labels = labelsOf(command, code) }: Fault & { kind: 'error' },
) => ({
  ok: 0,
  code,
  errmsg: `injected ${code}`,
  errorLabels: labels,
});
const nameOf = (command: Document): string => Object.keys(command)[0] ?? '';

/**
 * The key of a write in a session. If the driver sends the write again, the proxy repeats the response and does not
 * run the write again.
 */
const writeKeyOf = ({ lsid, txnNumber }: Document): string | undefined =>
  txnNumber === undefined ? undefined : `${BSON.EJSON.stringify(lsid)} ${txnNumber}`;

export type DatabaseProxyOptions = {
  /** Whether the proxy acts as the primary of a replica set, with sessions and retryable writes. */
  replicaSet?: boolean;
};

/** Returns the host and the port of the server that accepts writes. */
const writableServer = async (url: string): Promise<{ host: string; port: number }> => {
  const client = new MongoClient(url);
  const { primary } = await client.db().admin().command({ hello: 1 });
  await client.close();
  const address: string = primary ?? new ConnectionString(url).hosts[0];
  const [, host = address, port = '27017'] = /^\[?(.+?)\]?(?::(\d+))?$/.exec(address) ?? [];
  return { host, port: Number(port) };
};

/** @param databaseUrl the URL of a server, or of a replica set whose primary the proxy uses */
export const startDatabaseProxy = async (
  databaseUrl: string,
  { replicaSet = false }: DatabaseProxyOptions = {},
): Promise<DatabaseProxy> => {
  const target = await writableServer(databaseUrl);
  const rules = new Map<Rule, number>();
  const sockets = new Set<Socket>();
  const doneWrites = new Map<string, Document>();
  let electionId = new ObjectId();
  let isPrimary = true;
  let isDeaf = false;

  const listener = createServer((client) => serve(client));
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = `127.0.0.1:${(listener.address() as AddressInfo).port}`;

  /**
   * Returns the handshake response without `topologyVersion`. In replica-set mode, it is that of the only member of a
   * replica set.
   */
  const greeting = ({ topologyVersion: _streams, ...said }: Document): Document => {
    if (!replicaSet) return said;
    // This field is removed, because drivers recognize a mongos by it.
    const { msg: _ofMongos, ...ofMember } = said;
    return {
      ...ofMember,
      setName: 'rs0',
      setVersion: 1,
      hosts: [address],
      me: address,
      isWritablePrimary: isPrimary,
      ismaster: isPrimary,
      secondary: !isPrimary,
      ...(isPrimary && { primary: address, electionId }),
      logicalSessionTimeoutMinutes: 30,
    };
  };

  const withFault = (command: Document, response: Document, fault: Fault | undefined): Document => {
    if (isGreeting(nameOf(command))) return greeting(response);
    if (fault?.kind === 'response') return fault.change(response);
    if (fault?.kind !== 'writeConcernError') return response;
    const { code } = fault;
    const writeConcernError = { code, errmsg: `injected ${code}` };
    return { ...response, writeConcernError, errorLabels: labelsOf(command, code) };
  };

  const faultFor = (name: string, command: Document): Fault | undefined => {
    if (isOfDriver(name)) return undefined;
    if (!isPrimary) return { kind: 'error', code: NOT_PRIMARY };
    for (const [rule, met] of rules) {
      if (met === (rule.times ?? Number.POSITIVE_INFINITY) || !rule.matches(name, command)) continue;
      rules.set(rule, met + 1);
      return rule.fault;
    }
    return undefined;
  };

  const serve = (client: Socket): void => {
    const server = connect(target);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
    /** Maps the id of each forwarded command to the function that handles its response. */
    const waiting = new Map<number, (response: Document) => void>();
    const say = (bytes: Buffer): void => void client.write(bytes);

    const passOn = (message: WireMessage, fault: Fault | undefined): void => {
      const { document: command, bytes } = message;
      const key = writeKeyOf(command);
      const respondWith = (response: Document): void => {
        if (key !== undefined) doneWrites.set(key, response);
        if (fault?.kind === 'cut') client.destroy();
        say(responseTo(message, withFault(command, response, fault)));
      };
      const done = doneWrites.get(key ?? '');
      if (done !== undefined) {
        respondWith(done);
        return;
      }
      waiting.set(message.requestId, respondWith);
      // In replica-set mode, these fields are removed, because the database may be no replica set and may not support
      // its sessions.
      const { lsid, txnNumber, $clusterTime, $readPreference, ...plain } = command;
      server.write(replicaSet ? withDocument(bytes, plain) : bytes);
    };

    const take = (message: WireMessage): void => {
      const { document: command } = message;
      const name = nameOf(command);
      const fault = faultFor(name, command);
      if (fault?.kind === 'cut' && fault.when === 'before') client.destroy();
      else if (fault?.kind === 'error') say(responseTo(message, refusal(command, fault)));
      else if (fault?.kind === 'delay') void fault.until.then(() => passOn(message, fault));
      else passOn(message, fault);
    };

    const readCommands = messageReader((bytes) => take(readMessage(bytes)));
    client.on('data', (chunk: Buffer) => {
      if (isDeaf) client.pause();
      else readCommands(chunk);
    });
    server.on(
      'data',
      messageReader((bytes) => {
        const response = readMessage(bytes);
        const resolve = waiting.get(response.responseTo);
        waiting.delete(response.responseTo);
        resolve?.(response.document);
      }),
    );
  };

  const url = new ConnectionString(databaseUrl);
  url.hosts = [address];
  if (replicaSet) {
    url.searchParams.set('replicaSet', 'rs0');
    // This is the shortest interval at which a driver may look for a primary.
    url.searchParams.set('heartbeatFrequencyMS', '500');
  } else {
    // With `replicaSet`, the driver would discover the members and bypass the proxy.
    url.searchParams.delete('replicaSet');
    url.searchParams.set('directConnection', 'true');
  }
  return {
    url: url.href,
    inject(rule) {
      rules.set(rule, 0);
      return () => {
        const met = rules.get(rule) ?? 0;
        rules.delete(rule);
        return met;
      };
    },
    stepDown() {
      isPrimary = false;
    },
    elect() {
      electionId = new ObjectId();
      isPrimary = true;
    },
    turnDeaf() {
      isDeaf = true;
    },
    async close() {
      listener.close();
      for (const socket of sockets) socket.destroy();
      if (listener.listening) await once(listener, 'close');
    },
  };
};
