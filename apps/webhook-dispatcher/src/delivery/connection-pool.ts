import { Client } from 'undici';
import { Connection, type ConnectorOptions, guardedConnector } from './connect.ts';

/** How long a socket may be reused after its last response. After that, the receiver may already be closing it. */
const REUSE_WITHIN_MS = 900;
/**
 * How long the client keeps an idle socket open. It is longer than REUSE_WITHIN_MS, so that the client does not close a
 * socket that is about to be reused.
 */
const CLOSE_AFTER_MS = 2000;
const MAX_HEADER_BYTES = 16_384;

/** A connection to an origin. It carries one attempt at a time. */
export type PooledConnection = { origin: string; client: Client; connection: Connection; idleSince: number };

/** The connections of a sender. Concurrent attempts never share a connection, so none waits for another. */
export type ConnectionPool = {
  /** Returns an idle connection to this origin, or a new one. */
  take(origin: string): PooledConnection;
  /** Returns a connection to the pool after its response has been read completely. A closed connection is dropped. */
  keep(line: PooledConnection): void;
  /** Closes a connection, even while it is being opened. */
  drop(line: PooledConnection): void;
  close(): Promise<void>;
};

/** @param connectTimeout milliseconds until opening a connection times out */
export const createConnectionPool = (options: ConnectorOptions, connectTimeout: number): ConnectionPool => {
  const idle = new Map<string, PooledConnection[]>();
  const all = new Set<PooledConnection>();

  const open = (origin: string): PooledConnection => {
    const connection = new Connection();
    const client = new Client(origin, {
      connect: guardedConnector(connection, options, connectTimeout),
      pipelining: 1,
      keepAliveTimeout: CLOSE_AFTER_MS,
      keepAliveMaxTimeout: CLOSE_AFTER_MS,
      keepAliveTimeoutThreshold: 0,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    const line = { origin, client, connection, idleSince: 0 };
    all.add(line);
    // After a disconnect, a client would open another connection for a waiting request. The pool drops the client
    // instead, so a client lives as long as its connection.
    client.on('disconnect', () => drop(line));
    return line;
  };

  const drop = (line: PooledConnection): void => {
    const { origin, client, connection } = line;
    connection.isAbandoned = true;
    all.delete(line);
    const others = idle.get(origin)?.filter((other) => other !== line) ?? [];
    if (others.length === 0) idle.delete(origin);
    else idle.set(origin, others);
    client.destroy().catch(() => {});
  };

  return {
    take(origin) {
      // The last connection is the one that was returned last. If it is too old, all idle connections of the origin are
      // too old. Each client closes its idle connection after CLOSE_AFTER_MS.
      const line = idle.get(origin)?.pop();
      if (line === undefined || performance.now() - line.idleSince < REUSE_WITHIN_MS)
        return line ?? open(origin);
      drop(line);
      return open(origin);
    },
    keep(line) {
      if (!line.client.stats.connected) return drop(line);
      line.idleSince = performance.now();
      idle.set(line.origin, [...(idle.get(line.origin) ?? []), line]);
    },
    drop,
    async close() {
      await Promise.all([...all].map(({ client }) => client.destroy().catch(() => {})));
    },
  };
};
