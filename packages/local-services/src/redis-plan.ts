import { isListening, LOOPBACK } from '@chairside/processes';
import type { EnginePlan } from './engine-plan.ts';
import { redisAt } from './redis-answer.ts';

/**
 * A Redis that stores nothing: whatever is in it can be made again from MongoDB, so neither snapshots nor an
 * append-only file are written. With its memory full it refuses writes rather than drop jobs.
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
    answeringPid: async (port) => (await redisAt(url(port))).pid,
  };
}
