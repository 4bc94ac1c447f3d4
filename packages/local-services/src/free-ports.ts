import { freePort } from '@chairside/processes';

const TRIES = 5;

/**
 * Starts a server with free ports, and again with others if another program has taken one between the choice and the
 * bind.
 *
 * @param start must throw an error whose message contains what the server has written
 */
export const withFreePorts = async <T>(
  count: number,
  start: (ports: readonly number[]) => Promise<T>,
): Promise<T> => {
  for (let tries = 1; ; tries++) {
    const ports = new Set<number>();
    while (ports.size < count) ports.add(await freePort());
    try {
      return await start([...ports]);
    } catch (error) {
      if (tries === TRIES || !String(error).includes('Address already in use')) throw error;
    }
  }
};
