import type { WholeStore } from '@chairside/mongodb/whole';
import { Binary, type Document } from 'mongodb';
import type { TestStore } from './test-store.ts';

type Cipher = Awaited<ReturnType<WholeStore['ciphers']['of']>>;
type Sealed = { sealed: Buffer; emailToken?: Buffer };

/** The fields that the store seals together in the documents of a collection. */
const CONFIDENTIAL = {
  patients: ['name', 'email', 'phone', 'language'],
  appointments: ['reminders'],
  treatments: ['notes'],
  deliveries: ['url', 'responseBody', 'responseHeaders'],
} as const;
type Collection = keyof typeof CONFIDENTIAL;
type Confidential<C extends Collection> = (typeof CONFIDENTIAL)[C][number];

/**
 * The document of a record or a delivery as the store writes it, for tests and benchmarks that
 * write many documents directly.
 *
 * @param cipher that of the organization: `store.ciphers.of(organizationId)`
 */
export const sealedDocument = <C extends Collection, D extends { _id: string }>(
  collection: C,
  document: D,
  cipher: Cipher,
): Omit<D, Confidential<C>> & Sealed => {
  const names: readonly string[] = CONFIDENTIAL[collection];
  const fields = Object.entries(document);
  const text = JSON.stringify(Object.fromEntries(fields.filter(([name]) => names.includes(name))));
  const email = collection === 'patients' && 'email' in document ? String(document.email) : undefined;
  return {
    ...(Object.fromEntries(fields.filter(([name]) => !names.includes(name))) as Omit<D, Confidential<C>>),
    sealed: cipher.seal(text, { collection, _id: document._id, field: 'sealed' }),
    ...(email !== undefined && { emailToken: cipher.token('email', email.toLowerCase()) }),
  };
};

const bodyPlace = ({ _id }: { _id: string }) => ({ collection: 'events', _id, field: 'body' });

/** An event as the store writes it: into the log, or into the outbox of its record. */
export const sealedEvent = <E extends { _id: string; body: string }>(
  event: E,
  cipher: Cipher,
): Omit<E, 'body'> & { body: Binary } => ({
  ...event,
  body: new Binary(cipher.seal(event.body, bodyPlace(event))),
});

type StoredBody = { _id: string; body: unknown };

const openedBody = <E extends StoredBody>(event: E, cipher: Cipher): E =>
  event.body instanceof Binary ? { ...event, body: cipher.open(event.body, bodyPlace(event)) } : event;

const opened = (collection: string, document: Document, cipher: Cipher): Document => {
  const { sealed, externalId, outbox, ...fields } = document;
  const place = { collection, _id: document._id, field: 'sealed' };
  return {
    ...openedBody(fields as StoredBody, cipher),
    ...(externalId instanceof Binary && {
      externalId: cipher.open(externalId, { ...place, field: 'externalId' }),
    }),
    ...(sealed instanceof Binary && JSON.parse(cipher.open(sealed, place))),
    ...(outbox && { outbox: outbox.map((event: StoredBody) => openedBody(event, cipher)) }),
  };
};

/**
 * Reads documents with everything that is sealed in them as text: the fields of records and deliveries, and the bodies of
 * events. Use it for documents that no repository returns, and for the search for a text in all collections.
 *
 * @throws {UnreadableValueError} if a value does not open
 */
export const openedDocuments = async (
  { store, database }: Pick<TestStore, 'store' | 'database'>,
  collection: string,
  filter: Document = {},
): Promise<Document[]> => {
  const documents = await database.collection<Document>(collection).find(filter).toArray();
  return Promise.all(
    documents.map(async (document) => {
      const isSealed = [document, ...(document.outbox ?? [])].some(({ sealed, externalId, body }) =>
        [sealed, externalId, body].some((value) => value instanceof Binary),
      );
      if (!isSealed) return document;
      const cipher = await store.ciphers.of(document.organizationId);
      return cipher.opening(() => opened(collection, document, cipher));
    }),
  );
};

/** The names of the collections of which a stored document has one of these texts in its bytes, sorted. */
export const collectionsWith = async (
  { database }: Pick<TestStore, 'database'>,
  ...texts: string[]
): Promise<string[]> => {
  const all = await database.listCollections({ type: 'collection' }, { nameOnly: true }).toArray();
  const found: string[] = [];
  for (const { name } of all) {
    const documents = await database.collection(name).find({}, { raw: true }).toArray();
    const hasText = documents.some((document) =>
      texts.some((text) => (document as unknown as Buffer).includes(text)),
    );
    if (hasText) found.push(name);
  }
  return found.sort();
};
