import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isListening, LOOPBACK } from '@chairside/processes';
import type { EnginePlan } from './engine-plan.ts';
import { runningMongod } from './running-mongod.ts';

/**
 * The size of mongod's cache in GB. By default mongod uses half of the memory, but a demo and the tests need little.
 */
const CACHE_GB = '0.5';

/**
 * The plan for running a standalone MongoDB. mongod cannot run without fsync, so with temporary data it differs only in
 * the shorter time that it gets to stop.
 */
export function mongodPlan(program: {
  binary: string;
  environment: NodeJS.ProcessEnv;
  description: string;
}): EnginePlan {
  const url = (port: number) => `mongodb://${LOOPBACK}:${port}`;
  return {
    kind: 'mongod',
    description: program.description,
    url,
    layOut: async (folder) => void (await mkdir(join(folder, 'data'))),
    processes: ({ folder, port, durable }) => [
      {
        name: 'mongod',
        command: program.binary,
        arguments: [
          ['--dbpath', join(folder, 'data')],
          ['--storageEngine', 'wiredTiger'],
          ['--wiredTigerCacheSizeGB', CACHE_GB],
          ['--bind_ip', LOOPBACK],
          ['--port', String(port)],
          // The socket is disabled, because it would be a file with a fixed name in /tmp.
          ['--nounixsocket'],
          ['--setParameter', 'diagnosticDataCollectionEnabled=false'],
        ].flat(),
        environment: program.environment,
        isReady: () => isListening(port),
        stop: durable ? [{ signal: 'SIGTERM', withinMs: 3_500 }] : [{ signal: 'SIGTERM', withinMs: 1_000 }],
      },
    ],
    runningPid: (port) => runningMongod(url(port)),
  };
}
