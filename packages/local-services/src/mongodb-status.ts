import { MongoClient } from 'mongodb';

/** Throws when nothing answers as MongoDB within 3 s. */
export async function mongodbServerStatus(url: string): Promise<{ pid: number; version: string }> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 3_000, connectTimeoutMS: 3_000 });
  try {
    const { pid, version } = await client.db('admin').command({ serverStatus: 1 });
    return { pid: Number(pid), version: String(version) };
  } finally {
    await client.close();
  }
}
