import type { Database } from '../driver/database.ts';
import { keyIdOf, type Secrets } from './secrets.ts';

/**
 * Every field that is encrypted with `ENCRYPTION_KEYS`. A new field must be added here, so that a rotation reaches it.
 */
const ENCRYPTED_FIELDS = [
  { collection: 'apiKeys', field: 'secret' },
  { collection: 'subscriptions', field: 'secret' },
  { collection: 'subscriptions', field: 'headers' },
  { collection: 'operators', field: 'codeSecret' },
  { collection: 'operators', field: 'newCodeSecret' },
  { collection: 'settings', field: 'value' },
  { collection: 'dataKeys', field: 'wrapped' },
] as const;

/** Every field that is encrypted with `OAUTH_KEYS`. */
const OAUTH_FIELDS = [
  { collection: 'oauthClients', field: 'payload' },
  { collection: 'oauthState', field: 'payload' },
] as const;

const PAGE = 500;

/** The database, and the one that has the data keys, which may be the same. */
export type Databases = { database: Database; vault: Database };
const databaseOf = ({ database, vault }: Databases, { collection }: Place): Database =>
  collection === 'dataKeys' ? vault : database;

type Place = (typeof ENCRYPTED_FIELDS | typeof OAUTH_FIELDS)[number];
type Ciphertext = { _id: string; text: string };
type EncryptedDocument = { _id: string; [field: string]: string };

/**
 * The result of a rotation: `rotated` values were encrypted again. After the rotation, `current` values are encrypted
 * with the first key, including the rotated ones. The values in `left` cannot be decrypted with any key.
 */
export type RotationReport = {
  rotated: number;
  current: number;
  left: { collection: string; _id: string }[];
};

/** The stored ciphertexts of one field, page by page. */
async function* pagesOf(databases: Databases, place: Place): AsyncGenerator<Ciphertext[], void> {
  const { collection, field } = place;
  let last = '';
  for (;;) {
    const page = await databaseOf(databases, place)
      .collection<EncryptedDocument>(collection)
      .find({ _id: { $gt: last } }, { projection: { [field]: 1 }, sort: { _id: 1 }, limit: PAGE })
      .toArray();
    const end = page.at(-1);
    if (end === undefined) return;
    last = end._id;
    yield page.flatMap(({ _id, [field]: text }) => (text === undefined ? [] : [{ _id, text }]));
  }
}

/**
 * Returns the write that encrypts one value again with the first key, unless another caller has replaced the value in
 * between.
 */
const renewal = (secrets: Secrets, { collection, field }: Place, { _id, text }: Ciphertext) => {
  const place = { collection, _id, field };
  const renewed = secrets.encrypt(secrets.decrypt(text, place), place);
  return { updateOne: { filter: { _id, [field]: text }, update: { $set: { [field]: renewed } } } };
};

const rotateOnce = async (databases: Databases, secrets: Secrets, onPage: (done: number) => void) => {
  const report: RotationReport = { rotated: 0, current: 0, left: [] };
  for (const place of ENCRYPTED_FIELDS) {
    for await (const page of pagesOf(databases, place)) {
      const old = page.filter(({ text }) => !secrets.isCurrent(text));
      report.current += page.length - old.length;
      const writes = old.flatMap((ciphertext) => {
        try {
          return [renewal(secrets, place, ciphertext)];
        } catch {
          report.left.push({ collection: place.collection, _id: ciphertext._id });
          return [];
        }
      });
      if (writes.length > 0) {
        const collection = databaseOf(databases, place).collection<EncryptedDocument>(place.collection);
        report.rotated += (await collection.bulkWrite(writes, { ordered: false })).matchedCount;
      }
      onPage(report.rotated + report.current);
    }
  }
  return report;
};

/**
 * Encrypts the values that other keys have encrypted again, with the first key. The rotation may be interrupted and
 * repeated at any point. A concurrent write takes precedence. Passes are repeated until one changes nothing.
 */
export const rotateEncryption = async (
  databases: Databases,
  secrets: Secrets,
  onPage: (done: number) => void,
): Promise<RotationReport> => {
  let rotated = 0;
  for (;;) {
    const pass = await rotateOnce(databases, secrets, onPage);
    rotated += pass.rotated;
    if (pass.rotated === 0) return { ...pass, rotated };
  }
};

/** An encryption key that is configured, or that encrypted a stored secret. */
export type KeyUse = { id: string; isConfigured: boolean; secrets: number };

/** The state of the stored secrets. Inspecting changes nothing. */
export type EncryptionInspection = {
  /** How many values of a sample were decrypted, and which values could not be decrypted. */
  opened: number;
  refused: { collection: string; _id: string }[];
  /**
   * The configured keys in their order, followed by the missing keys, each with the number of secrets that it
   * encrypted.
   */
  keys: KeyUse[];
};

/** Decrypts a sample of each field, and counts all ciphertexts by key. */
const inspectFields = async (
  databases: Databases,
  secrets: Secrets,
  places: readonly Place[],
): Promise<EncryptionInspection> => {
  const refused: EncryptionInspection['refused'] = [];
  const counts = new Map(secrets.keyIds.map((id) => [id, 0]));
  let opened = 0;
  for (const place of places) {
    const { collection, field } = place;
    // The first page is the sample.
    let isSample = true;
    for await (const page of pagesOf(databases, place)) {
      for (const { _id, text } of page) {
        const id = keyIdOf(text);
        counts.set(id, (counts.get(id) ?? 0) + 1);
        if (!isSample) continue;
        try {
          secrets.decrypt(text, { collection, _id, field });
          opened++;
        } catch {
          refused.push({ collection, _id });
        }
      }
      isSample = false;
    }
  }
  const isConfigured = (id: string) => secrets.keyIds.includes(id);
  const keys = [...counts].map(([id, count]) => ({ id, isConfigured: isConfigured(id), secrets: count }));
  return { opened, refused, keys };
};

/** Examines everything that is encrypted with `ENCRYPTION_KEYS`. */
export const inspectEncryption = (databases: Databases, secrets: Secrets): Promise<EncryptionInspection> =>
  inspectFields(databases, secrets, ENCRYPTED_FIELDS);

/**
 * Examines everything that is encrypted with `OAUTH_KEYS`.
 *
 * @param secrets the [storage keys](../oauth/storage-keys.ts) of the authorization server
 */
export const inspectOAuthEncryption = (database: Database, secrets: Secrets): Promise<EncryptionInspection> =>
  inspectFields({ database, vault: database }, secrets, OAUTH_FIELDS);
