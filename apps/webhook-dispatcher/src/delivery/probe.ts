import type { ProbeResult } from '../outage/outage-watch.ts';
import { Connection, type ConnectorOptions, guardedConnector } from './connect.ts';

/** How long a probe may take, including the name lookup. */
const TIMEOUT_MS = 3000;
/** Errors that show that the host or its name server responded. */
const REFUSALS = ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND'];

/**
 * Opens a connection to an origin under the same address policy as an attempt. Sends no request and closes the
 * connection at once.
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
      const timer = setTimeout(() => end('silent'), TIMEOUT_MS);
      const connect = guardedConnector(connection, options, TIMEOUT_MS);
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
