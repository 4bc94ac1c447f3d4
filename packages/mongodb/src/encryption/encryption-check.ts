import { SettingsError } from '@chairside/startup';
import type { Collection } from '../driver/database.ts';
import { isDuplicateKey } from '../driver/statements.ts';
import type { Secrets } from './secrets.ts';

/** A value that the whole database has, encrypted. */
export type SettingDocument = { _id: string; value: string };

/**
 * A fixed text that is stored encrypted, so that a process can check at startup whether its keys can decrypt the data
 * in this database.
 */
const CHECK_TEXT = 'chairside';
const PLACE = { collection: 'settings', _id: 'encryption', field: 'value' };

/** Whether the keys decrypt the check value. `fresh` means that the database has no check value yet. */
export const encryptionVerdict = async (
  settings: Collection<SettingDocument>,
  secrets: Secrets,
): Promise<'fresh' | 'opens' | 'refused'> => {
  const stored = await settings.findOne({ _id: PLACE._id });
  if (stored === null) return 'fresh';
  try {
    return secrets.decrypt(stored.value, PLACE) === CHECK_TEXT ? 'opens' : 'refused';
  } catch {
    return 'refused';
  }
};

/**
 * Checks that these keys can decrypt the data in the database. In a new database, stores the check value.
 *
 * @throws {SettingsError} if the keys cannot decrypt the check value
 */
export const checkEncryption = async (
  settings: Collection<SettingDocument>,
  secrets: Secrets,
): Promise<void> => {
  const verdict = await encryptionVerdict(settings, secrets);
  if (verdict === 'refused') {
    throw new SettingsError(
      'ENCRYPTION_KEYS cannot decrypt the data in this database. Set it to the keys that encrypted this data.',
    );
  }
  if (verdict === 'opens') return;
  try {
    await settings.insertOne({ _id: PLACE._id, value: secrets.encrypt(CHECK_TEXT, PLACE) });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    await checkEncryption(settings, secrets);
  }
};
