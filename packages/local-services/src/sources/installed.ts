import { binaryVersion, OLDEST_MONGODB, OLDEST_REDIS } from '../binary-version.ts';
import type { EnginePlan } from '../engine-plan.ts';
import { mongodPlan } from '../mongod-plan.ts';
import { findOnPath } from '../path-search.ts';
import { LocalServicesError, reasonOf } from '../problem.ts';
import { redisPlan } from '../redis-plan.ts';
import { type Search, type Source, unavailable } from './source.ts';

type Program = {
  engine: string;
  /** The names to search for on PATH, in order of preference. */
  names: readonly string[];
  /** The environment variable that contains the path of the program. */
  variable: string;
  oldest: string;
  plan: (program: { binary: string; environment: NodeJS.ProcessEnv; description: string }) => EnginePlan;
};

const MONGODB: Program = {
  engine: 'MongoDB',
  names: ['mongod'],
  variable: 'MONGODB_BINARY',
  oldest: OLDEST_MONGODB,
  plan: mongodPlan,
};

const REDIS: Program = {
  engine: 'Redis',
  names: ['valkey-server', 'redis-server'],
  variable: 'REDIS_BINARY',
  oldest: OLDEST_REDIS,
  plan: redisPlan,
};

export const namedMongodb = named(MONGODB);
export const namedRedis = named(REDIS);
export const installedMongodb = onPath(MONGODB);
export const installedRedis = onPath(REDIS);

function named(program: Program): Source {
  const { variable } = program;
  return {
    name: variable,
    find: async (search) => {
      const binary = search.environment[variable];
      if (!binary) return unavailable('not set');
      try {
        return { outcome: 'found', plan: await planFor(program, binary, search), insist: true };
      } catch (error) {
        search.signal.throwIfAborted();
        throw new LocalServicesError(
          'BINARY_UNUSABLE',
          `${variable} cannot be used: ${reasonOf(error)}. Correct the path, or unset ${variable}.`,
          { cause: error },
        );
      }
    },
  };
}

function onPath(program: Program): Source {
  return {
    name: `${program.names.join(' or ')} on PATH`,
    find: async (search) => {
      const binary = await findOnPath(program.names, search.environment);
      if (binary === undefined) return unavailable('not there');
      return { outcome: 'found', plan: await planFor(program, binary, search) };
    },
  };
}

async function planFor(
  { engine, oldest, plan }: Program,
  binary: string,
  search: Search,
): Promise<EnginePlan> {
  const version = await binaryVersion(binary, oldest, search);
  return plan({ binary, environment: search.environment, description: `${engine} ${version} (${binary})` });
}
