import dns from 'node:dns/promises';
import { startDatabaseProxy } from '@chairside/test-support';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutGivenEngines } from '../../test/environment.ts';
import { type Engines, startEngines } from '../index.ts';
import { mongodbAt } from '../running-mongod.ts';
import { redisAt } from '../running-redis.ts';

const environment = withoutGivenEngines();
let others: Engines;
beforeAll(async () => {
  others = await startEngines({ ephemeral: true, environment });
});
afterAll(() => others.stop());

describe('given URLs', () => {
  it('take precedence, and are neither started nor stopped', async () => {
    const given = await startEngines({
      ephemeral: true,
      environment: { ...environment, MONGODB_URL: others.mongodb.url, REDIS_URL: others.redis.url },
    });
    expect(given.mongodb).toMatchObject({ url: others.mongodb.url, started: false, pids: [] });
    expect(given.redis).toMatchObject({ url: others.redis.url, started: false, pids: [] });
    expect(given.mongodb.source).toMatch(/^(FerretDB|MongoDB) \d.* \(given by MONGODB_URL\)$/);
    await expect(given.redis.kill()).rejects.toMatchObject({ code: 'NOT_OURS' });
    await expect(given.mongodb.resume()).rejects.toMatchObject({ code: 'NOT_OURS' });
    await expect(given.mongodb.halt()).rejects.toMatchObject({ code: 'NOT_OURS' });
    await given.stop();
    await mongodbAt(others.mongodb.url);
    await redisAt(others.redis.url);
  });

  const startGiven = (mongodbUrl: string) =>
    startEngines({
      ephemeral: true,
      environment: { ...environment, MONGODB_URL: mongodbUrl, REDIS_URL: others.redis.url },
    });

  it('may have several hosts, one of them unreachable: the primary of the set responds', async () => {
    const primary = await startDatabaseProxy(others.mongodb.url, { replicaSet: true });
    const url = primary.url.replace('://', '://127.0.0.1:1,');
    const given = await startGiven(url);
    expect(given.mongodb).toMatchObject({ url, started: false });
    expect(given.mongodb.source).toMatch(/\(given by MONGODB_URL\)$/);
    await given.stop();
    await primary.close();
  });

  it('of a MongoDB that is too old cause an error with its version and the required version', async () => {
    const old = await startDatabaseProxy(others.mongodb.url);
    old.inject({
      matches: (name) => name === 'buildInfo',
      fault: { kind: 'response', change: (response) => ({ ...response, version: '4.2.25' }) },
    });
    await expect(startGiven(old.url)).rejects.toMatchObject({
      code: 'URL_UNUSABLE',
      message: expect.stringContaining('it is 4.2.25, but 4.4.0 or later is required'),
    });
    await old.close();
  });

  it('of a cluster with an unknown DNS name cause an error with the address but not the password', async () => {
    const servers = dns.getServers();
    dns.setServers(['127.0.0.1:1']);
    try {
      const error: unknown = await startGiven('mongodb+srv://someone:secret@cluster.example.test/db').catch(
        (thrown: unknown) => thrown,
      );
      expect(error).toMatchObject({ code: 'URL_UNUSABLE' });
      const { message } = error as Error;
      expect(message).toContain('cluster.example.test');
      expect(message).not.toContain('secret');
    } finally {
      dns.setServers(servers);
    }
  });

  it.each(['se/cret', 'se cret', 'se@cret', 'se:cr?et'])(
    'with the password %s, which is not percent-encoded, cause an error that does not contain the password',
    async (password) => {
      const error: unknown = await startGiven(`mongodb://someone:${password}@127.0.0.1:9/db`).catch(
        (thrown: unknown) => thrown,
      );
      expect(error).toMatchObject({ code: 'URL_UNUSABLE' });
      expect((error as Error).message).not.toMatch(/cret|se[/ @:]/);
    },
  );

  it.each([
    ['MONGODB_URL', 'mongodb://someone:secret@127.0.0.1:9/db?serverSelectionTimeoutMS=300'],
    ['REDIS_URL', 'redis://:secret@127.0.0.1:9'],
  ])('%s that does not respond causes an error with the address but not the password', async (name, url) => {
    const other =
      name === 'MONGODB_URL' ? { REDIS_URL: others.redis.url } : { MONGODB_URL: others.mongodb.url };
    const starting = startEngines({
      ephemeral: true,
      environment: { ...environment, ...other, [name]: url },
    });
    const error: unknown = await starting.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'URL_UNUSABLE' });
    const { message } = error as Error;
    expect(message).toContain(name);
    expect(message).toContain('127.0.0.1:9');
    expect(message).not.toContain('secret');
  });
});
