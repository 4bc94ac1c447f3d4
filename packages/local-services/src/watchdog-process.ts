/**
 * Runs beside the process that started engines and outlives it. The pipe on standard input closes when that
 * process ends, in whatever way; what is still watched by then is stopped and its throw-away data removed.
 */
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { stopServer } from './server-process.ts';
import type { WatchdogMessage, Watched } from './watchdog.ts';

const watched = new Map<string, Watched>();

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line) as WatchdogMessage;
  if (message.watched === null) watched.delete(message.id);
  else watched.set(message.id, message.watched);
}

await Promise.allSettled([...watched.values()].map(clear));

async function clear({ servers, throwAway }: Watched): Promise<void> {
  for (const server of servers.toReversed()) await stopServer(server);
  if (throwAway !== undefined) await rm(throwAway, { recursive: true, force: true });
}
