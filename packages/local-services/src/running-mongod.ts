import { type Document, MongoClient } from 'mongodb';

const WITHIN_MS = 5_000;

/** Returns the pid of the server. @throws {Error} if no MongoDB responds within 5 s */
export async function runningMongod(url: string): Promise<number> {
  return withClient(url, async (client) => {
    const { pid } = await client.db('admin').command({ serverStatus: 1 });
    return Number(pid);
  });
}

/**
 * Returns the name of a known server that is not MongoDB itself, from its response to `buildInfo`; undefined for any
 * other server.
 */
export type NamedBy = (build: Document) => string | undefined;

/**
 * Returns the name of the server that responds, such as "MongoDB 8.0.4", and the version of MongoDB whose protocol it
 * implements. If the URL contains several hosts, the primary responds.
 *
 * @param others recognize the known servers that are not MongoDB
 * @throws {Error} if no server responds within 5 s, or if it refuses the commands
 */
export async function mongodbAt(
  url: string,
  others: readonly NamedBy[] = [],
): Promise<{ description: string; version: string }> {
  return withClient(url, async (client) => {
    const admin = client.db('admin');
    await admin.command({ ping: 1 });
    const build = await admin.command({ buildInfo: 1 });
    const version = String(build.version);
    const [name = `MongoDB ${version}`] = others.flatMap((namedBy) => namedBy(build) ?? []);
    return { description: name, version };
  });
}

/**
 * Creates a collection and an index, and writes and reads a document, in a separate database.
 *
 * @throws {Error} if any of these fails
 */
export async function writeToMongodb(url: string): Promise<void> {
  await withClient(url, async (client) => {
    const trial = client.db('trial').collection('trial');
    await trial.createIndex({ number: 1 }, { unique: true });
    await trial.insertOne({ number: 1 });
    if ((await trial.findOne({ number: 1 })) === null)
      throw new Error('it does not return a stored document');
  });
}

async function withClient<T>(url: string, use: (client: MongoClient) => Promise<T>): Promise<T> {
  // This timeout is not set if the URL sets it, because the option would override the URL, which may be set for a slow
  // server.
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
