import { execFile } from 'node:child_process';
import { globSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { takeLock } from '@chairside/processes';

const web = fileURLToPath(new URL('..', import.meta.url));
const root = join(web, '../../..');

/** What the pages are built from. */
const SOURCES = [
  'apps/dashboard/web/{src,public}/**',
  'apps/dashboard/web/{index.html,package.json,vite.config.ts}',
  'packages/client/src/**',
  'pnpm-lock.yaml',
];

const timeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const isFresh = (): boolean => {
  const built = timeOf(join(web, 'dist/index.html'));
  return globSync(SOURCES, { cwd: root }).every((file) => timeOf(join(root, file)) < built);
};

/** Builds the pages, unless they are newer than their sources. Test files in other processes wait for it. */
export const buildPages = async (): Promise<void> => {
  const folder = join(root, 'node_modules/.cache');
  mkdirSync(folder, { recursive: true });
  const result = await takeLock(join(folder, 'dashboard-pages.lock'), { waitMs: 120_000 });
  if (result.outcome === 'held') throw new Error('another process has not finished building the pages');
  try {
    if (isFresh()) return;
    const env = { ...process.env, NODE_ENV: 'production' };
    await promisify(execFile)(join(web, 'node_modules/.bin/vite'), ['build'], { cwd: web, env });
  } finally {
    await result.lock.release();
  }
};
