import { execFile } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const web = join(root, 'apps/dashboard/web');

/** The source files of the pages. */
const SOURCES = [
  'apps/dashboard/web/{src,public}/**',
  'apps/dashboard/web/{index.html,package.json,vite.config.ts}',
  'packages/client/src/**',
  'pnpm-lock.yaml',
];

const timeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/**
 * Builds the pages of the dashboard, unless they are newer than their sources. The server needs the built pages even if
 * it runs from source.
 */
export const buildPages = async (): Promise<void> => {
  const built = timeOf(join(web, 'dist/index.html'));
  if (globSync(SOURCES, { cwd: root }).every((file) => timeOf(join(root, file)) < built)) return;
  console.log('Building the pages of the dashboard');
  const env = { ...process.env, NODE_ENV: 'production' };
  await promisify(execFile)(join(web, 'node_modules/.bin/vite'), ['build'], { cwd: web, env });
};
