import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Engines, startEngines } from '@chairside/local-services';
import { startWholeService, type WholeService } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';

/*
 * The disk of the database fills up while records are written. The test mounts a small file system in memory, so it needs
 * the right to mount: root, or sudo without a password.
 */

const SIZE = '400m';
/** What stays free, in bytes, so that the disk fills up under the writes of the test. */
const LEFT = 2 * 2 ** 20;
const REFUSED = 40;

const asRoot = (...command: string[]): void => {
  const [program = '', ...given] = process.getuid?.() === 0 ? command : ['sudo', '-n', ...command];
  execFileSync(program, given, { stdio: 'inherit' });
};

let disk: string;
let engines: Engines;
let service: WholeService;
beforeAll(async () => {
  disk = mkdtempSync(join(tmpdir(), 'full-disk-'));
  asRoot('mount', '-t', 'tmpfs', '-o', `size=${SIZE},mode=0777`, 'tmpfs', disk);
  engines = await startEngines({
    dataDirectory: join(disk, 'data'),
    environment: { ...process.env, MONGODB_URL: '', REDIS_URL: '' },
  });
  service = await startWholeService(engines.redis.url, { mongodbUrl: engines.mongodb.url });
});
afterAll(async () => {
  await service?.close();
  await engines?.stop();
  asRoot('umount', disk);
  rmdirSync(disk);
});

const fill = (): string => {
  const { bavail, bsize } = statfsSync(disk);
  const filler = join(disk, 'filler');
  writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - LEFT)));
  return filler;
};

test('a full disk is a 503 until it has room again; then every record that was stored has its webhook, once', async () => {
  const [clinicId] = service.practice.clinicIds;
  const created: string[] = [];
  const refusals: string[] = [];
  /** Writes until the condition is met. */
  const write = async (isDone: () => boolean): Promise<void> => {
    while (!isDone()) {
      const body = { clinicId, name: 'x'.repeat(200) };
      const { status, json } = await service.call('POST', '/api/patients', body);
      if (status === 200) created.push(json._id);
      else refusals.push(`${status} ${json.message}`);
    }
  };
  const writeAtOnce = (isDone: () => boolean) => Promise.all(Array.from({ length: 4 }, () => write(isDone)));

  await writeAtOnce(() => created.length >= 200);
  expect(refusals).toEqual([]);
  const filler = fill();
  await writeAtOnce(() => refusals.length >= REFUSED);
  expect(new Set(refusals)).toEqual(new Set(['503 The database refuses this for now. Try again later.']));

  const before = created.length;
  rmSync(filler);
  await writeAtOnce(() => created.length >= before + 200);
  await service.receiver.until((posts) => posts.length >= created.length);
  expect(service.receiver.posts.map(({ json }) => json.data._id).toSorted()).toEqual(created.toSorted());
  const statuses = () => service.database.collection('deliveries').distinct('status');
  await expect.poll(statuses).toEqual(['succeeded']);
  const logged = [...service.api.lines, ...service.dispatcher.lines];
  expect(logged.filter(({ msg }) => /^uncaught|console/.test(msg))).toEqual([]);
});
