/**
 * node cache-filler.ts <cache directory> fill|hang: fills the cache entry "entry" with its pid, and prints the entry's
 * content and whether this process was the builder. With `hang`, prints "building" when the entry is half complete, and
 * keeps running.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheEntry } from '../src/cache-entry.ts';

const [cacheDirectory = '', mode] = process.argv.slice(2);
const { signal } = new AbortController();

const entry = await cacheEntry(
  'entry',
  { cacheDirectory, environment: {}, onProgress: () => {}, signal },
  async (folder) => {
    await writeFile(join(folder, 'pid'), String(process.pid));
    if (mode !== 'hang') return;
    console.log('building');
    // Keeps the process running until it is killed.
    await new Promise(() => setInterval(() => {}, 60_000));
  },
);
console.log(JSON.stringify({ built: entry.built, pid: await readFile(join(entry.folder, 'pid'), 'utf8') }));
