import { newId } from '@chairside/domain';
import type { TestDatabase } from './test-store.ts';

/** Stores a connected app. Returns the id of the connection. */
export const plantConnection = async (
  database: TestDatabase,
  owner: { organizationId: string; operatorId: string },
): Promise<string> => {
  const now = new Date();
  const _id = newId(now);
  await database.collection('connections').insertOne({
    _id,
    ...owner,
    accessRevision: 0,
    clientId: 'https://assistant.example.com/client.json',
    clientName: 'Assistant',
    redirectHost: 'assistant.example.com',
    createdTime: now,
    lastUsedTime: now,
    tools: { find_availability: now },
    expireAt: new Date(now.getTime() + 3_600_000),
  });
  return _id;
};
