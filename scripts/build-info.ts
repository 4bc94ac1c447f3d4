import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/*
 * Writes build.json beside each built program, from which it knows its commit and the time of its build. The build itself
 * does not write the file, because a build from the cache would have that of another commit.
 *
 * The variables REVISION (the commit) and SOURCE_DATE_EPOCH (the time, in seconds) are for builds without a repository,
 * and for builds that must be the same: the Dockerfile sets both.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const PROGRAMS = ['api', 'webhook-dispatcher', 'dashboard/server', 'mcp', 'admin'];

const git = (...given: string[]): string | undefined => {
  try {
    return execFileSync('git', given, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return undefined;
  }
};

const commitOfClone = (): string => {
  const commit = git('rev-parse', 'HEAD');
  if (commit === undefined) return 'unknown';
  return git('status', '--porcelain') === '' ? commit : `${commit}-modified`;
};

const { REVISION = '', SOURCE_DATE_EPOCH = '' } = process.env;
const commit = REVISION === '' ? commitOfClone() : REVISION;
const builtTime = SOURCE_DATE_EPOCH === '' ? new Date() : new Date(Number(SOURCE_DATE_EPOCH) * 1000);
for (const program of PROGRAMS) {
  const folder = join(root, 'apps', program, 'dist');
  if (existsSync(join(folder, 'main.js')))
    writeFileSync(join(folder, 'build.json'), `${JSON.stringify({ commit, builtTime })}\n`);
}
