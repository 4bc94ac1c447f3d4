import { SLOWED_FROM_FAILURES } from '@chairside/domain';
import { UnusableDatabaseError } from '@chairside/startup';
import { type Collection, type Db, type IndexDescription, MongoServerError } from 'mongodb';
import { isSecurity } from '../audit/audit.ts';
import { isFinal, isRepeated } from '../deliveries/deliveries.ts';
import { isReopened } from '../deliveries/reopened.ts';
import { isUnended } from '../mails/mail-document.ts';
import { hasNotice } from '../mails/notice-time.ts';
import { hasOutbox } from '../records/outbox.ts';
import { EXTERNAL_ID_TOKEN } from '../records/record-shapes.ts';
import { hasDrafts } from '../schedule/abandoned-drafts.ts';

/**
 * The index contains the ids of the organization and the record, so the search for unpublished events reads no
 * document. A document can be 4 MiB in size.
 */
const unpublished: IndexDescription = {
  key: { outboxAt: 1, organizationId: 1, _id: 1 },
  name: 'unpublished_ids',
  partialFilterExpression: hasOutbox,
};
const byEditTime: IndexDescription = {
  key: { organizationId: 1, lastEditTime: 1, _id: 1 },
  name: 'edit_time',
};

/** In an organization, an external id is unique for each kind. */
const uniquely = (field: string): IndexDescription => ({
  key: { organizationId: 1, [field]: 1 },
  name: 'external_id',
  unique: true,
  partialFilterExpression: { [field]: { $exists: true } },
});
const byExternalId = uniquely(EXTERNAL_ID_TOKEN);
/** Settings contain nothing confidential. */
const byPlainExternalId = uniquely('externalId');
/** Limits the number of documents of an organization (slots.ts). */
const bySlot: IndexDescription = {
  key: { organizationId: 1, slot: 1 },
  name: 'slot',
  unique: true,
  partialFilterExpression: { slot: { $exists: true } },
};
/** Finds the facts that somebody is to be told. */
const byNotice: IndexDescription = {
  key: { noticeAt: 1, organizationId: 1 },
  name: 'notice',
  partialFilterExpression: hasNotice,
};
const billing: readonly IndexDescription[] = [
  { key: { organizationId: 1, creationTime: 1, _id: 1 }, name: 'list' },
  { key: { organizationId: 1, clinicId: 1, creationTime: 1, _id: 1 }, name: 'clinic' },
  { key: { organizationId: 1, patientId: 1, creationTime: 1, _id: 1 }, name: 'patient' },
  byEditTime,
  byExternalId,
  unpublished,
];

/**
 * All indexes except those on `_id`. To change a definition after a release, give the index a new name: the database
 * refuses another definition under the same name, so no process could start.
 */
