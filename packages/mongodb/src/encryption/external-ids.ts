import { createHmac, createSecretKey, hkdfSync, randomBytes } from 'node:crypto';
import { idFromHash, type RecordKind, type SettingKind } from '@chairside/domain';
import type { Collection } from '../driver/database.ts';
import { isDuplicateKey } from '../driver/statements.ts';
import type { Secrets } from './secrets.ts';

export type SettingDocument = { _id: string; value: string };

/** Derives our ids from the ids of another system. */
export type ExternalIds = {
  /**
   * Returns our id of the record or setting that has this id in the organization's other system. The same arguments
   * always return the same id.
   */
  idOf(organizationId: string, kind: RecordKind | SettingKind, externalId: string): string;
  /**
   * A short keyed digest, to detect whether a line has changed since its last import. Without the key, the digest does
   * not help to guess the content.
   */
  digestOf(text: string): string;
};

const PLACE = { collection: 'settings', _id: 'externalIds', field: 'value' };
const SECRET_BYTES = 32;
const DIGEST_LENGTH = 22;

const readSecret = async (settings: Collection<SettingDocument>, secrets: Secrets): Promise<Buffer> => {
  const stored = await settings.findOne({ _id: PLACE._id });
  if (stored !== null) return Buffer.from(secrets.decrypt(stored.value, PLACE), 'base64');
  const made = randomBytes(SECRET_BYTES);
  try {
    await settings.insertOne({ _id: PLACE._id, value: secrets.encrypt(made.toString('base64'), PLACE) });
    return made;
  } catch (error) {
    // Another process has stored a secret first. Each database has only one secret.
    if (isDuplicateKey(error)) return readSecret(settings, secrets);
    throw error;
  }
};

/**
 * Opens the functions for external ids. Their keys are derived from a secret that is created once for each database and
 * stored encrypted. So ids stay the same when the encryption keys are rotated, and cannot be computed without the
 * secret.
 */
export const openExternalIds = async (
  settings: Collection<SettingDocument>,
  secrets: Secrets,
): Promise<ExternalIds> => {
  const secret = await readSecret(settings, secrets);
  const keyFor = (purpose: string) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', purpose, SECRET_BYTES)));
  const idKey = keyFor('chairside external ids');
  const digestKey = keyFor('chairside import digests');
  return {
    idOf: (organizationId, kind, externalId) =>
      idFromHash(
        createHmac('sha256', idKey)
          .update(JSON.stringify([organizationId, kind, externalId]))
          .digest(),
      ),
    digestOf: (text) =>
      createHmac('sha256', digestKey).update(text).digest('base64url').slice(0, DIGEST_LENGTH),
  };
};
