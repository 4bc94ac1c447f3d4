import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, isAlive, type ServerProcess } from '@chairside/processes';
import { nodeArgumentsOf, openEmptyDatabase, testEngines } from '@chairside/test-support';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { addressesOf } from '../src/addresses.ts';
import { openDataFolder } from '../src/data-folder.ts';
import { choosePorts, PORT_VARIABLES } from '../src/ports.ts';
import { start } from '../src/start.ts';
import { createSteps } from '../src/steps.ts';

let folder: string;
let close: () => Promise<void>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chairside-start-'));
  const database = openEmptyDatabase();
  close = database.close;
  vi.stubEnv('MONGODB_URL', database.url);
  vi.stubEnv('REDIS_URL', testEngines().redisUrl);
  for (const name of PORT_VARIABLES) vi.stubEnv(name, '0');
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
              // `record` interrupts the stages that start a process, right after the spawn.
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

test('chooses another port if another program has taken the chosen one', async () => {
  const kept = await choosePorts(process.env, { dashboard: await freePort() }, () => {});
  const data = await openDataFolder(folder);
  await data.writeFacts({
    ...addressesOf(kept),
    receiver: `http://127.0.0.1:${kept.receiver}/webhooks`,
    mongodbUrl: '',
    redisUrl: '',
    cli: '',
    organizations: [],
  });
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const { signal } = new AbortController();
  const running: { stop(): Promise<void> }[] = [];
  const other = createServer();
  const spawns: (string | undefined)[] = [];
  onTestFinished(() => void other.close());
  await start({
    data,
    steps: createSteps(print, signal),
    print,
    signal,
    running,
    argumentsOf: nodeArgumentsOf,
    async record(servers) {
      const name = servers.at(-1)?.name;
      spawns.push(name);
      if (other.listening || name !== 'webhook-dispatcher') return;
      other.listen(kept.dashboard, '127.0.0.1');
      await once(other, 'listening');
    },
  });
  for (const part of running.toReversed()) await part.stop();
  // Another test may take one of the other ports, so that the apps are started once more.
  const all = ['api', 'webhook-dispatcher', 'dashboard', 'mcp'];
  expect(spawns.slice(0, 3)).toEqual(all.slice(0, 3));
  expect(spawns.slice(3).slice(-4)).toEqual(all);
  const facts = await data.readFacts();
  expect(facts?.dashboard).not.toBe(addressesOf(kept).dashboard);
  expect(
    lines.filter((line) => line.includes('is delivered') || line.includes('✓ patient.created')),
  ).not.toEqual([]);
});
