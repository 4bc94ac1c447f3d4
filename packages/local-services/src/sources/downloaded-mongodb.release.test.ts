import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { downloadedMongodb, whyNoBuild } from './downloaded-mongodb.ts';
import type { Search } from './source.ts';

let folder: string;
let server: Server;
let requests: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'download-'));
  requests = [];
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

/** A search whose downloads come from a server that the test provides. */
async function searchAt(listener: RequestListener, signal = new AbortController().signal): Promise<Search> {
  server = createServer((request, response) => {
    requests.push(request.url ?? '');
    listener(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const environment = {
    ...process.env,
    MONGOMS_DOWNLOAD_URL: `http://127.0.0.1:${port}/mongodb-linux-x86_64-debian12-8.0.99.tgz`,
    MONGOMS_USE_HTTP: 'true',
  };
  return { cacheDirectory: join(folder, 'cache'), environment, onProgress: () => {}, signal };
}

/** An archive like MongoDB's archives, with a program that only prints its version. */
async function archive(version: string): Promise<Buffer> {
  const bin = join(folder, 'mongodb-test/bin');
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, 'mongod'), `#!/bin/sh\necho "db version v${version}"\n`, { mode: 0o755 });
  await promisify(execFile)('tar', ['-czf', 'archive.tgz', 'mongodb-test'], { cwd: folder });
  return readFile(join(folder, 'archive.tgz'));
}

function serving(bytes: Buffer): RequestListener {
  const checksum = createHash('md5').update(bytes).digest('hex');
  return (request, response) => {
    const body = request.url?.endsWith('.md5') ? Buffer.from(`${checksum}  mongodb-test.tgz\n`) : bytes;
    response.writeHead(200, { 'content-length': body.length }).end(body);
  };
}

describe('the download of mongod', () => {
  it('is kept in the cache', async () => {
    const search = await searchAt(serving(await archive('8.0.99')));
    expect(await downloadedMongodb.find(search)).toMatchObject({
      outcome: 'found',
      plan: { kind: 'mongod', description: 'MongoDB 8.0.99 (downloaded)' },
    });
    const afterFirst = requests.length;
    expect(await downloadedMongodb.find(search)).toMatchObject({
      plan: { description: 'MongoDB 8.0.99 (cached)' },
    });
    expect(requests).toHaveLength(afterFirst);
  });

  it('is not retried within a day after a failure', async () => {
    const search = await searchAt((_, response) => response.writeHead(403).end());
    expect(await downloadedMongodb.find(search)).toMatchObject({
      outcome: 'unavailable',
      reason: expect.stringContaining('403'),
    });
    expect(requests).toHaveLength(1);
    expect(await downloadedMongodb.find(search)).toMatchObject({
      outcome: 'unavailable',
      reason: expect.stringContaining('the next try is after a day'),
    });
    expect(requests).toHaveLength(1);
  });

  it('times out within seconds if no data arrives', async () => {
    const search = await searchAt(() => {});
    const began = performance.now();
    expect(await downloadedMongodb.find(search)).toMatchObject({ outcome: 'unavailable' });
    expect(performance.now() - began).toBeLessThan(9_000);
  });

  it('copies an existing mongod and leaves it where it is', async () => {
    const search = await searchAt(() => {});
    await archive('8.0.98');
    const theirs = join(folder, 'mongodb-test/bin/mongod');
    const environment = { ...search.environment, MONGOMS_SYSTEM_BINARY: theirs };
    const before = await stat(theirs);
    expect(await downloadedMongodb.find({ ...search, environment })).toMatchObject({
      plan: { description: 'MongoDB 8.0.98 (downloaded)' },
    });
    expect(await stat(theirs)).toMatchObject({ ino: before.ino, size: before.size, mode: before.mode });
    expect(requests).toEqual([]);
  });

  it('is not tried on Debian on arm64, because there is no build', async () => {
    await searchAt(() => {});
    const machine = (arch: string) => ({ arch, root: folder });
    await mkdir(join(folder, 'etc'));
    const beDistribution = (id: string) => writeFile(join(folder, 'etc/os-release'), `NAME=x\nID=${id}\n`);
    await beDistribution('debian');
    expect(await whyNoBuild({}, machine('arm64'))).toMatch(/no build for Debian on arm64.*Docker/);
    expect(await whyNoBuild({}, machine('x64'))).toBeUndefined();
    expect(await whyNoBuild({ MONGOMS_DOWNLOAD_URL: 'x' }, machine('arm64'))).toBeUndefined();
    await beDistribution('ubuntu');
    expect(await whyNoBuild({}, machine('arm64'))).toBeUndefined();
  });

  it('is reported and not kept if mongod does not run on this machine', async () => {
    const search = await searchAt(serving(await archive('4.4.0')));
    expect(await downloadedMongodb.find(search)).toMatchObject({
      outcome: 'unavailable',
      reason: expect.stringContaining('7.0.0 or later is required'),
    });
  });

  it('aborts with the signal, and is not remembered as failed', async () => {
    const ending = new AbortController();
    const reason = new Error('changed my mind');
    const search = await searchAt(() => ending.abort(reason), ending.signal);
    await expect(downloadedMongodb.find(search)).rejects.toBe(reason);
    const search2 = { ...search, signal: new AbortController().signal };
    server.removeAllListeners('request').on('request', (_, response) => response.writeHead(403).end());
    expect(await downloadedMongodb.find(search2)).toMatchObject({ reason: expect.stringContaining('403') });
  });
});
