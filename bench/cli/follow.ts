import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../service.ts';
import { quantile } from '../statistics.ts';
import { CHAIRSIDE, environmentOf } from './command.ts';

const EVENTS = 60;
/** The longest pause before an event; the shortest is a third of it. The practice is idle in between. */
const PAUSE_MS = 3000;

/** Measures the time from the response to a write until `events follow` prints its event. Returns a sentence. */
export const measureFollow = async (service: Service, url: string): Promise<string> => {
  const { clinicId } = await service.createClinic([]);
  const child = spawn(process.execPath, [CHAIRSIDE, 'events', 'follow'], {
    env: environmentOf({ CHAIRSIDE_URL: url, CHAIRSIDE_API_KEY: service.apiKey }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = new Map<string, number>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    printed.set(JSON.parse(line).data._id, performance.now());
  });
  // The command says that it waits.
  await once(child.stderr, 'data');
  const headers = {
    authorization: `Basic ${Buffer.from(service.apiKey).toString('base64')}`,
    'content-type': 'application/json',
  };
  const written = new Map<string, number>();
  for (let index = 0; index < EVENTS; index++) {
    await sleep(PAUSE_MS * (1 / 3 + (2 / 3) * Math.random()));
    const response = await fetch(`${url}/api/patients`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ clinicId }),
    });
    if (!response.ok) throw new Error(`the api responded with ${response.status}`);
    const { _id } = (await response.json()) as { _id: string };
    written.set(_id, performance.now());
  }
  while ([...written.keys()].some((id) => !printed.has(id))) await once(child.stdout, 'data');
  child.kill('SIGINT');
  await once(child, 'exit');
  const delays = [...written].map(([id, at]) => (printed.get(id) ?? Number.NaN) - at);
  const [median, p90] = [0.5, 0.9].map((part) => quantile(delays, part).toFixed(0));
  return `From the response to a write until \`events follow\` prints the event, in a practice without other writes: ${median} ms (median), ${p90} ms
(90th percentile), ${Math.min(...delays).toFixed(0)} to ${Math.max(...delays).toFixed(0)} ms, of ${EVENTS} events. The goal is 2,000 ms.`;
};
