import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serviceTests } from './test-projects.ts';

const SUPPORT = 'packages/test-support';

/**
 * Modules like those of the repository: a barrel, the module that starts the engines, and modules that start nothing.
 */
const MODULES: Readonly<Record<string, string>> = {
  [`${SUPPORT}/package.json`]: JSON.stringify({
    name: '@chairside/test-support',
    exports: { '.': './src/index.ts', './wire-message': './src/wire-message.ts' },
  }),
  [`${SUPPORT}/src/index.ts`]: `
    export { openTestStore, type TestStore } from './test-store.ts';
    export { startService } from './whole-service.ts';
    export { basic as credentials } from './practice.ts';
    export * from './references.ts';`,
  [`${SUPPORT}/src/test-store.ts`]: 'export const openTestStore = () => {}; export type TestStore = object;',
  [`${SUPPORT}/src/whole-service.ts`]: `
    import { openTestStore } from './test-store.ts';
    export const startService = openTestStore;`,
  [`${SUPPORT}/src/practice.ts`]: `
    import type { TestStore } from './test-store.ts';
    export const basic = (store: TestStore) => store;`,
  [`${SUPPORT}/src/references.ts`]: 'export const referencesIn = 1;',
  [`${SUPPORT}/src/wire-message.ts`]: 'export const encode = 1;',
  'packages/local-services/package.json': JSON.stringify({
    name: '@chairside/local-services',
    exports: { '.': { '@chairside/source': './src/index.ts', default: './dist/index.js' } },
  }),
  'packages/local-services/src/index.ts': `
    export { startRedis } from './engines.ts';
    export { problem } from './problem.ts';`,
  'packages/local-services/src/engines.ts': `
    import { runEngine } from './run-engine.ts';
    export const startRedis = () => runEngine();`,
  'packages/local-services/src/run-engine.ts': 'export const runEngine = () => {};',
  'packages/local-services/src/problem.ts': 'export const problem = 1;',
  'apps/api/test/api.ts': "import { startService } from '@chairside/test-support'; export { startService };",
  'apps/api/test/document.ts': 'export const document = {};',
};

const NEED_ENGINES: Readonly<Record<string, string>> = {
  'store.test.ts': "import { openTestStore } from '@chairside/test-support';",
  'support.test.ts': "import * as support from '@chairside/test-support';",
  'indirect.test.ts': "import { startService } from '@chairside/test-support';",
  'relative.test.ts': "import { startService } from '../test/api.ts';",
  'side-effect.test.ts': "import '../test/api.ts';",
  'dynamic.test.ts': "const { startService } = await import('../test/api.ts');",
  'redis.test.ts': "import { startRedis } from '@chairside/local-services';",
  'browser.test.ts': "import { chromium } from 'playwright-core';",
  'mixed.test.ts': "import { openTestStore, type TestStore } from '@chairside/test-support';",
};

const NEED_NONE: Readonly<Record<string, string>> = {
  'pure.test.ts': "import { test } from 'vitest'; import { readFileSync } from 'node:fs';",
  'type.test.ts':
    "import type { TestStore } from '@chairside/test-support'; import { document } from '../test/document.ts';",
  'inline-type.test.ts': "import { type TestStore } from '@chairside/test-support';",
  'renamed.test.ts': "import { credentials } from '@chairside/test-support';",
  'star.test.ts': "import { referencesIn } from '@chairside/test-support';",
  'door.test.ts': "import { encode } from '@chairside/test-support/wire-message';",
  'problem.test.ts': "import { problem } from '@chairside/local-services';",
  'browser-type.test.ts': "import type { Page } from 'playwright-core';",
};

test('finds the test files whose imports reach the engines, an app or a browser, and no others', async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'chairside-projects-')));
  onTestFinished(() => rm(root, { recursive: true }));
  const inFolder = (files: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(files).map(([name, text]) => [`apps/api/src/${name}`, text]));
  const [service, unit] = [inFolder(NEED_ENGINES), inFolder(NEED_NONE)];
  for (const [path, text] of Object.entries({ ...MODULES, ...service, ...unit })) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  expect(serviceTests(root, [...Object.keys(unit), ...Object.keys(service)])).toEqual(Object.keys(service));
});

test('knows the modules of this repository', () => {
  const root = join(import.meta.dirname, '..');
  const needEngines = [
    'packages/mongodb/test/store.test.ts',
    'apps/api/test/lists.test.ts',
    'apps/cli/test/commands.test.ts',
    'apps/dashboard/web/test/people.test.ts',
    'packages/queue/test/tls.test.ts',
  ];
  expect(serviceTests(root, [...needEngines, 'scripts/test-projects.test.ts'])).toEqual(needEngines);
});
