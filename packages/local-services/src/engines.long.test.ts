import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { borrowingCache, temporaryDirectories, withoutGivenEngines } from '../test/environment.ts';
import { running } from '../test/processes.ts';
import { type Engines, startEngines, startMongodb, startRedis } from './index.ts';

const environment = withoutGivenEngines();
const ephemeral = { ephemeral: true, environment } as const;

let engines: Engines;
// The time limit is high, because the first start on a machine downloads and builds the engines.
beforeAll(async () => {
  engines = await startEngines({ ...ephemeral, onProgress: (line) => console.log(line) });
});
afterAll(() => engines.stop());

async function withMongodb<T>(url: string, use: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 5_000 });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

async function withRedis<T>(url: string, use: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url);
  try {
    return await use(redis);
  } finally {
    redis.disconnect();
  }
}

describe('both engines', () => {
  it('listen on this machine only, and report their source and their processes', async () => {
    expect(engines.mongodb.url).toMatch(/^mongodb:\/\/127\.0\.0\.1:\d+$/);
    expect(engines.redis.url).toMatch(/^redis:\/\/127\.0\.0\.1:\d+$/);
    expect(engines.mongodb.source).toMatch(/^(MongoDB|FerretDB) \d/);
    expect(engines.redis.source).toMatch(/^Redis \d/);
    const pids = [...engines.mongodb.pids, ...engines.redis.pids];
    expect(await running(pids)).toEqual(pids);
  });

  it('MongoDB enforces a unique index and serves 150 connections of several clients at once', async () => {
    const clients = Array.from(
      { length: 6 },
      () => new MongoClient(engines.mongodb.url, { maxPoolSize: 25 }),
    );
    const write = async (client: MongoClient, number: number) => {
      const collection = client.db('crowd').collection<{ _id: number }>('numbers');
      await collection.insertOne({ _id: number });
      return collection.findOne({ _id: number });
    };
    try {
      await clients[0]?.db('crowd').collection('numbers').createIndex({ n: 1 });
      const writes = clients.flatMap((client, i) =>
        Array.from({ length: 25 }, (_, j) => write(client, i * 25 + j)),
      );
      expect(await Promise.all(writes)).not.toContain(null);
      await expect(write(clients[0] as MongoClient, 7)).rejects.toMatchObject({ code: 11000 });
    } finally {
      await Promise.all(clients.map((client) => client.close()));
    }
  });

  it('Redis writes nothing to disk and evicts no keys', async () => {
    await withRedis(engines.redis.url, async (redis) => {
      expect(await redis.config('GET', 'save')).toEqual(['save', '']);
      expect(await redis.config('GET', 'appendonly')).toEqual(['appendonly', 'no']);
      expect(await redis.config('GET', 'maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction']);
    });
  });
});

