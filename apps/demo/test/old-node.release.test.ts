import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MINIMUM_NODE_VERSION } from '@chairside/startup/node-version';
import { LONGEST_WAIT_MS } from '@chairside/test-support';
import { afterAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'chairside-old-node-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const tsup = (cwd: string, ...args: string[]) =>
  execFileSync(process.execPath, [join(root, 'node_modules/tsup/dist/cli-default.js'), '--silent', ...args], {
    cwd: join(root, cwd),
  });

test.each(['api', 'webhook-dispatcher', 'admin'])(
  'the built %s reports the required version of Node.js when Node.js 20 starts it',
  (app) => {
    tsup('packages/runtime');
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
