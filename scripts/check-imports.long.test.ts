import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkImports } from './check-imports.ts';

const REPOSITORY = join(import.meta.dirname, '..');
/** Packages that planted files import by name. They are resolved as in the repository. */
const PACKAGES = ['mongodb', 'domain', 'queue', 'schedule', 'test-support', 'authorization-server'];

/** Puts a package with its real exports, and empty modules behind them, into a folder. */
const plantPackage = async (root: string, name: string): Promise<void> => {
  const description = JSON.parse(await readFile(join(REPOSITORY, 'packages', name, 'package.json'), 'utf8'));
  const { exports } = description as { exports: Record<string, string | Record<string, string>> };
  const folder = join(root, 'packages', name);
  for (const target of Object.values(exports)) {
    const source = typeof target === 'string' ? target : (target['@chairside/source'] ?? '');
    await mkdir(dirname(join(folder, source)), { recursive: true });
    await writeFile(join(folder, source), 'export {};');
  }
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: description.name, exports }));
  await mkdir(join(root, 'node_modules/@chairside'), { recursive: true });
  await symlink(folder, join(root, 'node_modules/@chairside', name));
};

/** A package of npm that planted files may import. */
const plantDependency = async (root: string, name: string): Promise<void> => {
  await mkdir(join(root, 'node_modules', name), { recursive: true });
  await writeFile(join(root, 'node_modules', name, 'index.js'), '');
};

/** Runs the check over a folder with these files. */
const problemsIn = async (files: Readonly<Record<string, string>>): Promise<string[]> => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'chairside-imports-')));
  onTestFinished(() => rm(root, { recursive: true }));
  for (const name of PACKAGES) await plantPackage(root, name);
  await plantDependency(root, 'temporal-polyfill');
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  const { problems } = await checkImports(root);
  expect(problems).not.toEqual([]);
  return problems;
};

/** The importing files that the check names, each once. */
const importersIn = (problems: readonly string[], place = ''): string[] =>
  [...new Set(problems.flatMap((line) => /^(\S+) imports/.exec(line)?.[1] ?? []))]
    .filter((file) => file.startsWith(place))
    .toSorted();

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
    'path.ts': "import { x } from '../../../../../packages/mongodb/src/stores/schedule-store.ts';",
    'support.ts': "import { openTestStore } from '@chairside/test-support';",
  };
  const problems = await problemsIn({
    'apps/mcp/src/tools/allowed.ts': allowed,
    'apps/mcp/test/read.test.ts': "import { openStore } from '@chairside/mongodb';",
    'apps/mcp/test/support.test.ts': "import { openTestStore } from '@chairside/test-support';",
    'apps/demo/src/computed.ts': "await import('./' + 'x.ts');",
    ...Object.fromEntries(
      Object.entries(refused).map(([name, text]) => [`apps/mcp/src/tools/refused/${name}`, text]),
    ),
  });
  expect(importersIn(problems)).toEqual(
    [
      ...Object.keys(refused).map((name) => `apps/mcp/src/tools/refused/${name}`),
      'apps/mcp/test/read.test.ts',
    ].toSorted(),
  );
  expect(problems.join('\n')).toContain(
    'apps/mcp/src/tools/refused/whole.ts imports packages/mongodb/src/index.ts. store of apps/mcp: Only these modules of the store are allowed',
  );
});

test('the dashboard reaches the store only through the authorization server, which has one door', async () => {
  const problems = await problemsIn({
    'apps/dashboard/server/src/app.ts': "import { oauthRoutes } from '@chairside/authorization-server';",
    'apps/dashboard/server/test/store.test.ts': "import type { OAuthStore } from '@chairside/mongodb/oauth';",
    'packages/authorization-server/src/door.ts': "import { openOAuthStore } from '@chairside/mongodb/oauth';",
    'packages/authorization-server/src/whole.ts': "import type { Store } from '@chairside/mongodb';",
  });
  expect(importersIn(problems)).toEqual([
    'apps/dashboard/server/test/store.test.ts',
    'packages/authorization-server/src/whole.ts',
  ]);
});

test('the api cannot name what the dispatcher and chairside-admin do for all organizations', async () => {
  const problems = await problemsIn({
    'apps/api/src/allowed.ts': "import { openStore } from '@chairside/mongodb';",
    'apps/api/src/admin.ts': "import { openAdministrationStore } from '@chairside/mongodb/administration';",
    'apps/api/src/dispatch.ts': "import type { Dispatch } from '@chairside/mongodb/dispatch';",
    'apps/api/test/whole.test.ts': "import { openWholeStore } from '@chairside/mongodb/whole';",
  });
  expect(importersIn(problems)).toEqual([
    'apps/api/src/admin.ts',
    'apps/api/src/dispatch.ts',
    'apps/api/test/whole.test.ts',
  ]);
});

