import { Connection, type ConnectorOptions, guardedConnector } from './connect.ts';

/** How long a probe may take, the look-up included, in milliseconds. */
const TIMEOUT = 3000;
/** What a host, or the name server that knows it, says by itself: somebody has answered. */
const REFUSALS = ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND'];

/** Whether a connection was made, something refused it, or nothing was heard. */
export type ProbeResult = 'reached' | 'refused' | 'silent';

/**
 * Tries whether an origin can be connected to, under the same policy as an attempt. Sends no request; the connection is
 * closed at once.
 */
export const createProbe =
  (options: ConnectorOptions) =>
  (origin: string): Promise<ProbeResult> =>
    new Promise((resolve) => {
      const { protocol, hostname, port, host } = new URL(origin);
      const connection = new Connection();
      const end = (result: ProbeResult): void => {
        clearTimeout(timer);
        connection.isAbandoned = true;
        resolve(connection.address === undefined ? result : 'reached');
      };
      const timer = setTimeout(() => end('silent'), TIMEOUT);
      const connect = guardedConnector(connection, options, TIMEOUT);
      connect(
        { protocol, hostname, host, port: port || (protocol === 'https:' ? '443' : '80') },
        (...[error, socket]) => {
          if (error === null) {
            socket.destroy();
            return end('reached');
          }
          const { code = '' } = error as NodeJS.ErrnoException;
          end(REFUSALS.includes(code) ? 'refused' : 'silent');
        },
      );
    });
