import { clock } from '@chairside/domain';
import type { Collection, Database } from '../driver/database.ts';
import { byId, insertNew, isDuplicateKey } from '../driver/statements.ts';
import type { EndingDocument } from './endings.ts';

/*
 * Finds out that the database was restored from a backup. While a dispatcher runs, a number in the database grows every few
 * seconds, and the vault gets it after that. A database whose number is behind that of the vault is an earlier one. While no
 * dispatcher runs, both stand still, however long that takes.
 */

/** How often the number grows while nothing ends, in milliseconds. */
const STEP_MS = 5000;
/** How many endings are copied into the vault at once. */
const PAGE = 1000;
const SEQUENCE = 'sequence';
const MAJORITY = { writeConcern: { w: 'majority' as const } };

/** `isSealed`: the database was restored and sealed, and what waited in the backup is still to be released or discarded. */
export type SequenceDocument = { _id: string; number: number; time: Date; isSealed?: true };

/**
 * - `current`: the database was not restored, as far as is known.
 * - `restored`: it is an earlier one than the vault knows. Nothing may leave before it is sealed.
 * - `sealed`: what waited in the backup waits for a decision.
 */
export type RestoreState = 'current' | 'restored' | 'sealed';

export type SequenceParts = {
  sequence: Collection<SequenceDocument>;
  endings: Collection<EndingDocument>;
  /** Undefined if `VAULT_URL` is not set. */
  vault: Database | undefined;
};

/** What the vault has: the number, and all endings. */
export const vaultCollections = (vault: Database) => ({
  sequence: vault.collection<SequenceDocument>('sequence'),
  endings: vault.collection<EndingDocument>('endings'),
});

// A primary that is about to step down may have a number that was taken back since.
const read = (sequence: Collection<SequenceDocument>): Promise<SequenceDocument | null> =>
  sequence.findOne({ _id: SEQUENCE }, { readConcern: 'majority' });

/** The number that the vault has got, 0 before the first one. */
const numberInVault = async (vault: Database): Promise<number> =>
  (await read(vaultCollections(vault).sequence))?.number ?? 0;

const stateOf = (stored: SequenceDocument | null, inVault: number): RestoreState => {
  if ((stored?.number ?? 0) < inVault) return 'restored';
  return stored?.isSealed ? 'sealed' : 'current';
};

/** @throws the error of the database, or of the vault */
export const restoreState = async ({ sequence, vault }: SequenceParts): Promise<RestoreState> => {
  // The vault is read first. Otherwise another dispatcher could raise both numbers between the reads.
  const inVault = vault === undefined ? 0 : await numberInVault(vault);
  return stateOf(await read(sequence), inVault);
};

/** Stores the next number, unless another process has. @returns the number; undefined if another process has stored one */
const raise = async (
  sequence: Collection<SequenceDocument>,
  stored: SequenceDocument | null,
): Promise<number | undefined> => {
  const number = (stored?.number ?? 0) + 1;
  const time = clock.now();
  if (stored !== null) {
    const same = { _id: SEQUENCE, number: stored.number };
    const { matchedCount } = await sequence.updateOne(same, { $set: { number, time } }, MAJORITY);
    return matchedCount === 1 ? number : undefined;
  }
  try {
    await sequence.insertOne({ _id: SEQUENCE, number, time }, MAJORITY);
    return number;
  } catch (error) {
    if (isDuplicateKey(error)) return undefined;
    throw error;
  }
};

/** The vault never gets a smaller number. */
const raiseVault = async (vault: Database, number: number): Promise<void> => {
  const { sequence } = vaultCollections(vault);
  const time = clock.now();
  await sequence.updateOne({ _id: SEQUENCE }, { $max: { number }, $set: { time } }, { upsert: true });
};

/** Watches whether the database was restored, and tells the vault what has ended. */
export type RestoreWatch = {
  /**
   * Raises the number, and copies endings into the vault. A number that is smaller than this process has seen it tells of a
   * restore, too: `wentBack` without a vault, which cannot tell what has ended since.
   */
  step(): Promise<RestoreState | 'wentBack'>;
  state(): Promise<RestoreState>;
};

/** Copies endings into the vault, and with them the next number. */
const copy = async ({ sequence, endings, vault }: SequenceParts, stored: SequenceDocument | null) => {
  const page =
    vault === undefined
      ? []
      : await endings.find({}, { sort: { _id: 1 }, limit: PAGE, readConcern: 'majority' }).toArray();
  const isDue = stored === null || clock.now().getTime() - stored.time.getTime() >= STEP_MS;
  const number = isDue || page.length > 0 ? await raise(sequence, stored) : undefined;
  if (number === undefined || vault === undefined) return number;
  // The vault gets the number before the endings: a database without this number has not seen them.
  await raiseVault(vault, number);
  await insertNew(vaultCollections(vault).endings, page);
  await endings.deleteMany({ _id: { $in: page.map(({ _id }) => _id) } }, byId);
  return number;
};

export const openRestoreWatch = (parts: SequenceParts): RestoreWatch => {
  const { sequence, vault } = parts;
  let seen = 0;
  return {
    state: () => restoreState(parts),
    async step() {
      const inVault = vault === undefined ? 0 : await numberInVault(vault);
      const stored = await read(sequence);
      const number = stored?.number ?? 0;
      if (number < seen) {
        if (vault !== undefined) {
          await raiseVault(vault, seen);
          return 'restored';
        }
        seen = number;
        return 'wentBack';
      }
      const state = stateOf(stored, inVault);
      if (state !== 'restored') seen = (await copy(parts, stored)) ?? number;
      return state;
    },
  };
};

/**
 * Takes the number of a restored database beyond that of the vault.
 *
 * @param isSealed whether what waited in the backup still waits for a decision
 */
export const passVault = async (
  { sequence, vault }: SequenceParts & { vault: Database },
  isSealed: boolean,
): Promise<void> => {
  const number = Math.max((await read(sequence))?.number ?? 0, await numberInVault(vault)) + 1;
  const time = clock.now();
  await sequence.updateOne(
    { _id: SEQUENCE },
    isSealed ? { $set: { number, time, isSealed } } : { $set: { number, time }, $unset: { isSealed: '' } },
    { upsert: true, ...MAJORITY },
  );
  await raiseVault(vault, number);
};

/** What waited in the backup is decided about: dispatchers send again. */
export const endSeal = async (sequence: Collection<SequenceDocument>): Promise<void> => {
  await sequence.updateOne({ _id: SEQUENCE }, { $unset: { isSealed: '' } });
};
