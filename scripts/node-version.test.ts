import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { MINIMUM_NODE_VERSION } from '../packages/startup/src/node-version.ts';
import { LONGEST_WAIT_MS } from '../packages/test-support/src/longest-wait.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

/** Starts a program from source, with an empty configuration, as if Node.js had this version. */
const startWith = (app: string, version: string) => {
  const fake = `Object.defineProperty(process.versions, 'node', { value: '${version}' });`;
  return spawnSync(
    process.execPath,
    ['--conditions=@chairside/source', `--import=data:text/javascript,${fake}`, `apps/${app}/src/entry.ts`],
    { cwd: root, encoding: 'utf8', env: { PATH: process.env.PATH }, timeout: LONGEST_WAIT_MS },
  );
};

describe.each(['api', 'webhook-dispatcher', 'admin'])('%s', (app) => {
  it('names the required Node.js if it is started on an older one', () => {
    const { status, stdout, stderr } = startWith(app, '20.20.2');
    expect(stderr).toBe(
      `Chairside needs Node.js ${MINIMUM_NODE_VERSION} or later, but this is 20.20.2. Install a newer Node.js.\n`,
    );
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  });

  it('starts on the oldest supported Node.js', () => {
    const { stderr } = startWith(app, MINIMUM_NODE_VERSION);
    expect(stderr).toMatch(/^(The configuration is not valid:|Usage: chairside-admin)/);
  });

  it('has the same version in `engines` as in the check', () => {
    const { engines } = JSON.parse(read(`apps/${app}/package.json`));
    expect(engines).toEqual({ node: `>=${MINIMUM_NODE_VERSION}` });
  });

  it('loads no package before the version check', () => {
    const imports = read(`apps/${app}/src/entry.ts`).match(/from '.+'/g);
    expect(imports).toEqual([`from '@chairside/startup/enter'`]);
    expect(read('packages/startup/src/node-version.ts')).not.toMatch(/^import /m);
    expect(read('tsup.base.ts')).toContain(`noExternal: ['@chairside/startup/enter']`);
  });
});
