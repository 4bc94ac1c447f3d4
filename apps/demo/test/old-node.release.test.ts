import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MINIMUM_NODE_VERSION } from '@chairside/startup/node-version';
import { LONGEST_WAIT_MS } from '@chairside/test-support';
import { afterAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'chairside-old-node-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Builds a package as its script does. */
const tsup = (place: string, ...args: string[]) => {
  const cwd = join(root, place);
  const { scripts } = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8'));
  const own = /^tsup( .*)?$/.exec(scripts.build)?.[1]?.trim().split(' ') ?? [];
  const program = join(root, 'node_modules/tsup/dist/cli-default.js');
  execFileSync(process.execPath, [program, ...own, '--silent', ...args], { cwd });
};

test.each(['api', 'webhook-dispatcher', 'admin'])(
  'the built %s reports the required version of Node.js when Node.js 20 starts it',
  (app) => {
    tsup('packages/startup');
    tsup(`apps/${app}`, '--out-dir', join(folder, app));
    // The program runs outside the workspace, so that only dist/main.js itself can be loaded.
    const { status, stdout, stderr } = spawnSync(
      'npm',
      ['exec', '--yes', '--loglevel=error', '--package=node@20', '--', 'node', join(folder, app, 'main.js')],
      { cwd: folder, encoding: 'utf8', timeout: 5 * LONGEST_WAIT_MS },
    );
    expect(stderr).toMatch(
      new RegExp(`^Chairside needs Node\\.js ${MINIMUM_NODE_VERSION} or later, but this is 20\\..+\n$`),
    );
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  },
);
