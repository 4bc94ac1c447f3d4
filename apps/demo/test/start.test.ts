import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive, type ServerProcess } from '@chairside/processes';
import { nodeArgumentsOf, openTestStore, testEngines } from '@chairside/test-support';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openDataFolder } from '../src/data-folder.ts';
import { start } from '../src/start.ts';
import { createSteps } from '../src/steps.ts';

let folder: string;
let close: () => Promise<void>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chairside-start-'));
  const testStore = await openTestStore();
  // The demo has encryption keys of its own.
  await testStore.database.dropDatabase();
  close = testStore.close;
  vi.stubEnv('MONGODB_URL', testStore.url);
  vi.stubEnv('REDIS_URL', testEngines().redisUrl);
  const ports = [
    'API_PORT',
    'HEALTH_PORT',
    'RECEIVER_PORT',
    'METRICS_PORT',
    'INTROSPECTION_PORT',
    'MCP_PORT',
  ];
  for (const name of ports) vi.stubEnv(name, '0');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await close();
  await rm(folder, { recursive: true });
});

test.each(['api', 'webhook-dispatcher', 'POST'])(
  'an interrupt in the stage %s leaves no process',
  async (stage) => {
    const stopping = new AbortController();
    let servers: readonly ServerProcess[] = [];
    const lines: string[] = [];
    const interruptAt = (line: string) => {
      lines.push(line);
      if (stage === 'POST' && line.startsWith('  POST ')) stopping.abort();
    };
    const steps = createSteps(interruptAt, stopping.signal);
    const running: { stop(): Promise<void> }[] = [];
    const starting = start({
      data: await openDataFolder(folder),
      steps: {
        run: (name, work, found) =>
          steps.run(
            name,
            (say) => {
              // A stage that starts a process is interrupted right after the spawn.
              if (name === stage && !['api', 'webhook-dispatcher'].includes(name)) stopping.abort();
              return work(say);
            },
            found,
          ),
      },
      print: interruptAt,
      signal: stopping.signal,
      running,
      argumentsOf: nodeArgumentsOf,
      async record(spawned) {
        servers = spawned;
        if (spawned.at(-1)?.name === stage) stopping.abort();
      },
    });
    expect(await starting.catch((error: unknown) => error)).toBe(stopping.signal.reason);
    for (const part of running.toReversed()) await part.stop();
    const started = ['api', 'webhook-dispatcher', 'dashboard', 'mcp'];
    expect(servers.map(({ name }) => name)).toEqual(
      started.slice(0, stage === 'POST' ? undefined : started.indexOf(stage) + 1),
    );
    expect(await Promise.all(servers.map(isAlive))).toEqual(servers.map(() => false));
  },
);
