import { join, resolve } from 'node:path';
import { cacheDirectoryFrom } from './cache-directory.ts';
import type { Engine, EngineOptions, Engines } from './engine.ts';
import type { EnginePlan } from './engine-plan.ts';
import { type Home, openHome } from './home.ts';
import { LocalServicesError, reasonOf } from './problem.ts';
import { runEngine } from './run-engine.ts';
import { StartFailure } from './server-process.ts';
import { chooseSource } from './sources/choose-source.ts';
import { debianRedis } from './sources/debian-redis.ts';
import { ferretdb } from './sources/ferretdb.ts';
import type { Source } from './sources/source.ts';

const MONGODB_SOURCES = [ferretdb];
const REDIS_SOURCES = [debianRedis];

/** A MongoDB, or what speaks its protocol. Throws `LocalServicesError`, or the reason of `signal`. */
export function startMongodb(options: EngineOptions): Promise<Engine> {
  return startFirst(MONGODB_SOURCES, options);
}

/** A Redis without persistence. Throws `LocalServicesError`, or the reason of `signal`. */
export function startRedis(options: EngineOptions): Promise<Engine> {
  return startFirst(REDIS_SOURCES, options);
}

/** Both, side by side; in `mongodb` and `redis` under `dataDirectory`. If one fails the other is stopped again. */
export async function startEngines(options: EngineOptions): Promise<Engines> {
  const ending = new AbortController();
  const signal = AbortSignal.any([ending.signal, ...(options.signal ? [options.signal] : [])]);
  const within = (name: string): EngineOptions =>
    options.ephemeral
      ? { ...options, signal }
      : { ...options, signal, dataDirectory: join(options.dataDirectory, name) };
  const both = [startMongodb(within('mongodb')), startRedis(within('redis'))] as const;
  try {
    const [mongodb, redis] = await Promise.all(both);
    const stop = async () => void (await Promise.all([mongodb.stop(), redis.stop()]));
    return { mongodb, redis, stop };
  } catch (error) {
    ending.abort();
    for (const result of await Promise.allSettled(both)) {
      if (result.status === 'fulfilled') await result.value.stop();
    }
    throw error;
  }
}

async function startFirst(sources: readonly Source[], options: EngineOptions): Promise<Engine> {
  const environment = options.environment ?? process.env;
  const signal = options.signal ?? new AbortController().signal;
  const search = {
    cacheDirectory: resolve(options.cacheDirectory ?? cacheDirectoryFrom(environment)),
    environment,
    onProgress: options.onProgress ?? (() => {}),
    signal,
  };
  const home = await openHome(options, search.cacheDirectory);
  try {
    const choice = await chooseSource(sources, search, (plan) => tryToRun(plan, home, signal));
    if (choice.outcome === 'running') return choice.engine;
    throw new LocalServicesError('NO_ENGINE', JSON.stringify(choice));
  } catch (error) {
    await home.close();
    throw error;
  }
}

async function tryToRun(
  plan: EnginePlan,
  home: Home,
  signal: AbortSignal,
): Promise<Engine | { failed: string }> {
  try {
    return await runEngine(plan, home, signal);
  } catch (error) {
    if (error instanceof StartFailure) return { failed: reasonOf(error) };
    throw error;
  }
}