export const indexes: Readonly<Record<string, readonly IndexDescription[]>> = {
  patients: [
    { key: { organizationId: 1, _id: 1 }, name: 'list' },
    { key: { organizationId: 1, clinicId: 1, _id: 1 }, name: 'clinic' },
    { key: { organizationId: 1, emailToken: 1, _id: 1 }, name: 'email_token' },
    // Without `_id`: with it, DocumentDB needs forty times as much space. See id-order.ts for the order of pages.
    { key: { organizationId: 1, searchTokens: 1 }, name: 'search_tokens' },
    byEditTime,
    byExternalId,
    unpublished,
  ],
  appointments: [
    { key: { organizationId: 1, startTime: 1, _id: 1 }, name: 'list' },
    { key: { organizationId: 1, clinicId: 1, startTime: 1, _id: 1 }, name: 'clinic' },
    { key: { organizationId: 1, patientId: 1, startTime: 1, _id: 1 }, name: 'patient' },
    { key: { organizationId: 1, providerId: 1, startTime: 1, _id: 1 }, name: 'provider' },
    { key: { draftAt: 1, organizationId: 1, _id: 1 }, name: 'drafts', partialFilterExpression: hasDrafts },
    byEditTime,
    byExternalId,
    unpublished,
  ],
  clinics: [{ key: { organizationId: 1, _id: 1 }, name: 'list' }, byEditTime, byExternalId],
  invoices: billing,
  payments: billing,
  treatments: [
    { key: { organizationId: 1, _id: 1 }, name: 'list' },
    { key: { organizationId: 1, clinicId: 1, _id: 1 }, name: 'clinic' },
    { key: { organizationId: 1, patientId: 1, _id: 1 }, name: 'patient' },
    byEditTime,
    byExternalId,
  ],
  // Practice settings. Opening hours need no further index, because their `_id` is the id of the clinic.
  providers: [bySlot, byPlainExternalId, { key: { organizationId: 1, name: 1, _id: 1 }, name: 'list' }],
  procedures: [bySlot, byPlainExternalId, { key: { organizationId: 1, name: 1, _id: 1 }, name: 'list' }],
  calendarBlocks: [
    bySlot,
    byPlainExternalId,
    { key: { organizationId: 1, clinicId: 1, startTime: 1, _id: 1 }, name: 'clinic' },
    { key: { organizationId: 1, startTime: 1, _id: 1 }, name: 'list' },
    { key: { organizationId: 1, providerId: 1, startTime: 1, _id: 1 }, name: 'provider_time' },
  ],
  events: [
    { key: { organizationId: 1, insertedAt: 1, _id: 1 }, name: 'log' },
    { key: { organizationId: 1, about: 1, insertedAt: 1, _id: 1 }, name: 'about' },
    { key: { organizationId: 1, clinicIds: 1, insertedAt: 1, _id: 1 }, name: 'clinic' },
    { key: { retainUntil: 1 }, name: 'retention' },
  ],
  auditEntries: [
    { key: { organizationId: 1, time: 1, _id: 1 }, name: 'time' },
    { key: { organizationId: 1, ids: 1, time: 1, _id: 1 }, name: 'record_time' },
    {
      key: { organizationId: 1, sets: 1, time: 1, _id: 1 },
      name: 'set_time',
      partialFilterExpression: { sets: { $exists: true } },
    },
    { key: { organizationId: 1, 'principal.id': 1, time: 1, _id: 1 }, name: 'principal_time' },
    { key: { organizationId: 1, requestId: 1 }, name: 'request' },
    {
      key: { organizationId: 1, time: 1, _id: 1, kind: 1 },
      name: 'security_time',
      partialFilterExpression: isSecurity,
    },
    byNotice,
    { key: { expireAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
  ],
  auditedSets: [
    { key: { organizationId: 1, ids: 1 }, name: 'id' },
    { key: { expireAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
  ],
  redeliveries: [
    { key: { state: 1 }, name: 'running', partialFilterExpression: { state: 'running' } },
    { key: { organizationId: 1, subscriptionId: 1, createdTime: 1, _id: 1 }, name: 'created' },
    { key: { expireAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
  ],
  subscriptions: [
    { key: { organizationId: 1, clinicId: 1, slot: 1 }, name: 'slot', unique: true },
    { key: { organizationId: 1, _id: 1 }, name: 'list' },
    { key: { organizationId: 1, host: 1 }, name: 'host' },
    byNotice,
    {
      // A subscription is replaced by one other.
      key: { organizationId: 1, 'chain._id': 1, 'chain.generation': 1 },
      name: 'chain',
      unique: true,
      partialFilterExpression: { 'chain._id': { $exists: true } },
    },
    {
      // `active` is part of the index, so that a count reads no document. The same applies to `status` of deliveries.
      key: { lastEditTime: 1, active: 1 },
      name: 'disabled_count',
      partialFilterExpression: { active: false },
    },
    {
      key: { consecutiveFailures: 1, active: 1 },
      name: 'slowed_count',
      partialFilterExpression: { consecutiveFailures: { $gte: SLOWED_FROM_FAILURES } },
    },
  ],
  deliveries: [
    {
      key: { subscriptionId: 1, status: 1, expireAt: 1 },
      name: 'outcomes',
      partialFilterExpression: isFinal,
    },
    {
      // The last two fields are the shard key. Without them, a shard would have to read each document to check that it
      // owns the document.
      key: { createdTime: 1, status: 1, subscriptionId: 1, _id: 1 },
      name: 'queued_count',
      partialFilterExpression: { status: 'queued' },
    },
    { key: { subscriptionId: 1, kind: 1 }, name: 'queued', partialFilterExpression: { status: 'queued' } },
    { key: { claimedAt: 1 }, name: 'sending', partialFilterExpression: { status: 'sending' } },
    { key: { organizationId: 1, subscriptionId: 1, createdTime: 1, _id: 1 }, name: 'created' },
    { key: { organizationId: 1, createdTime: 1, _id: 1 }, name: 'organization_created' },
    { key: { eventId: 1 }, name: 'repeated', partialFilterExpression: isRepeated },
    {
      key: { subscriptionId: 1, bulkId: 1, status: 1 },
      name: 'bulk_count',
      partialFilterExpression: { bulkId: { $exists: true } },
    },
    { key: { reopened: 1 }, name: 'reopened', partialFilterExpression: isReopened },
    { key: { expireAt: 1 }, name: 'expiry', expireAfterSeconds: 0, partialFilterExpression: isFinal },
  ],
  deliveryHours: [
    { key: { organizationId: 1, _id: 1 }, name: 'list' },
    { key: { organizationId: 1, clinicId: 1, _id: 1 }, name: 'clinic' },
    { key: { organizationId: 1, subscriptionId: 1, _id: 1 }, name: 'subscription' },
    { key: { expireAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
  ],
  deletedSubscriptions: [{ key: { expireAt: 1 }, name: 'expiry', expireAfterSeconds: 0 }],
  mails: [
    { key: { dueTime: 1, organizationId: 1 }, name: 'due', partialFilterExpression: { state: 'queued' } },
    { key: { deadline: 1 }, name: 'deadline', partialFilterExpression: { state: 'queued' } },
    { key: { claimedAt: 1 }, name: 'sending', partialFilterExpression: { state: 'sending' } },
    { key: { createdTime: 1, dueTime: 1 }, name: 'unended', partialFilterExpression: isUnended },
    { key: { organizationId: 1, operatorId: 1, createdTime: 1 }, name: 'operator' },
    { key: { organizationId: 1, kind: 1, createdTime: 1, _id: 1 }, name: 'kind' },
    {
      // An operator's mails with notices follow each other: each has one successor.
      key: { operatorId: 1, after: 1 },
      name: 'after',
      unique: true,
      partialFilterExpression: { after: { $exists: true } },
    },
    { key: { organizationId: 1 }, name: 'unmarked', partialFilterExpression: { isUnmarked: true } },
    { key: { expireAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
  ],
  lanes: [
    { key: { aliveUntil: 1 }, name: 'alive' },
    { key: { worker: 1 }, name: 'worker' },
  ],
  outages: [{ key: { aliveUntil: 1 }, name: 'expiry', expireAfterSeconds: 0 }],
  laneRequests: [{ key: { dueTime: 1 }, name: 'due' }],
  // With a vault, endings are deleted as soon as it has them.
  endings: [{ key: { time: 1 }, name: 'expiry', expireAfterSeconds: 30 * 24 * 3600 }],
  apiKeys: [
    bySlot,
    byNotice,
    { key: { secretHash: 1 }, name: 'secret', unique: true },
    { key: { 'former.secretHash': 1 }, name: 'former_secret' },
    { key: { organizationId: 1, _id: 1 }, name: 'list' },
  ],
  idempotencyKeys: [{ key: { expireAt: 1 }, name: 'expiry', expireAfterSeconds: 0 }],
  operators: [
    bySlot,
    byNotice,
    { key: { emailLowerCase: 1 }, name: 'email', unique: true },
    { key: { 'invitation.secretHash': 1 }, name: 'invitation' },
    { key: { 'passwordReset.secretHash': 1 }, name: 'password_reset' },
    { key: { organizationId: 1, _id: 1 }, name: 'list' },
  ],
  challenges: [{ key: { expireAt: 1 }, name: 'expiry', expireAfterSeconds: 0 }],
  sessions: [
    { key: { tokenHash: 1 }, name: 'token', unique: true },
    { key: { organizationId: 1, operatorId: 1, _id: 1 }, name: 'operator' },
    { key: { expireAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
  ],
  programTokens: [
    bySlot,
    byNotice,
    { key: { tokenHash: 1 }, name: 'token', unique: true },
    { key: { organizationId: 1, _id: 1 }, name: 'list' },
    { key: { expiryTime: 1 }, name: 'expired' },
  ],
  connections: [
    bySlot,
    { key: { organizationId: 1, _id: 1 }, name: 'list' },
    { key: { clientId: 1 }, name: 'client' },
    { key: { expireAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
  ],
  oauthState: [
    { key: { grantId: 1 }, name: 'grant', partialFilterExpression: { grantId: { $exists: true } } },
    { key: { expireAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
  ],
  oauthClients: [
    {
      key: { network: 1, createdTime: 1 },
      name: 'unused',
      partialFilterExpression: { network: { $exists: true } },
    },
    { key: { expireAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
  ],
  oauthLimits: [{ key: { expireAt: 1 }, name: 'expiry', expireAfterSeconds: 0 }],
  processes: [{ key: { seenTime: 1 }, name: 'expiry', expireAfterSeconds: 3600 }],
};

/** The codes of `IndexOptionsConflict` and `IndexKeySpecsConflict`. */
const CONFLICTS: readonly unknown[] = [85, 86];

const nameOf = ({ name }: { name?: string }): string | undefined => name;

/**
 * @throws {UnusableDatabaseError} if an index with the same name has another definition, or an index with the same key
 * has another name
 */
const createOne = async (collection: Collection, description: IndexDescription): Promise<void> => {
  try {
    await collection.createIndexes([description]);
  } catch (error) {
    if (!(error instanceof MongoServerError && CONFLICTS.includes(error.code))) throw error;
    const present = await collection.indexes();
    const key = JSON.stringify(description.key);
    const other =
      present.find(({ name }) => name === description.name) ??
      present.find((each) => JSON.stringify(each.key) === key);
    if (other === undefined) throw error;
    const { collectionName } = collection;
    throw new UnusableDatabaseError(
      `The index ${description.name} of ${collectionName} cannot be created: the index ${other.name} has the same name or key and another definition. ` +
        `Stop all processes, drop that index with mongosh, db.${collectionName}.dropIndex('${other.name}'), and start again.`,
      { cause: error },
    );
  }
};

/** A large collection lacks an index. A starting process waits until an operator has built it. */
export class IndexMissingError extends UnusableDatabaseError {}

/** @throws {IndexMissingError} if a collection with more than `maxDocuments` documents lacks an index */
const checkSizes = async (database: Db, maxDocuments: number): Promise<void> => {
  const missing = Map.groupBy(await missingIndexes(database), (name) => name.slice(0, name.indexOf('.')));
  for (const [name, names] of missing) {
    const count = await database.collection(name).estimatedDocumentCount();
    if (count <= maxDocuments) continue;
    throw new IndexMissingError(
      `Missing: ${names.join(', ')}. The collection has ${count} documents, and a starting process builds indexes of at most ${maxDocuments} (INDEX_BUILD_MAX_DOCUMENTS). Build them with: chairside-admin indexes apply`,
    );
  }
};

/**
 * Creates missing indexes. The call may be repeated, even by several processes at once.
 *
 * @param maxDocuments the size of the largest collection on which an index may be built; default: any
 * @throws {IndexMissingError} if a larger collection lacks an index; no index is built then
 * @throws {UnusableDatabaseError} if an index exists with another definition
 */
export const applyIndexes = async (
  database: Db,
  maxDocuments: number = Number.POSITIVE_INFINITY,
): Promise<void> => {
  if (maxDocuments !== Number.POSITIVE_INFINITY) await checkSizes(database, maxDocuments);
  for (const [name, descriptions] of Object.entries(indexes)) {
    const collection = database.collection(name);
    try {
      await collection.createIndexes([...descriptions]);
    } catch (error) {
      if (!(error instanceof MongoServerError && CONFLICTS.includes(error.code))) throw error;
      // The indexes are created one by one, because the error of a group does not contain the name of the index.
      for (const description of descriptions) await createOne(collection, description);
    }
  }
};

/** The index names of each collection, without the collections that do not exist. */
const namesIn = async (
  database: Db,
  collections: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string | undefined>>> => {
  const existing = new Set((await database.listCollections({}, { nameOnly: true }).toArray()).map(nameOf));
  const found = await Promise.all(
    collections
      .filter((collection) => existing.has(collection))
      .map(async (collection) => {
        const present = await database.collection(collection).indexes();
        return [collection, new Set(present.map(nameOf))] as const;
      }),
  );
  return new Map(found);
};

/** The missing indexes, as `collection.name`. */
export const missingIndexes = async (database: Db): Promise<string[]> => {
  const names = await namesIn(database, Object.keys(indexes));
  return Object.entries(indexes).flatMap(([collection, descriptions]) =>
    descriptions
      .filter(({ name }) => !names.get(collection)?.has(name))
      .map(({ name }) => `${collection}.${name}`),
  );
};

/** The build of one index: the how manieth of all, and the size of its collection. */
export type IndexBuild = { name: string; position: number; total: number; documents: number };

/**
 * Builds the missing indexes one after the other, on collections of any size. The call may be repeated.
 *
 * @param onBuild called before each build
 * @returns the built indexes, as `collection.name`
 * @throws {UnusableDatabaseError} if an index exists with another definition
 */
export const buildMissingIndexes = async (
  database: Db,
  onBuild: (build: IndexBuild) => void,
): Promise<string[]> => {
  const missing = await missingIndexes(database);
  for (const [index, place] of missing.entries()) {
    const [collectionName = '', name = ''] = place.split('.');
    const collection = database.collection(collectionName);
    const documents = await collection.estimatedDocumentCount();
    onBuild({ name: place, position: index + 1, total: missing.length, documents });
    const description = indexes[collectionName]?.find((each) => each.name === name);
    if (description !== undefined) await createOne(collection, description);
  }
  return missing;
};
