// The load generator, as its own process. It POSTs the same body repeatedly and reports each response.
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { now } from '../clock.ts';

/** The pace of the calls: a closed loop for this many calls or seconds, or an open loop at this rate per second. */
type Pace = { calls: number } | { seconds: number } | { rate: number; seconds: number };

export type Load = {
  url: string;
  body: string;
  /** The values of the header `Authorization`, used in turns, because each API key has its own rate limit. */
  authorizations: readonly string[];
  /** The number of connections. A closed loop has one call in flight on each connection. */
  connections: number;
  pace: Pace;
};

/**
 * A call with a response of 200. `from` is the time at which it was sent, or in an open loop, at which it was due.
 */
export type Acknowledged = { recordId: string; from: number; at: number };

/** The results of the calls of a load. `others` counts the responses other than 200, by status and message. */
export type Outcome = { acknowledged: Acknowledged[]; others: Record<string, number> };

const RESPONSE_TIMEOUT_MS = 30_000;
/** The pause after a failed connection. It prevents a closed loop from spinning. */
const PAUSE_MS = 10;

/** The message of the api's error body. */
const messageOf = (text: string): string => {
  try {
    return String(JSON.parse(text).message);
  } catch {
    return '';
  }
};

const run = async ({ url, body, authorizations, connections, pace }: Load): Promise<Outcome> => {
  const { origin, pathname: path } = new URL(url);
  const pool = new Pool(origin, { connections, pipelining: 1, headersTimeout: RESPONSE_TIMEOUT_MS });
  const acknowledged: Acknowledged[] = [];
  const others: Record<string, number> = {};
  const count = (response: string) => {
    others[response] = (others[response] ?? 0) + 1;
  };
  let sent = 0;
  const call = async (from: number) => {
    const authorization = authorizations[sent++ % authorizations.length] ?? '';
    try {
      const headers = { authorization, 'content-type': 'application/json' };
      const response = await pool.request({ method: 'POST', path, headers, body });
      const text = await response.body.text();
      const at = now();
      if (response.statusCode !== 200) return count(`${response.statusCode} ${messageOf(text)}`);
      acknowledged.push({ recordId: /"_id":"([^"]+)"/.exec(text)?.[1] ?? '', from, at });
    } catch (error) {
      count(String((error as NodeJS.ErrnoException).code ?? error));
      await sleep(PAUSE_MS);
    }
  };

  const startedAt = now();
  if ('rate' in pace) {
    const calls: Promise<void>[] = [];
    for (let index = 0; index < pace.rate * pace.seconds; index++) {
      const due = startedAt + (index * 1000) / pace.rate;
      const early = due - now();
      if (early > 0) await sleep(early);
      calls.push(call(due));
    }
    await Promise.all(calls);
  } else {
    const isOver = () => ('calls' in pace ? sent >= pace.calls : now() - startedAt >= pace.seconds * 1000);
    await Promise.all(
      Array.from({ length: connections }, async () => {
        while (!isOver()) await call(now());
      }),
    );
  }
  await pool.close();
  return { acknowledged, others };
};

process.on('message', async (load: Load) => process.send?.(await run(load)));
process.on('disconnect', () => process.exit());
process.send?.('ready');
