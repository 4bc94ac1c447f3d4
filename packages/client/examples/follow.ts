import { readFile, writeFile } from 'node:fs/promises';
import type { Chairside, ChairsideEvent } from '@chairside/client';

export async function follow(
  chairside: Chairside,
  work: (event: ChairsideEvent) => Promise<void>,
  { file, signal }: { file: string; signal: AbortSignal },
) {
  const cursor = await readFile(file, 'utf8').catch(() => undefined);
  const events = chairside.events.follow({
    ...(cursor === undefined ? { since: new Date() } : { cursor }),
    onFailure: ({ message }) => console.warn(message),
    signal,
  });
  for await (const event of events) {
    await work(event);
    await writeFile(file, events.cursor);
  }
}
