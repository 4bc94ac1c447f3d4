import { randomUUID } from 'node:crypto';
import { SettingsError, UnusableDatabaseError } from '@chairside/startup';
import type { Collection, Database } from '../driver/database.ts';
import { untilMade } from '../driver/ferretdb.ts';
import { insertNew } from '../driver/statements.ts';
import type { DataKeyDocument } from './data-keys.ts';
import type { SettingDocument } from './encryption-check.ts';
import type { Secrets } from './secrets.ts';

/*
 * The vault is the database that has the data keys: a second one (VAULT_URL), or the database itself. A second one belongs
 * to one database. Both have the id of the pair, so that neither is used with another.
 */

/** In a vault of its own: the pair that it belongs to. */
export type VaultDocument = { _id: string; pairId: string };
/** In the database: the pair. `isPaired` is false until the vault has the id, too. */
type Pairing = { pairId: string; isPaired: boolean };

const PLACE = { collection: 'settings', _id: 'vault', field: 'value' };
const IDENTITY = 'vault';

export type VaultParts = {
  settings: Collection<SettingDocument>;
  secrets: Secrets;
  /** The data keys of the database itself. */
  ownKeys: Collection<DataKeyDocument>;
  /** The vault of its own; undefined if `VAULT_URL` is not set. */
  vault: Database | undefined;
};

/** What operators should know if there is no vault of its own. */
export const DATA_KEYS_IN_DATABASE =
  'the data keys are stored in the database itself (VAULT_URL is not set): the backups of a deleted organization can be read with ENCRYPTION_KEYS';

const readPairing = async ({ settings, secrets }: VaultParts): Promise<Pairing | undefined> => {
  const stored = await settings.findOne({ _id: PLACE._id });
  return stored === null ? undefined : JSON.parse(secrets.decrypt(stored.value, PLACE));
};

const identities = (vault: Database) => vault.collection<VaultDocument>('vault');
const keysIn = (vault: Database) => vault.collection<DataKeyDocument>('dataKeys');

/** Stores the id of the pair in the vault, and then that the two are paired. The call may be repeated. */
const pair = async ({ settings, secrets }: VaultParts, vault: Database, pairId: string): Promise<void> => {
  await insertNew(identities(vault), [{ _id: IDENTITY, pairId }]);
  const identity = await identities(vault).findOne({ _id: IDENTITY });
  if (identity?.pairId !== pairId) throw new UnusableDatabaseError(OTHER_PAIR);
  const value = secrets.encrypt(JSON.stringify({ pairId, isPaired: true } satisfies Pairing), PLACE);
  await settings.updateOne({ _id: PLACE._id }, { $set: { value } });
};

const OTHER_PAIR =
  'VAULT_URL points to the vault of another database. Set MONGODB_URL and VAULT_URL to databases that belong together. See docs/operation/backup.md, "The vault".';
const EMPTY_VAULT =
  'The vault that VAULT_URL points to is empty, but this database has data keys in a vault. Restore the vault from its backup. See docs/operation/backup.md, "The vault".';

const INTERRUPTED_MOVE =
  'The data keys of this database are in the vault, and copies of them are still in the database itself, because their move was interrupted. Stop all services, then repeat: chairside-admin encryption move-keys.';

const DATABASE_OF_SERVICE =
  'VAULT_URL points to a database of the service. The vault needs a database of its own: set VAULT_URL to an empty one. See docs/operation/backup.md, "The vault".';

/**
 * Whether a database is that of a service: this one under another URL, or another one. The data keys would be stored
 * beside the data, and moving them would delete them.
 */
const isOfService = async (vault: Database): Promise<boolean> =>
  (await vault.collection('settings').findOne({}, { projection: { _id: 1 } })) !== null;

const hasKeys = async (keys: Collection<DataKeyDocument>): Promise<boolean> =>
  (await keys.findOne({}, { projection: { _id: 1 } })) !== null;

const isPairOf = ({ pairId }: VaultDocument, pairing: Pairing | undefined): boolean =>
  pairId === pairing?.pairId;

