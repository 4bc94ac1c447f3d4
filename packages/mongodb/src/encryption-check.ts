import { SettingsError } from '@chairside/runtime';
import type { Collection } from 'mongodb';
import { isDuplicateKey } from './database.ts';
import type { SettingDocument } from './external-ids.ts';
import type { Secrets } from './secrets.ts';

/** What is stored encrypted, to tell at a start whether the keys are those of this database. */
const CHECK_TEXT = 'chairside';
const PLACE = { collection: 'settings', _id: 'encryption', field: 'value' };

/** Whether the keys open the check value; `fresh` when the database has none yet. */
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
 * Checks that the keys are those that the database was written with, and marks a fresh database with them.
 *
 * @throws {SettingsError} when they are not
 */
export const checkEncryption = async (
  settings: Collection<SettingDocument>,
  secrets: Secrets,
): Promise<void> => {
  const verdict = await encryptionVerdict(settings, secrets);
  if (verdict === 'refused') {
    throw new SettingsError(
      'ENCRYPTION_KEYS cannot open what this database holds. Give it the keys that the database was written with.',
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
