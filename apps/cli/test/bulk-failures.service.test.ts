import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { type Folder, nodeArgumentsOf } from '@chairside/test-support';
import { spawnOptions } from '@chairside/test-support/app';
import { expect, test } from 'vitest';
import { batchResponse, type Cli, emptyCli, linesOf, openOwnApi } from './cli.ts';

type Response = { status: number; body: object; retryAfter?: number };

/** An api that responds as `respond` says to each row, in batches or alone, and the command line with its address. */
const openService = async (): Promise<{
  cli: Cli;
  folder: Folder;
  respond: (of: (name: string) => Response | Promise<Response>) => void;
}> => {
  let responseTo = (_name: string): Response | Promise<Response> => created();
  const { url, folder } = await openOwnApi(async (request, response) => {
    const text = (await request.toArray()).join('');
    const respondTo = async ({ name }: { name: string }) => responseTo(name);
    const isBatch = request.url === '/api/batch';
    const { status, body, retryAfter }: Response = isBatch
      ? { status: 200, body: await batchResponse(text, respondTo) }
      : await respondTo(JSON.parse(text));
    const more = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
    response.writeHead(status, { 'content-type': 'application/json', ...more }).end(JSON.stringify(body));
  });
  const cli = emptyCli(folder, { CHAIRSIDE_URL: url, CHAIRSIDE_API_KEY: 'key' });
  return {
    cli,
    folder,
    respond(of) {
      responseTo = of;
    },
  };
};

const created = (): Response => ({ status: 200, body: { _id: 'pat_1' } });
const refusal = (status: number, name: string): Response => ({
  status,
  body: { name, message: 'A reason.', details: {} },
});
const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, row) => ({ clinicId: 'cli_1', name: `row ${row}` }));

test.each([
  ['patients', 503],
  ['providers', 409],
])('%s: a row that a %d with Retry-After leaves open is not refused, but left', async (noun, status) => {
  const { cli, folder, respond } = await openService();
  const rows = rowsOf(3).map((row) => ({ ...row, clinicIds: ['cli_1'] }));
  const file = await folder.writeLines('running.ndjson', rows);
  const running = { ...refusal(status, 'Refused'), retryAfter: 0 };
  respond((name) => (name === 'row 1' ? running : created()));
  const { code, stderr } = await cli.run([noun, 'create', '--from', file]);
  expect(stderr).toContain('0 refused, 3 left.');
  expect(stderr).toContain('run the same command again');
  expect(code).toBe(status === 503 ? 5 : 1);
  expect(existsSync(`${file}.refused.ndjson`)).toBe(false);
  respond(created);
  const again = await cli.run([noun, 'create', '--from', file]);
  expect(again.stderr).toContain('3 of 3 rows are created, 0 refused, 0 left.');
});

/** Runs the command with a limit for the size of a file, of one block of 1,024 bytes, as on a full disk. */
const runLimited = ({ environment }: Cli, args: readonly string[]): Promise<string> =>
  new Promise((resolve) => {
    const { cwd, env } = spawnOptions(environment);
    const command = [process.execPath, ...nodeArgumentsOf('cli'), ...args];
    execFile(
      'bash',
      ['-c', 'ulimit -f 1; exec "$@"', 'bash', ...command],
      { cwd, env },
      (_error, _out, err) => resolve(err),
    );
  });

/** The lines of the refused rows in both files. */
const refusedLines = async (file: string) => {
  const lines = linesOf({ stdout: await readFile(`${file}.refused.ndjson`, 'utf8') });
  const [head, ...csv] = (await readFile(`${file}.refused.csv`, 'utf8')).trimEnd().split('\r\n');
  expect(head).toMatch(/^\ufeff_line,/);
  return [lines.map(({ line }) => String(line)).sort(), csv.map((line) => line.split(',')[0]).sort()];
};

test('a full disk leaves no part of a refused row, and the next run writes each one once', async () => {
  const { cli, folder, respond } = await openService();
  const rows = rowsOf(4).map(({ clinicId, name }) => `${clinicId},${name},${'x'.repeat(300)}\n`);
  const file = await folder.write('full.csv', `clinicId,name,language\n${rows.join('')}`);
  respond(() => refusal(400, 'ValidationError'));
  const args = ['patients', 'create', '--from', file];
  expect(await runLimited(cli, args)).toContain('cannot grow');
  await cli.run(args);
  expect(await refusedLines(file)).toEqual(Array(2).fill(['2', '3', '4', '5']));
});

test('a row that one of the files of refused rows does not take is in neither of them', async () => {
  const { cli, folder, respond } = await openService();
  const file = await folder.write('half.csv', 'clinicId,name\ncli_1,one\n');
  respond(() => refusal(400, 'ValidationError'));
  const args = ['patients', 'create', '--from', file];
  await symlink('/dev/full', `${file}.refused.csv`);
  expect((await cli.run(args)).stderr).toContain('The disk is full.');
  await rm(`${file}.refused.csv`);
  await cli.run(args);
  expect(await refusedLines(file)).toEqual([['2'], ['2']]);
});

