import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutGivenEngines } from '../../test/environment.ts';
import { cacheDirectoryFrom } from '../cache-directory.ts';
import { startRedis } from '../index.ts';
import { redisAt } from '../running-redis.ts';
import { debianRedis } from './debian-redis.ts';
import { installedRedis } from './installed.ts';
import type { Search } from './source.ts';

const environment = withoutGivenEngines();
const search: Search = {
  cacheDirectory: cacheDirectoryFrom(environment),
  environment,
  onProgress: () => {},
  signal: new AbortController().signal,
};

let folder: string;
let redis: string;

async function script(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return path;
}

/** Writes a script `redis-server`, which starts a real Redis, to the folder of the test. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'installed-'));
  let finding = await installedRedis.find(search);
  if (finding.outcome !== 'found') finding = await debianRedis.find(search);
  if (finding.outcome !== 'found') throw new Error('there is no Redis to test with');
  const [program] = finding.plan.processes({ folder, port: 0, durable: false });
  const libraries = program?.environment?.LD_LIBRARY_PATH ?? '';
  redis = await script('redis-server', `LD_LIBRARY_PATH='${libraries}' exec '${program?.command}' "$@"`);
});
afterAll(() => rm(folder, { recursive: true }));

describe('an installed program', () => {
  it.each([
    ['is found on PATH', () => ({ ...environment, PATH: `${folder}:${environment.PATH}` })],
    ['is named by its path', () => ({ ...environment, REDIS_BINARY: redis })],
  ])('runs when it %s', async (_, within) => {
    const engine = await startRedis({ ephemeral: true, environment: within() });
    try {
      expect(engine.source).toMatch(/^Redis \d/);
      expect(engine.source).toContain(redis);
      expect((await redisAt(engine.url)).pid).toBe(engine.pids[0]);
    } finally {
      await engine.stop();
    }
  });

  it('on PATH is skipped if it is too old', async () => {
    const old = await mkdtemp(join(folder, 'old-'));
    await writeFile(join(old, 'redis-server'), '#!/bin/sh\necho "Redis server v=5.0.7 sha=0"\n', {
      mode: 0o755,
    });
    const finding = installedRedis.find({ ...search, environment: { PATH: `${old}:/bin` } });
    await expect(finding).rejects.toThrow('is version 5.0.7, but 6.2.0 or later is required');
  });
});

describe('a program that the user has selected', () => {
  const startNamed = (path: string) =>
    startRedis({ ephemeral: true, environment: { ...environment, REDIS_BINARY: path } });

  it('must exist and be new enough', async () => {
    await expect(startNamed(join(folder, 'missing'))).rejects.toMatchObject({ code: 'BINARY_UNUSABLE' });
    const old = await script('old-redis', 'echo "Redis server v=5.0.7 sha=0"');
    await expect(startNamed(old)).rejects.toMatchObject({
      code: 'BINARY_UNUSABLE',
      message: expect.stringContaining('6.2.0 or later is required'),
    });
  });

  it('is not replaced if it does not run, and its last output is reported', async () => {
    const broken = await script(
      'broken',
      'if [ "$1" = --version ]; then echo v=7.0.0; else echo "out of cheese" >&2; exit 1; fi',
    );
    await expect(startNamed(broken)).rejects.toMatchObject({
      code: 'ENGINE_FAILED',
      message: expect.stringContaining('out of cheese'),
    });
  });
});
