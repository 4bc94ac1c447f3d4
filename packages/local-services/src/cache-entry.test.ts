import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { end, runProgram } from '../test/processes.ts';
import { cacheEntry } from './cache-entry.ts';
import type { Search } from './sources/source.ts';

let search: Search;
beforeEach(async () => {
  const cacheDirectory = await mkdtemp(join(tmpdir(), 'cache-'));
  const { signal } = new AbortController();
  search = { cacheDirectory, environment: {}, onProgress: () => {}, signal };
});
afterEach(() => rm(search.cacheDirectory, { recursive: true }));

const fill = (folder: string) => writeFile(join(folder, 'file'), 'complete');

describe('cacheEntry', () => {
  it('builds once, and returns the existing entry afterwards', async () => {
    const first = await cacheEntry('entry', search, fill);
    expect(first.built).toBe(true);
    expect(await readFile(join(first.folder, 'file'), 'utf8')).toBe('complete');
    const second = await cacheEntry('entry', search, () => {
      throw new Error('built again');
    });
    expect(second).toEqual({ folder: first.folder, built: false });
  });

  it('lets one caller build while the others wait', async () => {
    const all = Array.from({ length: 5 }, () => cacheEntry('entry', search, fill));
    const built = (await Promise.all(all)).filter((each) => each.built);
    expect(built).toHaveLength(1);
  });

  it('keeps nothing of a failed build, and builds again', async () => {
    const failing = async (folder: string) => {
      await fill(folder);
      throw new Error('half way');
    };
    await expect(cacheEntry('entry', search, failing)).rejects.toThrow('half way');
    expect(await readdir(join(search.cacheDirectory, 'building'))).toEqual([]);
    expect((await cacheEntry('entry', search, fill)).built).toBe(true);
  });

  it('removes the leftovers of an interrupted build, and nothing of another entry', async () => {
    const building = join(search.cacheDirectory, 'building');
    await mkdir(join(building, 'entry.interrupted'), { recursive: true });
    await fill(join(building, 'entry.interrupted'));
    await mkdir(join(building, 'entry-of-another-version.at-work'));
    expect((await cacheEntry('entry', search, fill)).built).toBe(true);
    expect(await readdir(building)).toEqual(['entry-of-another-version.at-work']);
  });

  it('lets one of several processes build the entry', async () => {
    const fillers = Array.from({ length: 3 }, () =>
      runProgram('cache-filler', [search.cacheDirectory, 'fill']),
    );
    const results = await Promise.all(fillers.map(async ({ nextLine }) => JSON.parse(await nextLine())));
    expect(results.filter(({ built }) => built)).toHaveLength(1);
    expect(new Set(results.map(({ pid }) => pid)).size).toBe(1);
  });

  it('creates no entry if the build is killed, and builds it for the next caller', async () => {
    const { process: child, nextLine } = runProgram('cache-filler', [search.cacheDirectory, 'hang']);
    expect(await nextLine()).toBe('building');
    expect(await readdir(search.cacheDirectory)).toEqual(['building']);
    await end(child, 'SIGKILL');
    expect((await cacheEntry('entry', search, fill)).built).toBe(true);
    expect(await readdir(join(search.cacheDirectory, 'building'))).toEqual([]);
  });
});