test('a second run with a file is refused until the first has ended, so no refused row is written twice', async () => {
  const { cli, folder, respond } = await openService();
  const file = await folder.writeLines('twice.ndjson', rowsOf(2));
  const args = ['patients', 'create', '--from', file];
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let requests = 0;
  respond(async () => {
    requests++;
    await released;
    return refusal(400, 'ValidationError');
  });
  const first = cli.start(args).ended;
  await expect.poll(() => requests).toBe(2);
  let hasEnded = false;
  const second = cli.start(args).ended.finally(() => {
    hasEnded = true;
  });
  await expect.poll(() => hasEnded || requests === 4).toBe(true);
  release();
  expect((await first).code).toBe(1);
  const { code, stderr } = await second;
  const lines = linesOf({ stdout: await readFile(`${file}.refused.ndjson`, 'utf8') });
  expect(lines.map(({ line }) => line).sort()).toEqual([1, 2]);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/another run with this file .* process \d+/),
  });
  expect((await cli.run(args)).stderr).toContain('2 refused, 0 left');
});

const journalOf = (file: string) => `${file}.chairside-journal`;

test('a refused row that a kill has left without an entry in the journal is in the files once', async () => {
  const { cli, folder, respond } = await openService();
  const rows = ['one', 'two', 'three'].map((name) => `cli_1,${name}`);
  const file = await folder.write('killed.csv', `clinicId,name\n${rows.join('\n')}\n`);
  respond((name) => (name === 'two' ? created() : refusal(400, 'ValidationError')));
  const args = ['patients', 'create', '--from', file];
  await cli.run(args);
  const [head = '', begun = ''] = (await readFile(journalOf(file), 'utf8')).split('\n');
  for (const left of [`${head}\n${begun}\n`, `${head}\n${begun}\n{"ended":[{"line":2,"res`]) {
    await writeFile(journalOf(file), left);
    await cli.run(args);
    expect(await refusedLines(file)).toEqual([
      ['2', '4'],
      ['2', '4'],
    ]);
  }
  // What a person has added is left.
  await writeFile(journalOf(file), `${head}\n${begun}\n`);
  await appendFile(`${file}.refused.ndjson`, '{"name":"mine"}\n');
  await cli.run(args);
  expect(await readFile(`${file}.refused.ndjson`, 'utf8')).toContain('mine');
});

test('a journal without its last line break is that of a full disk: its last line does not count', async () => {
  const { cli, folder, respond } = await openService();
  const file = await folder.writeLines('short.ndjson', rowsOf(2));
  respond(() => refusal(400, 'ValidationError'));
  const args = ['patients', 'create', '--from', file];
  await cli.run(args);
  const whole = await readFile(journalOf(file), 'utf8');
  for (const length of [whole.length - 1, 5, 0]) {
    await writeFile(journalOf(file), whole.slice(0, length));
    await rm(`${file}.refused.ndjson`);
    expect((await cli.run(args)).stderr).toContain('2 refused, 0 left');
    const lines = linesOf({ stdout: await readFile(`${file}.refused.ndjson`, 'utf8') });
    expect(lines.map(({ line }) => line)).toEqual([1, 2]);
  }
});

test('a new run does not mix its refused rows with those of an earlier one', async () => {
  const { cli, folder, respond } = await openService();
  const file = await folder.write('again.csv', 'clinicId,name\ncli_1,one\n');
  respond(() => refusal(400, 'ValidationError'));
  const args = ['patients', 'create', '--from', file];
  await cli.run(args);
  await rm(journalOf(file));
  const { code, stderr } = await cli.run(args);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/again\.csv\.refused\.ndjson: has the refused rows of an earlier run\./),
  });
});

test('a row at which the service fails stops no other row, and what is overtaken or deleted needs no correction', async () => {
  const { cli, folder, respond } = await openService();
  const file = await folder.writeLines('mixed.ndjson', rowsOf(4));
  const conflict = (code: string): Response => ({
    status: 409,
    body: { name: 'Conflict', message: 'A reason.', details: { code } },
  });
  const responses = [
    refusal(500, 'InternalServerError'),
    conflict('later_write_made'),
    conflict('idempotency_record_deleted'),
    created(),
  ];
  respond((name) => responses[Number(name.at(-1))] ?? created());
  const { stdout, stderr } = await cli.run(['patients', 'create', '--from', file]);
  expect(linesOf({ stdout }).map(({ result }) => result)).toEqual([
    'refused',
    'unchanged',
    'deleted',
    'created',
  ]);
  expect(stderr).toContain('3 of 4 rows are created, 1 refused, 0 left.');
  const lines = linesOf({ stdout: await readFile(`${file}.refused.ndjson`, 'utf8') });
  expect(lines.map(({ line }) => line)).toEqual([1]);
});

test('Ctrl-C ends a run that waits for a limit', async () => {
  const { cli, folder, respond } = await openService();
  const file = await folder.writeLines('waiting.ndjson', rowsOf(2));
  let requests = 0;
  respond(() => {
    requests++;
    return { ...refusal(429, 'TooManyRequests'), retryAfter: 30 };
  });
  const { child, ended } = cli.start(['patients', 'create', '--from', file]);
  await expect.poll(() => requests).toBe(2);
  child.kill('SIGINT');
  const { code, stderr } = await ended;
  expect(code).toBe(130);
  expect(stderr).toContain('Rows from line 1 on were sent');
});