/**
 * Why the database and the vault do not go together.
 *
 * @returns undefined if they do, or if they are still to be paired
 */
export const vaultProblem = async (parts: VaultParts): Promise<string | undefined> => {
  const { vault, ownKeys } = parts;
  const pairing = await readPairing(parts);
  if (vault === undefined)
    return (
      pairing && 'The data keys of this database are in a vault. Set VAULT_URL to the database that has them.'
    );
  if (await isOfService(vault)) return DATABASE_OF_SERVICE;
  const identity = await identities(vault).findOne({ _id: IDENTITY });
  if (pairing === undefined) {
    // Another process may have paired the two between the reads. It has stored the pair in the database first.
    if (identity !== null) return isPairOf(identity, await readPairing(parts)) ? undefined : OTHER_PAIR;
    return (await hasKeys(ownKeys))
      ? 'The data keys of this database are in the database itself. Move them to the vault with: chairside-admin encryption move-keys. Or unset VAULT_URL.'
      : undefined;
  }
  if (identity === null && pairing.isPaired) return EMPTY_VAULT;
  if (identity !== null && !isPairOf(identity, pairing)) return OTHER_PAIR;
  return (await hasKeys(ownKeys)) ? INTERRUPTED_MOVE : undefined;
};

/**
 * Checks that the database and the vault belong together, and pairs them at the first start.
 *
 * @throws {SettingsError} if they do not belong together
 */
export const checkVault = async (parts: VaultParts): Promise<void> => {
  const problem = await vaultProblem(parts);
  if (problem !== undefined) throw new SettingsError(problem);
  if (parts.vault !== undefined) await pairUp(parts, parts.vault);
};

/** Pairs the database with a new vault, unless it is paired. */
const pairUp = async (parts: VaultParts, vault: Database): Promise<void> => {
  const { settings, secrets } = parts;
  if ((await readPairing(parts)) === undefined) {
    const value = secrets.encrypt(
      JSON.stringify({ pairId: randomUUID(), isPaired: false } satisfies Pairing),
      PLACE,
    );
    // Another process may have begun the pair.
    await insertNew(settings, [{ _id: PLACE._id, value }]);
  }
  const pairing = await readPairing(parts);
  if (pairing !== undefined && !pairing.isPaired) await pair(parts, vault, pairing.pairId);
};

/**
 * Stores the keys in place of copies that a move has left which was given up. Since then, a copy may have been encrypted
 * with another master key, or destroyed with its organization.
 */
const replaceAll = async (
  stored: Collection<DataKeyDocument>,
  keys: readonly DataKeyDocument[],
): Promise<void> => {
  const writes = keys.map((key) => ({
    replaceOne: { filter: { _id: key._id }, replacement: key, upsert: true },
  }));
  if (writes.length > 0) await untilMade(() => stored.bulkWrite(writes, { ordered: false }));
};

/**
 * Moves the data keys from the database into a vault of its own. No other process may run. The call may be interrupted and
 * repeated.
 *
 * @returns the number of moved keys
 * @throws {SettingsError} if there is no vault, or the vault is no database of its own or belongs to another database
 */
export const moveKeys = async (parts: VaultParts): Promise<number> => {
  const { vault, ownKeys } = parts;
  if (vault === undefined) throw new SettingsError('Set VAULT_URL to the database that shall have the keys.');
  if (await isOfService(vault)) throw new SettingsError(DATABASE_OF_SERVICE);
  const pairing = await readPairing(parts);
  const identity = await identities(vault).findOne({ _id: IDENTITY });
  if (identity !== null && !isPairOf(identity, pairing)) throw new SettingsError(OTHER_PAIR);
  if (identity === null && pairing?.isPaired) throw new SettingsError(EMPTY_VAULT);
  const keys = await ownKeys.find({}).toArray();
  if (pairing?.isPaired) await insertNew(keysIn(vault), keys);
  else await replaceAll(keysIn(vault), keys);
  // From here on, the keys of the vault count.
  await pairUp(parts, vault);
  await ownKeys.deleteMany({ _id: { $in: keys.map(({ _id }) => _id) } });
  return keys.length;
};