test('packages/schedule imports the domain and the time-zone library only', async () => {
  const problems = await problemsIn({
    'packages/schedule/src/allowed.ts':
      "import type { Temporal } from 'temporal-polyfill'; import { minutesOf } from '@chairside/domain';",
    'packages/schedule/src/store.ts': "import { openSchedule } from '@chairside/mongodb/schedule';",
  });
  expect(importersIn(problems, 'packages/schedule')).toEqual(['packages/schedule/src/store.ts']);
});

test('a page of the dashboard imports lower layers, and no other page', async () => {
  const folder = 'apps/dashboard/web/src';
  const problems = await problemsIn({
    [`${folder}/audit/AuditPage.tsx`]: "import '../components/Field.css'; import { a } from './requests.ts';",
    [`${folder}/audit/requests.ts`]: "import { keysQuery } from '../keys/requests.ts';",
    [`${folder}/components/Problem.tsx`]: "import { Shell } from '../layout/Shell.tsx';",
    [`${folder}/search.ts`]: "import { createPages } from './router.tsx';",
    [`${folder}/components/Field.css`]: '',
    [`${folder}/keys/requests.ts`]: '',
    [`${folder}/layout/Shell.tsx`]: '',
    [`${folder}/router.tsx`]: '',
  });
  const above = 'This is in the same layer or in a higher one: see LAYERS in scripts/import-rules.ts.';
  const rule = `layers of ${folder}: ${above}`;
  expect(problems.filter((line) => line.includes('layers of')).toSorted()).toEqual([
    `${folder}/audit/requests.ts imports ${folder}/keys/requests.ts. ${rule}`,
    `${folder}/components/Problem.tsx imports ${folder}/layout/Shell.tsx. ${rule}`,
    `${folder}/search.ts imports ${folder}/router.tsx. ${rule}`,
  ]);
});

test('every layered folder refuses imports from the top, and names all of its files', async () => {
  const problems = await problemsIn({
    'packages/mongodb/src/driver/statements.ts': "import type { Store } from '../stores/store.ts';",
    'packages/mongodb/src/stores/store.ts': 'export type Store = object;',
    'packages/mongodb/src/helpers.ts': "import './driver/statements.ts';",
    'apps/api/src/patients/routes.ts': "import '../clinics/routes.ts';",
    'apps/api/src/clinics/routes.ts': '',
    'apps/webhook-dispatcher/src/outage/a.ts': "import '../delivery/b.ts';",
    'apps/webhook-dispatcher/src/delivery/b.ts': "import '../outage/a.ts';",
  });
  const importing = importersIn(problems);
  expect(importing).toContain('packages/mongodb/src/driver/statements.ts');
  expect(importing).toContain('packages/mongodb/src/helpers.ts');
  expect(importing).toContain('apps/api/src/patients/routes.ts');
  expect(importing).toContain('apps/webhook-dispatcher/src/outage/a.ts');
  expect(problems.some((line) => line.includes('no cycles'))).toBe(true);
});

test('reports an import of a higher layer as such, and a file that no layer names as another problem', async () => {
  const root = 'packages/mongodb/src';
  const problems = await problemsIn({
    [`${root}/driver/statements.ts`]: "import '../stores/store.ts';",
    [`${root}/stores/store.ts`]: '',
    [`${root}/helpers.ts`]: "import './driver/statements.ts';",
  });
  expect(problems).toContain(
    `${root}/driver/statements.ts imports ${root}/stores/store.ts. layers of ${root}: This is in the same layer or in a higher one: see LAYERS in scripts/import-rules.ts.`,
  );
  expect(problems).toContain(
    `${root}/helpers.ts imports ${root}/driver/statements.ts. files of ${root}: This file or folder is missing in LAYERS of scripts/import-rules.ts.`,
  );
});

