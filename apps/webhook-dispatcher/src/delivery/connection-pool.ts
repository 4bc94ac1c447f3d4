import { Client } from 'undici';
import { Connection, type ConnectorOptions, guardedConnector } from './connect.ts';

/** A socket is used again only so soon after its last answer, in milliseconds: later its end may be on the way. */
const REUSE_WITHIN = 900;
/** When the client closes an idle socket, in milliseconds: well after the last use, or it would close one just taken. */
const CLOSE_AFTER = 2000;
const MAX_HEADER_BYTES = 16_384;

/** One connection to an origin, with one attempt at a time. */
export type PooledConnection = { origin: string; client: Client; connection: Connection; idleSince: number };

/** The connections of a sender. None is shared, so that nothing waits behind another attempt. */
export type ConnectionPool = {
  /** An idle connection to this origin, else a new one. */
  take(origin: string): PooledConnection;
  /** Gives back a connection whose answer has been read to its end; one that ended with it is dropped. */
  keep(line: PooledConnection): void;
  /** Closes a connection, also while it is being opened. */
  drop(line: PooledConnection): void;
  close(): Promise<void>;
};

/** @param connectTimeout milliseconds until a hanging connection is given up */
export const createConnectionPool = (options: ConnectorOptions, connectTimeout: number): ConnectionPool => {
  const idle = new Map<string, PooledConnection[]>();
  const all = new Set<PooledConnection>();

  const open = (origin: string): PooledConnection => {
    const connection = new Connection();
    const client = new Client(origin, {
      connect: guardedConnector(connection, options, connectTimeout),
      pipelining: 1,
      keepAliveTimeout: CLOSE_AFTER,
      keepAliveMaxTimeout: CLOSE_AFTER,
      keepAliveTimeoutThreshold: 0,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    const line = { origin, client, connection, idleSince: 0 };
    all.add(line);
    // One client is one connection: when that ends, nothing may wait for another one inside it.
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
      // The last one given back is the freshest: if that is too old, all are, and the client closes them.
      const line = idle.get(origin)?.pop();
      if (line === undefined || performance.now() - line.idleSince < REUSE_WITHIN)
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
