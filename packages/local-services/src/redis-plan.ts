import { Redis } from 'ioredis';
import type { EnginePlan } from './engine-plan.ts';
import { isListening, LOOPBACK } from './free-port.ts';

/**
 * A Redis without persistence: it holds nothing that is not in MongoDB too, so neither snapshots nor an
 * append-only file are written. It refuses writes when memory is full rather than dropping jobs.
 */
export function redisPlan(options: {
  binary: string;
  environment: NodeJS.ProcessEnv;
  description: string;
}): EnginePlan {
  return {
    kind: 'redis',
    description: options.description,
    url: (port) => `redis://${LOOPBACK}:${port}`,
    layOut: async () => {},
    processes: ({ folder, port }) => [
      {
        name: 'redis-server',
        command: options.binary,
        arguments: [
          ['--bind', LOOPBACK],
          ['--port', String(port)],
          ['--dir', folder],
          ['--save', ''],
          ['--appendonly', 'no'],
          ['--maxmemory-policy', 'noeviction'],
        ].flat(),
        environment: options.environment,
        isReady: () => isListening(port),
        stop: [{ signal: 'SIGTERM', withinMs: 3_000 }],
      },
    ],
    answeringPid: async (port) => Number((await redisServerInfo(`redis://${LOOPBACK}:${port}`)).process_id),
  };
}

/** The `server` section of INFO; throws when nothing answers as Redis within 3 s. */
export async function redisServerInfo(url: string): Promise<Record<string, string>> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: 3_000,
    commandTimeout: 3_000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  // The failure is what `connect` throws; without a listener it would be printed as well.
  redis.on('error', () => {});
  try {
    await redis.connect();
    const lines = (await redis.info('server')).split('\r\n');
    return Object.fromEntries(lines.filter((line) => line.includes(':')).map(splitAtColon));
  } finally {
    redis.disconnect();
  }
}

function splitAtColon(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon), line.slice(colon + 1)];
}
