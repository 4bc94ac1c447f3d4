import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withoutGivenEngines } from '../test/environment.ts';
import { type Engine, removeData, startEngines, startMongodb } from './index.ts';

const environment = withoutGivenEngines();

let dataDirectory: string;
beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'data-'));
});
afterEach(() => rm(dataDirectory, { recursive: true, force: true }));

async function count({ url }: Engine): Promise<number> {
  const client = new MongoClient(url);
  try {
    const numbers = client.db('kept').collection('numbers');
    await numbers.insertOne({});
    return await numbers.countDocuments();
  } finally {
    await client.close();
  }
}

describe('a data directory', () => {
  it('keeps the data after a stop and a start', async () => {
    const first = await startMongodb({ dataDirectory, environment });
    expect(await count(first)).toBe(1);
    await first.stop();
    const second = await startMongodb({ dataDirectory, environment });
    expect(await count(second)).toBe(2);
    await second.stop();
  });

  it('can be used by one process at a time', async () => {
    const engines = await startEngines({ dataDirectory, environment });
    try {
      const another = startMongodb({ dataDirectory: join(dataDirectory, 'mongodb'), environment });
      await expect(another).rejects.toMatchObject({ code: 'DATA_IN_USE' });
    } finally {
      await engines.stop();
    }
  });

  it('has a folder for each engine, and a file that explains it', async () => {
    const engines = await startEngines({ dataDirectory, environment });
    await engines.stop();
    expect((await readdir(dataDirectory)).sort()).toEqual(['mongodb', 'redis']);
    expect(await readdir(join(dataDirectory, 'redis'))).toEqual(
      expect.arrayContaining(['about.txt', 'redis']),
    );
  });
});

describe('removeData', () => {
  it('refuses while an engine runs on it, and then removes the data of the engines', async () => {
    const engines = await startEngines({ dataDirectory, environment });
    await expect(removeData({ dataDirectory })).rejects.toMatchObject({ code: 'DATA_IN_USE' });
    expect(await count(engines.mongodb)).toBe(1);
    await engines.stop();
    await removeData({ dataDirectory });
    await expect(readdir(dataDirectory)).rejects.toMatchObject({ code: 'ENOENT' });
    await removeData({ dataDirectory });
  });

  it('keeps files that do not belong to engines', async () => {
    await writeFile(join(dataDirectory, 'thesis.txt'), 'years of work');
    const engine = await startMongodb({ dataDirectory: join(dataDirectory, 'mongodb'), environment });
    await engine.stop();
    await removeData({ dataDirectory });
    expect(await readdir(dataDirectory)).toEqual(['thesis.txt']);
  });
});
