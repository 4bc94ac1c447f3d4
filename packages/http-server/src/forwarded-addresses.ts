import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether a trusted proxy has written no address into `X-Forwarded-For` since the start of the process. */
    hasUnreadableCallers: boolean;
  }
}

/** An address with a port, or in brackets, as Azure Application Gateway and IIS write it (RFC 7239, 6 has the same form). */
const WITH_PORT = /^(?:\[(?<v6>[^\]]+)\]|(?<v4>[\d.]+))(?::\d+)?$/;

/**
 * The address in an entry of `X-Forwarded-For`, without a port and brackets.
 *
 * @param entry for example `203.0.113.7:51234` or `[2001:db8::1]:51234`
 * @returns undefined if the entry is no address
 */
export const plainAddress = (entry: string): string | undefined => {
  const { v4, v6 } = WITH_PORT.exec(entry.trim())?.groups ?? {};
  const address = v6 ?? v4 ?? entry.trim();
  return isIP(address) === 0 ? undefined : address;
};

/**
 * Brings `X-Forwarded-For` into the form that `request.ip` is read from: addresses without ports and brackets. An entry that
 * is no address ends the list, so the caller counts as the proxy that wrote the entry. If that was the last proxy, a warning
 * is logged once, and `hasUnreadableCallers` of the app is true from then on: all its callers share one network.
 *
 * @param trusted the proxies whose header is read; without any, the header is ignored
 */
export const forwardedAddresses = (app: FastifyInstance, trusted: readonly string[]): void => {
  app.decorate('hasUnreadableCallers', false);
  if (trusted.length === 0) return;
  app.addHook('onRequest', async ({ headers, log }) => {
    const sent = headers['x-forwarded-for'];
    // The api reads the header of the dashboard itself, and refuses one that is not an address.
    if (sent === undefined || headers['x-proxy-secret'] !== undefined) return;
    const addresses = String(sent).split(',').map(plainAddress);
    const last = addresses.lastIndexOf(undefined);
    if (last === addresses.length - 1 && !app.hasUnreadableCallers) {
      app.hasUnreadableCallers = true;
      log.warn(
        'a trusted proxy writes no IP address into X-Forwarded-For: all its callers count as one network. Configure the proxy to write the address of the caller',
      );
    }
    const readable = addresses.slice(last + 1);
    if (readable.length > 0) headers['x-forwarded-for'] = readable.join(', ');
    else delete headers['x-forwarded-for'];
  });
};