describe('kill and resume', () => {
  it('starts MongoDB again at the same address with its data', async () => {
    const mongodb = await startMongodb(ephemeral);
    try {
      const { url, pids } = mongodb;
      const find = () => withMongodb(url, (client) => client.db('a').collection('b').findOne({ kept: true }));
      await withMongodb(url, (client) => client.db('a').collection('b').insertOne({ kept: true }));
      await mongodb.kill();
      expect(await running(pids)).toEqual([]);
      expect(mongodb.pids).toEqual([]);
      await mongodb.resume();
      expect(mongodb.url).toBe(url);
      expect(await find()).toMatchObject({ kept: true });
      const again = mongodb.pids;
      await mongodb.resume();
      expect(mongodb.pids).toEqual(again);
    } finally {
      await mongodb.stop();
    }
    await expect(mongodb.resume()).rejects.toMatchObject({ code: 'ENGINE_FAILED' });
  });

  it('starts MongoDB again with writable indexes after a kill during writes', async () => {
    const mongodb = await startMongodb(ephemeral);
    const client = new MongoClient(mongodb.url, { serverSelectionTimeoutMS: 5_000 });
    try {
      const collection = client.db('a').collection<{ _id: number; a: number; b: Date; c: string }>('b');
      await collection.createIndexes([{ key: { a: 1, b: 1 } }, { key: { c: 1 } }]);
      let next = 0;
      const write = async (): Promise<void> => {
        const documents = Array.from({ length: 17 }, (_, a) => ({
          _id: next++,
          a,
          b: new Date(),
          c: `c${a}`,
        }));
        const written = { _id: { $in: documents.map(({ _id }) => _id) } };
        await collection.insertMany(documents, { ordered: false });
        await collection.updateMany(written, { $set: { b: new Date() } });
      };
      /** Writes this many groups with four concurrent writers. Rejects if a write fails. */
      const writeGroups = async (groups: number): Promise<void> => {
        let left = groups;
        const writer = async () => {
          while (left-- > 0) await write();
        };
        const end = () => {
          left = 0;
        };
        await Promise.all([1, 2, 3, 4].map(() => writer().finally(end)));
      };
      for (let round = 0; round < 3; round++) {
        await writeGroups(100);
        const interrupted = expect(writeGroups(100_000)).rejects.toThrow();
        await write();
        await mongodb.kill();
        await mongodb.resume();
        await interrupted;
      }
      await writeGroups(100);
    } finally {
      await client.close();
      await mongodb.stop();
    }
  });

  it('leaves no process on the port of Redis, whose threads do not all end at once', async () => {
    const redis = await startRedis(ephemeral);
    try {
      for (let round = 0; round < 20; round++) {
        await redis.kill();
        const next = createServer().listen(Number(new URL(redis.url).port), '127.0.0.1');
        await once(next, 'listening');
        next.close();
        await once(next, 'close');
        await redis.resume();
      }
    } finally {
      await redis.stop();
    }
  });

  it('halts MongoDB in an orderly way, and starts it again with its data', async () => {
    const mongodb = await startMongodb(ephemeral);
    try {
      const { url, pids } = mongodb;
      const find = () => withMongodb(url, (client) => client.db('a').collection('b').findOne({ kept: true }));
      await withMongodb(url, (client) => client.db('a').collection('b').insertOne({ kept: true }));
      await mongodb.halt();
      expect(await running(pids)).toEqual([]);
      expect(mongodb.pids).toEqual([]);
      await mongodb.resume();
      expect(mongodb.url).toBe(url);
      expect(await find()).toMatchObject({ kept: true });
    } finally {
      await mongodb.stop();
    }
  });

  it('starts Redis again at the same address, empty', async () => {
    const redis = await startRedis(ephemeral);
    try {
      const { url } = redis;
      await withRedis(url, (client) => client.set('key', 'value'));
      await redis.kill();
      await redis.resume();
      expect(redis.url).toBe(url);
      expect(await withRedis(url, (client) => client.get('key'))).toBeNull();
    } finally {
      await redis.stop();
    }
  });
});

describe('stop', () => {
  it('leaves no process and no folder, even with connected clients', async () => {
    const cacheDirectory = await borrowingCache();
    const own = await startEngines({ ...ephemeral, cacheDirectory });
    const pids = [...own.mongodb.pids, ...own.redis.pids];
    expect(await temporaryDirectories(cacheDirectory)).toHaveLength(2);
    await withMongodb(own.mongodb.url, (client) =>
      withRedis(own.redis.url, async (redis) => {
        redis.on('error', () => {});
        await client.db('a').command({ ping: 1 });
        await own.stop();
      }),
    );
    expect(await running(pids)).toEqual([]);
    expect(await temporaryDirectories(cacheDirectory)).toEqual([]);
    await own.stop();
    await rm(cacheDirectory, { recursive: true });
  });

  it('happens when the signal aborts a start', async () => {
    const ending = new AbortController();
    const reason = new Error('changed my mind');
    const starting = startEngines({ ...ephemeral, signal: ending.signal });
    ending.abort(reason);
    await expect(starting).rejects.toBe(reason);
  });
});

describe('without any engine', () => {
  // An environment with neither installed programs nor a download server.
  const bare = {
    PATH: '/nowhere',
    HOME: '/nowhere',
    MONGOMS_DOWNLOAD_URL: 'https://127.0.0.1:1/mongodb-linux-x86_64-debian12-8.0.99.tgz',
  };

  it.each([
    [
      'MongoDB',
      startMongodb,
      [
        'MONGODB_URL: not set',
        'MONGODB_BINARY: not set',
        'mongod on PATH: not there',
        'ECONNREFUSED',
        'FerretDB',
      ],
    ],
    [
      'Redis',
      startRedis,
      ['REDIS_URL: not set', 'REDIS_BINARY: not set', 'redis-server on PATH: not there', 'Debian package'],
    ],
  ] as const)('lists for %s the sources that were tried, and why each failed', async (_, start, expected) => {
    const cacheDirectory = await mkdtemp(join(tmpdir(), 'cache-'));
    const error: unknown = await start({ ephemeral: true, cacheDirectory, environment: bare }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: 'NO_ENGINE' });
    for (const part of expected) expect((error as Error).message).toContain(part);
    expect((error as Error).message).toContain('docker run');
    await rm(cacheDirectory, { recursive: true });
  });

  it('the error names a cache that cannot be written', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cache-'));
    const file = join(folder, 'file');
    await writeFile(file, '');
    const starting = startRedis({ ephemeral: true, cacheDirectory: join(file, 'cache'), environment: bare });
    await expect(starting).rejects.toMatchObject({
      code: 'NO_PERMISSION',
      message: expect.stringContaining(file),
    });
    await rm(folder, { recursive: true });
  });
});
