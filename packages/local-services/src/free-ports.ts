import { freePort, isListening } from '@chairside/processes';

const TRIES = 5;
/** What a server writes about a port that it cannot have, with the port. */
const TAKEN = /:(\d+): bind: address already in use/gi;

/** Whether another program has one of these ports, or had it when a server wanted it. */
const areTaken = async (ports: readonly number[], error: unknown): Promise<boolean> => {
  const refused = [...String(error).matchAll(TAKEN)].map(([, port]) => Number(port));
  return (
    ports.some((port) => refused.includes(port)) || (await Promise.all(ports.map(isListening))).includes(true)
  );
};

/**
 * Starts a server with free ports, and again with others if another program has taken one between the choice and the
 * bind.
 *
 * @param start if it throws, nothing that it has started runs any more, and the message contains what the server has written
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
      if (tries === TRIES || !(await areTaken([...ports], error))) throw error;
    }
  }
};
