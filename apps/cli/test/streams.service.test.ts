import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { Folder } from '@chairside/test-support';
import { nodeArgumentsOf, spawnOptions } from '@chairside/test-support/app';
import { beforeEach, describe, expect, test } from 'vitest';
import { batchResponse, openOwnApi } from './cli.ts';

let folder: Folder;
let created: string[];
let environment: Record<string, string>;
let refusedName: string | undefined;
beforeEach(async () => {
  created = [];
  refusedName = undefined;
  const opened = await openOwnApi(async (request, response) => {
    const refusal = (status: number, name: string) => ({
      status,
      body: { message: 'refused', name, statusCode: status, details: { requestId: 'r', issues: [] } },
    });
    const end = ({ status, body }: { status: number; body: object }) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.method !== 'POST') return end(refusal(404, 'NotFound'));
    const body = await batchResponse(await text(request), async ({ name }) => {
      if (name === refusedName) return refusal(400, 'ValidationError');
      created.push(name);
      return { status: 200, body: { _id: `id of ${name}` } };
    });
    end({ status: 200, body });
  });
  folder = opened.folder;
  environment = {
    HOME: folder.path,
    XDG_CONFIG_HOME: folder.path,
    CHAIRSIDE_URL: opened.url,
    CHAIRSIDE_API_KEY: `chairside_key_${'k'.repeat(43)}`,
  };
});

/** Runs the command in the folder of the test. The named streams have no reader. */
const run = async (
  args: readonly string[],
  { closed = [] as readonly ('stdout' | 'stderr')[], stdin = '' } = {},
) => {
  const child = spawn(process.execPath, [...nodeArgumentsOf('cli'), ...args], {
    ...spawnOptions(environment),
    cwd: folder.path,
  });
  for (const name of closed) child[name].destroy();
  child.stdin.on('error', () => {}).end(stdin);
  const [stderr, [code]] = await Promise.all([
    closed.includes('stderr') ? '' : text(child.stderr),
    once(child, 'exit'),
  ]);
  return { code, stderr };
};

const CSV = 'clinicId;name;\r\nc;Ada;\r\nc;Bo;\r\n;;\r\n';
const create = (file: string) => ['patients', 'create', '--from', file];

describe('a command without a reader of its messages', () => {
  test.each<[code: number, args: readonly string[]]>([
    [2, ['patients', 'get']],
    [2, ['nonsense']],
    [2, ['patients', 'create', '--clinc-id', 'x']],
    [2, create('missing.csv')],
    [4, ['patients', 'get', 'one']],
    [0, ['--version']],
  ])('ends with the code %i: chairside %j', async (code, args) => {
    expect((await run(args, { closed: ['stderr'] })).code).toBe(code);
    expect((await run(args, { closed: ['stdout', 'stderr'] })).code).toBe(code);
  });

  test('creates every row, and writes the refused ones', async () => {
    refusedName = 'Bo';
    const file = await folder.write('a.csv', CSV);
    expect((await run(create(file), { closed: ['stderr', 'stdout'] })).code).toBe(1);
    expect(created).toEqual(['Ada']);
    expect(readFileSync(`${file}.refused.csv`, 'utf8')).toContain('Bo');
    expect(existsSync(`${file}.chairside-lock`)).toBe(false);
  });
});

describe('create --from a stream', () => {
  test.each(['-', '/dev/stdin', '/dev/fd/0'])('reads %s, and creates nothing twice', async (name) => {
    for (let round = 0; round < 2; round++) {
      const { code, stderr } = await run(create(name), { stdin: CSV });
      expect({ code, stderr }).toMatchObject({ code: 0 });
      expect(stderr).toContain('2 of 2 rows are created, 0 refused, 0 left.');
    }
    expect(created.toSorted()).toEqual(['Ada', 'Bo']);
    // Nothing beside the journal is left.
    expect(readdirSync(folder.path).filter((each) => each.startsWith('stdin-'))).toEqual([
      expect.stringMatching(/^stdin-[0-9a-f]{16}\.csv\.chairside-journal$/),
    ]);
  });

  test('reads JSON lines, and puts refused ones into the current folder', async () => {
    refusedName = 'Bo';
    const stdin = '\ufeff{"clinicId":"c","name":"Ada"}\n{"clinicId":"c","name":"Bo"}\n';
    const { code, stderr } = await run(create('-'), { stdin });
    expect(code).toBe(1);
    const [, file = ''] = /with the reasons: (\S+)\. Correct/.exec(stderr) ?? [];
    expect(file).toMatch(/^stdin-[0-9a-f]{16}\.ndjson\.refused\.ndjson$/);
    expect(readFileSync(`${folder.path}/${file}`, 'utf8')).toContain('Bo');
  });

  test('reads a process substitution', async () => {
    const pipe = `${folder.path}/pipe.csv`;
    const shell = spawn('sh', ['-c', 'mkfifo "$0" && printf "clinicId,name\\nc,Ada\\n" > "$0"', pipe]);
    await expect.poll(() => existsSync(pipe)).toBe(true);
    expect((await run(create(pipe))).code).toBe(0);
    expect(created).toEqual(['Ada']);
    shell.kill();
  });

  test('refuses an empty stdin', async () => {
    const { code, stderr } = await run(create('-'));
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/has no rows/) });
  });
});
