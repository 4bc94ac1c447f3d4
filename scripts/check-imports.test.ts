import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const SCRIPT = join(import.meta.dirname, 'check-imports.ts');

/** Runs the check over a folder with these files. */
const problemsIn = async (files: Readonly<Record<string, string>>): Promise<string[]> => {
  const root = await mkdtemp(join(tmpdir(), 'chairside-imports-'));
  onTestFinished(() => rm(root, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  const run = promisify(execFile)(process.execPath, [SCRIPT, root]);
  const { code, stderr } = await run.then(
    () => ({ code: 0, stderr: '' }),
    (error: { code: number; stderr: string }) => error,
  );
  expect(code).toBe(1);
  return stderr.split('\n');
};

test('the connector may import the schedule, and nothing else of the store', async () => {
  const allowed = `
    import { openSchedule } from '@chairside/mongodb/schedule';
    import { findSlots } from '@chairside/schedule';
    const { queue } = await import('@chairside/queue');
    export type { Clinic } from '@chairside/domain';`;
  const refused: Readonly<Record<string, string>> = {
    'whole.ts': "import { openStore } from '@chairside/mongodb';",
    'type.ts': "import type { Store } from '@chairside/mongodb';",
    'export.ts': "export * from '@chairside/mongodb';",
    'dynamic.ts': "await import('@chairside/mongodb');",
    'computed.ts': "await import('@chairside/' + 'mongodb');",
    'require.ts': "import { createRequire } from 'node:module';",
    'deep.ts': "import { x } from '@chairside/mongodb/dist/index.js';",
    'longer.ts': "import { x } from '@chairside/mongodb/schedule/more';",
    'oauth.ts': "import { x } from '@chairside/mongodb/oauth';",
    'driver.ts': "import { MongoClient } from 'mongodb';",
    'path.ts': "import { x } from '../../../packages/mongodb/src/stores/schedule-store.ts';",
    'support.ts': "import { openTestStore } from '@chairside/test-support';",
  };
  const problems = await problemsIn({
    'apps/mcp/src/allowed.ts': allowed,
    'apps/mcp/test/read.test.ts': "import { openStore } from '@chairside/mongodb';",
    'apps/mcp/test/support.test.ts': "import { openTestStore } from '@chairside/test-support';",
    'apps/api/src/computed.ts': "await import('./' + 'x.ts');",
    ...Object.fromEntries(
      Object.entries(refused).map(([name, text]) => [`apps/mcp/src/refused/${name}`, text]),
    ),
  });
  const named = new Set(problems.flatMap((line) => /^(apps\/\S+) imports/.exec(line)?.[1] ?? []));
  expect([...named].toSorted()).toEqual(
    [
      ...Object.keys(refused).map((name) => `apps/mcp/src/refused/${name}`),
      'apps/mcp/test/read.test.ts',
    ].toSorted(),
  );
  expect(problems).toContain(
    'apps/mcp/src/refused/whole.ts imports @chairside/mongodb: apps/mcp may import only @chairside/mongodb/schedule of the store',
  );
});

test('the dashboard reaches the store only through the authorization server, which has one door', async () => {
  const problems = await problemsIn({
    'apps/dashboard/server/src/app.ts': "import { oauthRoutes } from '@chairside/authorization-server';",
    'apps/dashboard/server/test/store.test.ts': "import type { OAuthStore } from '@chairside/mongodb/oauth';",
    'packages/authorization-server/src/door.ts': "import { openOAuthStore } from '@chairside/mongodb/oauth';",
    'packages/authorization-server/src/whole.ts': "import type { Store } from '@chairside/mongodb';",
  });
  const named = problems.filter((line) => /^(apps\/dashboard|packages\/authorization)/.test(line)).toSorted();
  expect(named).toEqual([
    'apps/dashboard/server/test/store.test.ts imports @chairside/mongodb/oauth: apps/dashboard/server may import nothing of the store',
    'packages/authorization-server/src/whole.ts imports @chairside/mongodb, which the table of scripts/check-imports.ts does not allow',
    'packages/authorization-server/src/whole.ts imports @chairside/mongodb: packages/authorization-server may import only @chairside/mongodb/oauth of the store',
  ]);
});

test('packages/schedule imports the domain and the time-zone library only', async () => {
  const problems = await problemsIn({
    'packages/schedule/src/allowed.ts':
      "import { Temporal } from 'temporal-polyfill'; import { minutesOf } from '@chairside/domain';",
    'packages/schedule/src/store.ts': "import { openSchedule } from '@chairside/mongodb/schedule';",
  });
  expect(problems.filter((line) => line.startsWith('packages/schedule'))).toEqual([
    'packages/schedule/src/store.ts imports @chairside/mongodb/schedule, which the table of scripts/check-imports.ts does not allow',
  ]);
});

test('a page of the dashboard imports lower layers, and no other page', async () => {
  const folder = 'apps/dashboard/web/src';
  const problems = await problemsIn({
    [`${folder}/audit/AuditPage.tsx`]: "import '../components/Field.css'; import { a } from './requests.ts';",
    [`${folder}/audit/requests.ts`]: "import { keysQuery } from '../keys/requests.ts';",
    [`${folder}/components/Problem.tsx`]: "import { Shell } from '../layout/Shell.tsx';",
    [`${folder}/search.ts`]: "import { createPages } from './router.tsx';",
  });
  const above = 'which is in the same layer of apps/dashboard/web/src/ or in a higher layer';
  expect(problems.filter((line) => line.startsWith(folder)).toSorted()).toEqual([
    `${folder}/audit/requests.ts imports ${folder}/keys/requests.ts, ${above}`,
    `${folder}/components/Problem.tsx imports ${folder}/layout/Shell.tsx, ${above}`,
    `${folder}/search.ts imports ${folder}/router.tsx, ${above}`,
  ]);
});
