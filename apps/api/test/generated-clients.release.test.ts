import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApi, type TestApi } from './api.ts';

/*
 * Two client generators create types and clients from the document. A program that uses the types like an integrator is
 * type-checked, and the clients send a key to the api. The generators need an older TypeScript than this repository, so
 * they run in their own folder.
 */

const document = fileURLToPath(new URL('../../../docs/openapi.json', import.meta.url));
const run = promisify(execFile);

let folder: string;
let api: TestApi;
const program = (name: string) => join(folder, 'node_modules', '.bin', name);
const check = async (): Promise<string> => {
  try {
    await run(program('tsc'), ['--noEmit', '--project', '.'], { cwd: folder });
    return '';
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chairside-clients-'));
  const dependencies = {
    'openapi-typescript': '7.13.0',
    '@hey-api/openapi-ts': '0.99.0',
    esbuild: '0.28.2',
    'openapi-fetch': '0.17.0',
    typescript: '5.9.3',
  };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', dependencies }));
  await run('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder });
  const compilerOptions = {
    strict: true,
    target: 'es2022',
    module: 'nodenext',
    moduleResolution: 'bundler',
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: [],
    skipLibCheck: true,
  };
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: { ...compilerOptions, module: 'esnext' },
      files: ['openapi-typescript.ts', 'hey-api.ts'],
    }),
  );
  await run(program('openapi-typescript'), [document, '--output', 'schema.ts'], { cwd: folder });
  await run(
    program('openapi-ts'),
    [
      ...['--input', document, '--output', 'hey', '--plugins'],
      ...['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
    ],
    { cwd: folder },
  );
  api = await openTestApi();
});
afterAll(async () => {
  await api.close();
  await rm(folder, { recursive: true, force: true });
});

const schemas = (name: string) => `components['schemas']['${name}']`;
const IMPORTS = {
  'openapi-typescript.ts': [
    `import type { components } from './schema';`,
    ...[
      'ApiKeyCreate',
      'WebhookSubscriptionCreate',
      'WebhookRedeliveryCreate',
      'PatientCreate',
      'Patient',
      'Event',
    ].map((name) => `type ${name} = ${schemas(name)};`),
    `type Failure = ${schemas('Error')};`,
  ],
  'hey-api.ts': [
    `import type { ApiKeyCreate, WebhookSubscriptionCreate, WebhookRedeliveryCreate, PatientCreate, Patient, Event, Error as Failure } from './hey';`,
  ],
};
const USE = `
export const key: ApiKeyCreate = { name: 'Recall letters' };
export const subscription: WebhookSubscriptionCreate = { clinicId: 'c', url: 'https://example.com' };
export const again: WebhookRedeliveryCreate = { since: '2030-01-31T09:30:00Z' };
export const patient: PatientCreate = { clinicId: 'c' };
export const nameOf = (read: Patient): string => read._id + (read.name ?? '');
export const told = (logged: Event): string | undefined => {
  if (logged.event === 'patient.updated') return logged.data.name;
  return logged.event === 'payment.refunded' ? logged.data.method : undefined;
};
export const isLate = (failure: Failure): boolean => failure.name === 'RequestTimeout';
`;
const WRONG = `
// @ts-expect-error a required field is missing
export const withoutUrl: WebhookSubscriptionCreate = { clinicId: 'c' };
// @ts-expect-error an invoice has no name
export const wrongData = (logged: Event) => (logged.event === 'invoice.paid' ? logged.data.name : undefined);
// @ts-expect-error there is no such field
export const unknown: PatientCreate = { clinicId: 'c', nickname: 'x' };
`;

test('generated types accept and refuse the same bodies as the api', async () => {
  for (const [file, imports] of Object.entries(IMPORTS))
    await writeFile(join(folder, file), `${imports.join('\n')}\n${USE}${WRONG}`);
  expect(await check()).toBe('');
});

const guide = readFileSync(new URL('../../../docs/guide.md', import.meta.url), 'utf8');
const [, configure = ''] = /<!-- example: generated -->\n```js\n([\s\S]*?)```/.exec(guide) ?? [];
const CALLS = {
  'the client of @hey-api/openapi-ts, as in the guide': `import { listClinics } from './hey';
import { client } from './hey/client.gen';
${configure}
configure(client, process.env.URL, process.env.KEY);
console.log(JSON.stringify((await listClinics()).data));`,
  'the client of openapi-fetch': `import createClient from 'openapi-fetch';
const Authorization = 'Basic ' + Buffer.from(process.env.KEY).toString('base64');
const client = createClient({ baseUrl: process.env.URL, headers: { Authorization } });
console.log(JSON.stringify((await client.GET('/api/clinics')).data));`,
};

test.each(Object.entries(CALLS))('%s sends a key', async (_name, source) => {
  await writeFile(join(folder, 'call.ts'), source);
  await run(
    program('esbuild'),
    ['call.ts', '--bundle', '--platform=node', '--format=esm', '--outfile=call.mjs'],
    { cwd: folder },
  );
  const env = { ...process.env, URL: api.url, KEY: api.practice.apiKey };
  const { stdout } = await run(process.execPath, ['call.mjs'], { cwd: folder, env });
  expect(JSON.parse(stdout)).toEqual(
    expect.arrayContaining([expect.objectContaining({ _id: api.practice.clinicIds[0] })]),
  );
});
