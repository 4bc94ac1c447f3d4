import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const script = fileURLToPath(new URL('./mongodb-topology.sh', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'topology-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the script with a fake Docker that records its arguments and reports success. */
const run = (...args: string[]) => {
  const log = join(folder, 'docker.log');
  writeFileSync(log, '');
  const docker = `#!/bin/sh\nprintf '%s\\n' "$*" >> '${log}'\n[ "$1" = exec ] && echo true\n[ "$1" = ps ] && echo id\nexit 0\n`;
  writeFileSync(join(folder, 'docker'), docker, { mode: 0o755 });
  const environment = { PATH: `${folder}:${process.env.PATH}` };
  const { status, stdout, stderr } = spawnSync('sh', [script, ...args], {
    env: environment,
    encoding: 'utf8',
  });
  return { status, stdout, stderr, asked: readFileSync(log, 'utf8').trim().split('\n') };
};

test.each([
  ['standalone', 1, 1],
  ['replica-set', 3, 3],
  ['sharded', 4, 1],
])('%s: starts every server once, and prints the URL as the last line', (topology, servers, hosts) => {
  const { status, stdout, asked } = run(topology, '8.0.29-noble');
  expect(status).toBe(0);
  const started = asked.filter((line) => line.startsWith('run '));
  expect(started).toHaveLength(servers);
  for (const line of started) expect(line).toContain('mongo:8.0.29-noble');
  const ports = started.map((line) => / --port (\d+)$/.exec(line)?.[1]);
  expect(new Set(ports).size).toBe(servers);
  const [, list = ''] =
    /^MONGODB_URL=mongodb:\/\/([^/]+)\//.exec(stdout.trim().split('\n').at(-1) ?? '') ?? [];
  const named = list.split(',').map((host) => host.replace('127.0.0.1:', ''));
  expect(named).toHaveLength(hosts);
  expect(ports).toEqual(expect.arrayContaining(named));
});

test('initiates each replica set with its members, and adds each shard', () => {
  const initiated = (topology: string) =>
    run(topology, '7.0.40-jammy')
      .asked.map((line) => /rs\.initiate\((.+)\)$/.exec(line)?.[1])
      .filter((each) => each !== undefined);
  const [set = ''] = initiated('replica-set');
  expect(set.match(/127\.0\.0\.1:270\d\d/g)).toEqual(
    [27017, 27018, 27019].map((port) => `127.0.0.1:${port}`),
  );
  expect(initiated('sharded')).toEqual([
    "{ _id: 'config', configsvr: true, members: [{ _id: 0, host: '127.0.0.1:27019' }, ] }",
    "{ _id: 'shard-27018', members: [{ _id: 0, host: '127.0.0.1:27018' }, ] }",
    "{ _id: 'shard-27020', members: [{ _id: 0, host: '127.0.0.1:27020' }, ] }",
  ]);
  const added = run('sharded', '7.0.40-jammy').asked.filter((line) => line.includes('sh.addShard'));
  expect(added).toHaveLength(2);
});

test('stop removes the containers; a wrong call lists the valid arguments', () => {
  expect(run('stop').asked).toContain('rm -f -v id');
  expect(run('cluster', '8')).toMatchObject({ status: 1, stderr: expect.stringContaining('Usage:') });
  expect(run('sharded')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('tag of the image mongo is missing'),
  });
});
