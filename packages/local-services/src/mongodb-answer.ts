import { MongoClient } from 'mongodb';

const WITHIN_MS = 5_000;

/** The pid of the server; throws when nothing answers there as MongoDB within 5 s. */
export async function answeringMongod(url: string): Promise<number> {
  return withClient(url, async (client) => {
    const { pid } = await client.db('admin').command({ serverStatus: 1 });
    return Number(pid);
  });
}

/**
 * Which server answers, such as "MongoDB 8.0.4", and the version of MongoDB whose protocol it speaks; throws when none
 * does within 5 s, or it lets us do nothing. With several hosts the primary answers.
 */
export async function mongodbAt(url: string): Promise<{ description: string; version: string }> {
  return withClient(url, async (client) => {
    const admin = client.db('admin');
    await admin.command({ ping: 1 });
    const build = await admin.command({ buildInfo: 1 });
    const version = String(build.version);
    // FerretDB names the MongoDB version it imitates, and its own beside.
    const own = build.ferretdb?.version;
    const description = own ? `FerretDB ${String(own).replace(/^v/, '')}` : `MongoDB ${version}`;
    return { description, version };
  });
}

/** Makes a collection and an index, writes and reads, in a database of its own; throws when any of it fails. */
export async function writeToMongodb(url: string): Promise<void> {
  await withClient(url, async (client) => {
    const trial = client.db('trial').collection('trial');
    await trial.createIndex({ number: 1 }, { unique: true });
    await trial.insertOne({ number: 1 });
    if ((await trial.findOne({ number: 1 })) === null) throw new Error('it does not find what it has stored');
  });
}

async function withClient<T>(url: string, use: (client: MongoClient) => Promise<T>): Promise<T> {
  // Options here would win over those of the URL, whose writer may know that the server is slow.
  const patience = url.includes('serverSelectionTimeoutMS=') ? {} : { serverSelectionTimeoutMS: WITHIN_MS };
  const client = new MongoClient(url, {
    ...patience,
    connectTimeoutMS: WITHIN_MS,
    socketTimeoutMS: WITHIN_MS,
  });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}
