import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { type AllowedNetworks, mayDial } from '@chairside/domain';
import { buildConnector } from 'undici';

/** How far a connection got: what broke before it was open is told by its phase. */
export type ConnectPhase = 'lookup' | 'connect' | 'tls' | 'open';

/** What one connection went through. */
export type Connection = { phase: ConnectPhase; address?: string };

/** The address behind the URL is one that no webhook may be sent to. */
export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
}

type Address = { address: string; family: number };

const addressesOf = async (host: string): Promise<Address[]> =>
  isIP(host) === 0 ? lookup(host, { all: true }) : [{ address: host, family: isIP(host) }];

/**
 * A connector that looks a name up, asks whether every address behind it may be dialled, and dials one of the very
 * addresses it asked about. A name with one forbidden address is refused whole: which one would be dialled is chance.
 *
 * @param connection is told how far it got
 * @param timeout milliseconds until a hanging connection is given up
 */
export const guardedConnector = (
  connection: Connection,
  allowed: AllowedNetworks,
  timeout: number,
): buildConnector.connector => {
  const connect = async (...[options, callback]: Parameters<buildConnector.connector>): Promise<void> => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    const addresses = await addressesOf(host);
    const blocked = addresses.find(({ address }) => !mayDial(address, options.protocol, allowed));
    if (blocked !== undefined || addresses.length === 0) {
      throw new BlockedAddressError(
        `${options.protocol}//${blocked?.address} is not an address that webhooks may go to`,
      );
    }
    const checked: LookupFunction = (_host, { all }, done) => {
      const [first] = addresses;
      if (all) done(null, addresses);
      else done(null, first?.address ?? '', first?.family);
    };
    connection.phase = 'connect';
    const dial = buildConnector({ lookup: checked, timeout, allowH2: false });
    const socket = dial(
      { ...options, hostname: host, servername: options.servername ?? (isIP(host) === 0 ? host : '') },
      (...[error, opened]: Parameters<buildConnector.Callback>) => {
        if (error === null) {
          connection.phase = 'open';
          connection.address = opened.remoteAddress ?? '';
        }
        callback(...([error, opened] as Parameters<buildConnector.Callback>));
      },
    ) as unknown as import('node:net').Socket;
    socket.once('connect', () => {
      connection.address = socket.remoteAddress ?? '';
      if (options.protocol === 'https:') connection.phase = 'tls';
    });
  };

  return (options, callback) => {
    connect(options, callback).catch((error: Error) => callback(error, null));
  };
};