test('a new package needs a row, an import by path is the listed one, and a listed one is used', async () => {
  const problems = await problemsIn({
    'packages/letters/src/index.ts': "import './send.ts';",
    'packages/letters/src/send.ts': '',
    'apps/api/test/settings.test.ts':
      "import '../../webhook-dispatcher/src/config.ts'; import '../../admin/src/rows.ts';",
    'apps/webhook-dispatcher/src/config.ts': '',
    'apps/admin/src/rows.ts': '',
  });
  expect(problems.filter((line) => line.includes('without a row'))).toHaveLength(1);
  expect(problems.filter((line) => line.startsWith('apps/api/test/settings.test.ts'))).toEqual([
    expect.stringContaining(
      'imports apps/admin/src/rows.ts. files of other packages in apps/api/test/settings.test.ts',
    ),
  ]);
  expect(problems.filter((line) => line.includes('no longer imports'))).toEqual([
    expect.stringContaining('packages/mongodb/test/'),
    expect.stringContaining('apps/api/test/configuration-table.test.ts'),
  ]);
});

test('packages for all runtimes import only the modules in the table of pure packages', async () => {
  const problems = await problemsIn({
    'packages/signing/src/a.ts':
      "import { createHmac } from 'node:crypto'; import { x } from '@chairside/domain';",
    'packages/signing/src/b.ts': "import { readFile } from 'node:fs/promises';",
    'packages/client/src/c.ts': "import { isIP } from 'node:net';",
    'packages/domain/src/d.ts': "import { setTimeout } from 'node:timers/promises';",
    'packages/domain/src/e.ts': "import { isIP } from 'node:net';",
  });
  expect(importersIn(problems)).toEqual([
    'packages/client/src/c.ts',
    'packages/domain/src/d.ts',
    'packages/signing/src/a.ts',
    'packages/signing/src/b.ts',
  ]);
});

test('an app imports no file of another app, and its source no test', async () => {
  const problems = await problemsIn({
    'apps/api/src/health/routes.ts': "import '../../../webhook-dispatcher/src/monitoring/metrics.ts';",
    'apps/api/src/health/other.ts': "import './routes.test.ts';",
    'apps/api/src/health/routes.test.ts': "import '../../../admin/src/rows.ts';",
    'apps/admin/src/rows.ts': '',
    'apps/webhook-dispatcher/src/monitoring/metrics.ts': '',
  });
  expect(importersIn(problems)).toEqual([
    'apps/api/src/health/other.ts',
    'apps/api/src/health/routes.test.ts',
    'apps/api/src/health/routes.ts',
  ]);
});

test('only the files that determine the address of a caller use that of the connection, in any form', async () => {
  const problems = await problemsIn({
    'apps/api/src/clinics/a.ts': 'export const a = (request) => request.ip;',
    'apps/api/src/clinics/b.ts': 'export const b = ({ ip }) => ip;',
    'apps/api/src/clinics/c.ts': "export const c = (request) => request['ip'];",
    'apps/api/src/clinics/d.ts':
      '// The ip of a request\nexport const d = ({ callerAddress, zip }) => [callerAddress, zip];',
    'apps/api/src/http/caller-address.ts': 'export const address = ({ ip }) => ip;',
  });
  const found = problems.filter((line) => line.includes(' uses ip: ')).map((line) => line.split(' ')[0]);
  expect(found).toEqual(['a', 'b', 'c'].map((name) => `apps/api/src/clinics/${name}.ts`));
});

test('the services read the time from their clock, not from the machine', async () => {
  const problems = await problemsIn({
    'apps/api/src/clinics/a.ts': 'export const a = new Date();',
    'apps/mcp/src/b.ts': 'export const b = () => Date.now() + 1;',
    'packages/mongodb/src/c.ts': 'export const c = { now: Date.now };',
    'packages/mongodb/src/d.ts': 'export const d = [new Date(0), Date.UTC(2030), Date.parse("2030")];',
    'packages/mongodb/src/d.test.ts': 'export const d = new Date();',
    'apps/cli/src/e.ts': 'export const e = new Date();',
  });
  const found = problems
    .filter((line) => line.includes('clock of the machine'))
    .map((line) => line.split(' ')[0]);
  expect(found.toSorted()).toEqual([
    'apps/api/src/clinics/a.ts',
    'apps/mcp/src/b.ts',
    'packages/mongodb/src/c.ts',
  ]);
});

test('the services make no plain errors, because the log would withhold their messages', async () => {
  const problems = await problemsIn({
    'apps/api/src/clinics/a.ts': "export const a = () => { throw new Error('x'); };",
    'packages/queue/src/b.ts': "export const b = new TypeError('x');",
    'apps/cli/src/c.ts': "export const c = new Error('x');",
  });
  expect(problems.filter((line) => line.includes('plain Error')).map((line) => line.split(' ')[0])).toEqual([
    'apps/api/src/clinics/a.ts',
  ]);
});
