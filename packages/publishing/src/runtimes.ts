// The runtimes that the packages are tested on. Each is installed from npm into its own cache folder.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The first version is the minimum in `engines` of the packages. */
export const NODE_VERSIONS = [
  '20.0.0',
  '21.7.3',
  '22.23.3',
  '23.11.1',
  '24.21.0',
  '25.9.0',
  '26.10.0',
] as const;

export const TYPESCRIPT_VERSIONS = ['5.0.4', '5.4.5', '5.9.3', '6.0.3', '7.0.2'] as const;
export const RUNTIMES = { deno: '2.9.6', bun: '1.4.5', workerd: '1.20261117.1' } as const;

const cache = join(import.meta.dirname, '../node_modules/.cache/runtimes');

/** Installs `node`, `deno`, `bun`, `workerd` or `typescript`. @returns the path of its binary */
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
  // The folder is renamed into place when it is complete. An existing folder therefore always contains a complete
  // runtime, even if two processes install it at the same time.
  if (existsSync(folder)) rmSync(fresh, { recursive: true });
  else renameSync(fresh, folder);
  return path;
}
