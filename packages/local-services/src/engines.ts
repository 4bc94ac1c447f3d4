import { join, resolve } from 'node:path';
import { StartFailure } from '@chairside/processes';
import { cacheDirectoryFrom } from './cache-directory.ts';
import { exists } from './cache-entry.ts';
import type { Engine, EngineName, EngineOptions, Engines } from './engine.ts';
import { type EnginePlan, withFirstArguments } from './engine-plan.ts';
import { ferretdb, ferretdbNamed } from './ferretdb/source.ts';
import { givenEngine } from './given-engine.ts';
import { type Home, openHome } from './home.ts';
import { LocalServicesError, machineProblem, reasonOf } from './problem.ts';
import { runEngine } from './run-engine.ts';
import { chooseSource, type StartResult } from './sources/choose-source.ts';
import { debianRedis } from './sources/debian-redis.ts';
import { downloadedMongodb } from './sources/downloaded-mongodb.ts';
import { givenMongodb, givenRedis } from './sources/given-url.ts';
import { installedMongodb, installedRedis, namedMongodb, namedRedis } from './sources/installed.ts';
import type { Search, Source } from './sources/source.ts';
import { noEngineText } from './way-out.ts';

/** The sources of each engine, in the order in which they are tried. */
const SOURCES: Record<EngineName, readonly Source[]> = {
  mongodb: [givenMongodb([ferretdbNamed]), namedMongodb, installedMongodb, downloadedMongodb, ferretdb],
  redis: [givenRedis, namedRedis, installedRedis, debianRedis],
};

/**
 * Starts a MongoDB or a server with its protocol, or returns the one at `MONGODB_URL`.
 *
 * @throws {LocalServicesError} or the reason of `signal`
 */
export function startMongodb(options: EngineOptions): Promise<Engine> {
  return start('mongodb', options);
}

/**
 * Starts a Redis without persistence, or returns the one at `REDIS_URL`.
 *
 * @param firstArguments arguments of the server that come before its own; not used for a given URL
 * @throws {LocalServicesError} or the reason of `signal`
 */
export function startRedis(options: EngineOptions, firstArguments: readonly string[] = []): Promise<Engine> {
  return start('redis', options, firstArguments);
}

/**
 * Starts both engines at the same time, with their data in `mongodb` and `redis` under `dataDirectory`. If one fails,
 * the other is stopped.
 *
 * @throws {LocalServicesError} or the reason of `signal`
 */
export async function startEngines(options: EngineOptions): Promise<Engines> {
  const ending = new AbortController();
  const signal = AbortSignal.any([ending.signal, ...(options.signal ? [options.signal] : [])]);
  const startOne = (name: EngineName) => start(name, { ...withSubFolder(name, options), signal });
  const both = [startOne('mongodb'), startOne('redis')] as const;
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

function withSubFolder(name: EngineName, options: EngineOptions): EngineOptions {
  return options.ephemeral ? options : { ...options, dataDirectory: join(options.dataDirectory, name) };
}

async function start(
  name: EngineName,
  options: EngineOptions,
  firstArguments: readonly string[] = [],
): Promise<Engine> {
  const environment = options.environment ?? process.env;
  const search: Search = {
    cacheDirectory: resolve(options.cacheDirectory ?? cacheDirectoryFrom(environment)),
    environment,
    onProgress: options.onProgress ?? (() => {}),
    signal: options.signal ?? new AbortController().signal,
  };
  let home: Home | undefined;
  try {
    const choice = await chooseSource(SOURCES[name], search, async (plan) => {
      home ??= await openHome(options, search);
      return tryToRun(withFirstArguments(plan, firstArguments), home, search.signal);
    });
    if (choice.outcome === 'running') return choice.running;
    if (choice.outcome === 'given') return givenEngine(choice.url, choice.description);
    throw new LocalServicesError('NO_ENGINE', noEngineText(name, choice.tried, process.platform));
  } catch (error) {
    await home?.close();
    throw machineProblem(error) ?? error;
  }
}

/**
 * Tries to start an engine. If the engine has data here and does not start, this throws instead of trying another
 * engine, because an engine without the data would look like a data loss.
 */
async function tryToRun(plan: EnginePlan, home: Home, signal: AbortSignal): Promise<StartResult> {
  const folder = join(home.directory, plan.kind);
  const hasData = await exists(folder);
  try {
    return { outcome: 'running', running: await runEngine(plan, home, signal) };
  } catch (error) {
    if (!(error instanceof StartFailure)) throw error;
    if (!hasData) return { outcome: 'didNotRun', reason: reasonOf(error) };
    throw new LocalServicesError(
      'ENGINE_FAILED',
      `${plan.description} does not start on its data in ${folder}: ${error.message}\nTo start without data, remove that folder.`,
      { cause: error },
    );
  }
}
