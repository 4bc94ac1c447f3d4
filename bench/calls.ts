import { Pool } from 'undici';
import { pick } from './statistics.ts';

export type Caller = {
  /** @throws {Error} if the response is not a 200 */
  call(method: 'GET' | 'POST', path: string, body?: object): Promise<string>;
  close(): Promise<void>;
};

/** Calls an api over several connections, each time with one of the keys, so that no key reaches its rate limit. */
const openCaller = (url: string, authorizations: readonly string[], connections: number): Caller => {
  const pool = new Pool(url, { connections, pipelining: 1 });
  return {
    async call(method, path, body) {
      const headers = {
        authorization: pick(authorizations),
        ...(body && { 'content-type': 'application/json' }),
      };
      const sent = { method, path, headers, ...(body && { body: JSON.stringify(body) }) };
      const response = await pool.request(sent);
      const text = await response.body.text();
      if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${text}`);
      return text;
    },
    close: () => pool.close(),
  };
};

/**
 * Repeats work in a closed loop for a time.
 *
 * @returns how often it was done, and how long the loop took
 */
export const closedLoop = async (
  work: () => Promise<unknown>,
  inFlight: number,
  milliseconds: number,
): Promise<{ done: number; seconds: number }> => {
  const startedAt = performance.now();
  let done = 0;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (performance.now() - startedAt < milliseconds) {
        await work();
        done++;
      }
    }),
  );
  return { done, seconds: (performance.now() - startedAt) / 1000 };
};
