import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { borrowingCache, temporaryDirectories, withoutGivenEngines } from '../test/environment.ts';
import { end, holdEngines, killWatchdogs, running } from '../test/processes.ts';
import { startEngines } from './index.ts';

const _GONE = { timeout: 8_000, interval: 20 };

let dataDirectory: string;
beforeAll(async () => {
  const engines = await startEngines({ ephemeral: true, environment: withoutGivenEngines() });
  await engines.stop();
});
beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'data-'));
});
afterEach(() => rm(dataDirectory, { recursive: true, force: true }));

describe('when the process that started the engines', () => {
  it('is killed, no process and no temporary folder remains', async () => {
    const cacheDirectory = await borrowingCache();
    const { process: child, held } = await holdEngines({ ephemeral: true, cacheDirectory });
    expect(await running(held.pids)).toEqual(held.pids);
    expect(await temporaryDirectories(cacheDirectory)).toHaveLength(2);
    await end(child, 'SIGKILL');
    await expect.poll(() => running(held.pids)).toEqual([]);
    await expect.poll(() => temporaryDirectories(cacheDirectory)).toEqual([]);
    await rm(cacheDirectory, { recursive: true });
  });

  it('is killed, its data can be used again immediately', async () => {
    const { process: child, held } = await holdEngines({ dataDirectory });
    await end(child, 'SIGKILL');
    const engines = await startEngines({ dataDirectory, environment: withoutGivenEngines() });
    try {
      expect(await running(held.pids)).toEqual([]);
      expect(await running(engines.mongodb.pids)).toEqual(engines.mongodb.pids);
    } finally {
      await engines.stop();
    }
  });

  it('is interrupted from the terminal, the engines keep running until it has drained', async () => {
    const { process: child, held, nextLine } = await holdEngines({ ephemeral: true });
    // As with Ctrl-C in a terminal, the signal goes to the whole process group.
    process.kill(-(child.pid ?? 0), 'SIGINT');
    expect(await nextLine()).toBe('drained');
    expect(await running(held.pids)).toEqual([]);
  });
});

describe('orphans', () => {
  it('without a watchdog are stopped by the next start on their data', async () => {
    const { process: child, held } = await holdEngines({ dataDirectory });
    await killWatchdogs(child.pid ?? 0);
    await end(child, 'SIGKILL');
    expect(await running(held.pids)).toEqual(held.pids);
    const engines = await startEngines({ dataDirectory, environment: withoutGivenEngines() });
    try {
      expect(await running(held.pids)).toEqual([]);
    } finally {
      await engines.stop();
    }
  });
});

describe('two processes', () => {
  it('start at the same time, each with separate engines', async () => {
    const holders = await Promise.all([holdEngines({ ephemeral: true }), holdEngines({ ephemeral: true })]);
    const urls = holders.flatMap(({ held }) => [held.mongodb, held.redis]);
    expect(new Set(urls).size).toBe(4);
    await Promise.all(
      holders.map(async ({ process: child, nextLine }) => {
        child.kill('SIGINT');
        expect(await nextLine()).toBe('drained');
      }),
    );
  });
});
