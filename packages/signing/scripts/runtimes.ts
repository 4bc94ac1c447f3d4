// The runtimes to prove the package on, each from npm into a cache of its own.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The first is the floor that package.json states under `engines`. */
export const NODE_VERSIONS = [
  '20.0.0',
  '21.7.3',
  '22.23.3',
  '23.11.1',
  '24.21.0',
  '25.9.0',
  '26.10.0',
] as const;

const cache = join(import.meta.dirname, '../node_modules/.cache/runtimes');

/** Installs `node`, `deno`, `bun`, `workerd` or `typescript` and returns the path of a binary of it. */
export function installRuntime(name: string, version: string, binary = name): string {
  const folder = join(cache, `${name}-${version}`);
  const path = join(folder, 'node_modules/.bin', binary);
  if (existsSync(path)) return path;
  mkdirSync(cache, { recursive: true });
  const fresh = mkdtempSync(join(cache, 'fresh-'));
  writeFileSync(join(fresh, 'package.json'), '{ "private": true }');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', `${name}@${version}`], {
    cwd: fresh,
    stdio: 'pipe',
  });
  // Moved into place whole: whoever finds the folder finds a runtime, also when two installed it at once.
  if (existsSync(folder)) rmSync(fresh, { recursive: true });
  else renameSync(fresh, folder);
  return path;
}
