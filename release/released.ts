import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './builder.ts';

const execute = promisify(execFile);
/** Where the sources of released commits are kept, so that a second run does not install them again. */
const FOLDER = join(root, '.data/releases');

/** The commit of the last release. The release after it replaces the hash in the file. */
const commitOfRelease = (): string => readFileSync(join(root, 'release/released-commit'), 'utf8').trim();

/**
 * Makes a folder with the sources of the last release, its dependencies, and its pages of the dashboard.
 *
 * @returns the folder, and the commit
 * @throws {Error} if the commit is not in this clone
 */
export const checkOutRelease = async (): Promise<{ folder: string; commit: string }> => {
  const commit = commitOfRelease();
  const folder = join(FOLDER, commit);
  if (existsSync(folder)) return { folder, commit };
  const making = `${folder}.new`;
  await rm(making, { recursive: true, force: true });
  await mkdir(making, { recursive: true });
  const archive = join(FOLDER, `${commit}.tar`);
  await execute('git', ['archive', '--output', archive, commit], { cwd: root }).catch(() => {
    throw new Error(`This clone does not contain the commit ${commit}. Run: git fetch --unshallow`);
  });
  await execute('tar', ['--extract', '--file', archive, '--directory', making]);
  await rm(archive);
  const { packageManager } = JSON.parse(readFileSync(join(making, 'package.json'), 'utf8'));
  const pnpm = (...given: string[]) =>
    execute('npm', ['exec', '--yes', '--', packageManager, ...given], { cwd: making, maxBuffer: 2 ** 26 });
  await pnpm('install', '--frozen-lockfile');
  await pnpm('exec', 'turbo', 'run', 'build', '--filter=@chairside/dashboard-web');
  await rename(making, folder);
  return { folder, commit };
};
