import type { Db } from 'mongodb';

/**
 * How far the encryption of what identifies a patient has come. `chairside-admin encryption apply` takes a database from
 * one stage to the next; a new database is `encrypted` at once.
 *
 * - `plain`: everything is written and read as text. Sealed values are read, too.
 * - `prepared`: the same, and lists search for sealed values, too.
 * - `converting`: everything is written sealed. Text is still read.
 * - `encrypted`: text is refused.
 */
export const encryptionStages = ['plain', 'prepared', 'converting', 'encrypted'] as const;
export type EncryptionStage = (typeof encryptionStages)[number];

/**
 * How long a process may act by a stage that it has read, in milliseconds. Each stage goes with the one before, so
 * processes need not change it at the same moment. `encrypted` is the last one, and is read once.
 */
export const STAGE_LIFE_MS = 5000;

/** The part of the stored form of the database that has the stage. It is absent before the encryption has begun. */
export type StageDocument = { _id: string; encryption?: Exclude<EncryptionStage, 'plain'> };

export type CurrentStage = {
  current(): Promise<EncryptionStage>;
  /** The stage is read again at its next use. */
  forget(): void;
};

/** The stored stage. */
export const readStage = async (database: Db): Promise<EncryptionStage> =>
  (
    await database
      .collection<StageDocument>('databaseForm')
      .findOne({ _id: 'form' }, { projection: { encryption: 1 } })
  )?.encryption ?? 'plain';

/** Reads the stage, and again when it is older than five seconds by the monotonic clock of this process. */
export const openStage = (database: Db): CurrentStage => {
  let known: Promise<EncryptionStage> | undefined;
  let isLast = false;
  let readAt = 0;
  const read = async (): Promise<EncryptionStage> => {
    try {
      const stage = await readStage(database);
      isLast = stage === 'encrypted';
      return stage;
    } catch (error) {
      known = undefined;
      throw error;
    }
  };
  return {
    current() {
      const now = performance.now();
      if (known === undefined || (!isLast && now - readAt > STAGE_LIFE_MS)) {
        readAt = now;
        known = read();
      }
      return known;
    },
    forget() {
      known = undefined;
    },
  };
};
