import { UnusableDatabaseError } from '@chairside/startup';
import type { Db } from 'mongodb';

/**
 * The first version that has `$bsonSize` and accepts expressions in the projection of a find. Reading the outbox needs
 * both.
 */
const OLDEST = [4, 4] as const;

/** @throws {UnusableDatabaseError} if the server is too old */
export const checkServerVersion = async (database: Db): Promise<void> => {
  const { version } = await database.admin().command({ buildInfo: 1 });
  const [major = 0, minor = 0] = String(version).split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return;
  throw new UnusableDatabaseError(
    `MONGODB_URL points to MongoDB ${version}, which is too old. Version ${OLDEST.join('.')} is the oldest that works. Use a supported version, 7.0 or later.`,
  );
};
