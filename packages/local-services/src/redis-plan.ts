import { isListening, LOOPBACK } from '@chairside/processes';
import type { EnginePlan } from './engine-plan.ts';
import { redisAt } from './running-redis.ts';

/**
 * The plan for running a Redis without persistence. Its data can be created again from MongoDB, so it writes neither
 * snapshots nor an append-only file. When its memory is full, it refuses writes instead of dropping jobs.
 */
export function redisPlan(program: {
  binary: string;
  environment: NodeJS.ProcessEnv;
  description: string;
}): EnginePlan {
  const url = (port: number) => `redis://${LOOPBACK}:${port}`;
  return {
    kind: 'redis',
    description: program.description,
    url,
    layOut: async () => {},
    processes: ({ folder, port }) => [
      {
        name: 'redis-server',
        command: program.binary,
        arguments: [
          ['--bind', LOOPBACK],
          ['--port', String(port)],
          ['--dir', folder],
          ['--save', ''],
          ['--appendonly', 'no'],
          ['--maxmemory-policy', 'noeviction'],
        ].flat(),
        environment: program.environment,
        isReady: () => isListening(port),
        stop: [{ signal: 'SIGTERM', withinMs: 3_000 }],
      },
    ],
    runningPid: async (port) => (await redisAt(url(port))).pid,
  };
}
