import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { machineProblem, reasonOf } from './problem.ts';
import { type Finding, type Search, unavailable } from './sources/source.ts';

const REMEMBERED_MS = 24 * 60 * 60 * 1000;

/** A failed download. It is stored in the cache, so that the download is not retried within a day. */
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

/**
 * Downloads, unless the same download has failed within the last day. A failure is remembered, except for an abort by
 * the signal and for problems of this machine.
 *
 * @param name the name of the download among the remembered failures
 * @throws {LocalServicesError} if the machine cannot store files
 */
export async function unlessRefused<Plan>(
  name: string,
  { cacheDirectory, signal }: Search,
  download: () => Promise<Finding<Plan>>,
): Promise<Finding<Plan>> {
  const refusal = await rememberedRefusal(cacheDirectory, name, new Date());
  if (refusal !== undefined) {
    const when = refusal.at.toISOString().slice(0, 16);
    return unavailable(
      `${refusal.reason} (at ${when}; the next try is after a day, or when ${refusal.path} is removed)`,
    );
  }
  try {
    return await download();
  } catch (error) {
    signal.throwIfAborted();
    const problem = machineProblem(error);
    if (problem !== undefined) throw problem;
    const reason = reasonOf(error);
    await rememberRefusal(cacheDirectory, name, reason, new Date());
    return unavailable(reason);
  }
}

function pathOf(cacheDirectory: string, name: string): string {
  return join(cacheDirectory, 'refused', `${name}.json`);
}
