import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FIRST_START_MS, withoutGivenEngines } from '../../test/environment.ts';
import { type Engines, startEngines } from '../index.ts';
import { mongodbAt } from '../mongodb-answer.ts';
import { redisAt } from '../redis-answer.ts';

const environment = withoutGivenEngines();
let others: Engines;
beforeAll(async () => {
  others = await startEngines({ ephemeral: true, environment });
}, FIRST_START_MS);
afterAll(() => others.stop());

describe('given URLs', () => {
  it('win, and are neither started nor stopped', async () => {
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

  it.each([
    ['MONGODB_URL', 'mongodb://someone:secret@127.0.0.1:9/db?serverSelectionTimeoutMS=300'],
    ['REDIS_URL', 'redis://:secret@127.0.0.1:9'],
  ])('%s that does not answer is an error that names the address but not the password', async (name, url) => {
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
