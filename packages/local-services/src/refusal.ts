import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const REMEMBERED_MS = 24 * 60 * 60 * 1000;

/** A failed download. It is stored in the cache, so that the download is not tried again within a day. */
export type Refusal = { reason: string; at: Date; path: string };

export async function rememberedRefusal(
  cacheDirectory: string,
  name: string,
  now: Date,
): Promise<Refusal | undefined> {
  const path = pathOf(cacheDirectory, name);
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const { reason, at } = JSON.parse(text) as { reason: string; at: string };
  const refusal = { reason, at: new Date(at), path };
  if (now.getTime() - refusal.at.getTime() < REMEMBERED_MS) return refusal;
  await rm(path, { force: true });
  return undefined;
}

export async function rememberRefusal(
  cacheDirectory: string,
  name: string,
  reason: string,
  now: Date,
): Promise<void> {
  const path = pathOf(cacheDirectory, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, JSON.stringify({ reason, at: now.toISOString() }));
}

function pathOf(cacheDirectory: string, name: string): string {
  return join(cacheDirectory, 'refused', `${name}.json`);
}
