import type { Db, IndexDescription } from 'mongodb';

const unpublished: IndexDescription = {
  key: { outboxAt: 1 },
  name: 'unpublished',
  partialFilterExpression: { outboxAt: { $exists: true } },
};
const byEditTime: IndexDescription = {
  key: { organizationId: 1, lastEditTime: 1, _id: 1 },
  name: 'edit_time',
};

/** For what another system counts by its own ids: the same one twice is the same record. */
const byExternalId: IndexDescription = {
  key: { organizationId: 1, externalId: 1 },
  name: 'external_id',
  unique: true,
  partialFilterExpression: { externalId: { $exists: true } },
};
const billing: readonly IndexDescription[] = [
  { key: { organizationId: 1, creationTime: 1, _id: 1 }, name: 'list' },
  { key: { organizationId: 1, clinicId: 1, creationTime: 1, _id: 1 }, name: 'clinic' },
  { key: { organizationId: 1, patientId: 1, creationTime: 1, _id: 1 }, name: 'patient' },
  byEditTime,
  byExternalId,
  unpublished,
];

/** Every index there is. A query that uses none of them is a mistake. */
const indexes: Readonly<Record<string, readonly IndexDescription[]>> = {
  patients: [
    { key: { organizationId: 1, _id: 1 }, name: 'list' },
    { key: { organizationId: 1, clinicId: 1, _id: 1 }, name: 'clinic' },
    { key: { organizationId: 1, emailLowerCase: 1, _id: 1 }, name: 'email' },
    byEditTime,
    byExternalId,
    unpublished,
  ],
  appointments: [
    { key: { organizationId: 1, startTime: 1, _id: 1 }, name: 'list' },
    { key: { organizationId: 1, clinicId: 1, startTime: 1, _id: 1 }, name: 'clinic' },
    { key: { organizationId: 1, patientId: 1, startTime: 1, _id: 1 }, name: 'patient' },
    byEditTime,
    byExternalId,
    unpublished,
  ],
  clinics: [{ key: { organizationId: 1, _id: 1 }, name: 'list' }, byEditTime, byExternalId],
  invoices: billing,
  payments: billing,
  treatments: [{ key: { organizationId: 1, _id: 1 }, name: 'list' }, byEditTime, byExternalId],
  events: [
    { key: { organizationId: 1, insertedAt: 1, _id: 1 }, name: 'log' },
    { key: { retainUntil: 1 }, name: 'retention' },
  ],
  auditEntries: [
    { key: { organizationId: 1, time: 1, _id: 1 }, name: 'time' },
    { key: { organizationId: 1, ids: 1, time: 1 }, name: 'record' },
    { key: { organizationId: 1, 'principal.id': 1, time: 1 }, name: 'principal' },
    { key: { organizationId: 1, requestId: 1 }, name: 'request' },
    { key: { expireAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
  ],
  redeliveries: [
    { key: { state: 1 }, name: 'running', partialFilterExpression: { state: 'running' } },
    { key: { expireAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
  ],
  subscriptions: [
    { key: { organizationId: 1, clinicId: 1, slot: 1 }, name: 'slot', unique: true },
    { key: { organizationId: 1, _id: 1 }, name: 'list' },
    { key: { lastEditTime: 1 }, name: 'disabled', partialFilterExpression: { active: false } },
  ],
  deliveries: [
    {
      key: { subscriptionId: 1 },
      name: 'queued',
      partialFilterExpression: { status: 'queued' },
    },
    { key: { createdTime: 1 }, name: 'waiting', partialFilterExpression: { status: 'queued' } },
    { key: { claimedAt: 1 }, name: 'sending', partialFilterExpression: { status: 'sending' } },
    { key: { organizationId: 1, subscriptionId: 1, createdTime: 1, _id: 1 }, name: 'created' },
    { key: { organizationId: 1, subscriptionId: 1, attemptTime: 1 }, name: 'attempts' },
    { key: { eventId: 1 }, name: 'event' },
    { key: { expireAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
  ],
  lanes: [
    { key: { aliveUntil: 1 }, name: 'alive' },
    { key: { worker: 1 }, name: 'worker' },
  ],
  apiKeys: [
    { key: { secretHash: 1 }, name: 'secret', unique: true },
    { key: { organizationId: 1, _id: 1 }, name: 'list' },
  ],
  idempotencyKeys: [{ key: { expireAt: 1 }, name: 'expiry', expireAfterSeconds: 0 }],
  operators: [
    { key: { emailLowerCase: 1 }, name: 'email', unique: true },
    { key: { organizationId: 1, _id: 1 }, name: 'list' },
  ],
  sessions: [
    { key: { tokenHash: 1 }, name: 'token', unique: true },
    { key: { organizationId: 1, operatorId: 1, _id: 1 }, name: 'operator' },
    { key: { expireAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
  ],
};

/** Creates what is missing; harmless to repeat, by several processes at once too. */
export const applyIndexes = async (database: Db): Promise<void> => {
  for (const [collection, descriptions] of Object.entries(indexes)) {
    await database.collection(collection).createIndexes([...descriptions]);
  }
};

/** The indexes that are not there, as `collection.name`. */
export const missingIndexes = async (database: Db): Promise<string[]> => {
  const existing = new Set((await database.listCollections({}, { nameOnly: true }).toArray()).map(nameOf));
  const missing = await Promise.all(
    Object.entries(indexes).map(async ([collection, descriptions]) => {
      const present = existing.has(collection) ? await database.collection(collection).indexes() : [];
      const names = new Set(present.map(nameOf));
      return descriptions.filter((each) => !names.has(each.name)).map(({ name }) => `${collection}.${name}`);
    }),
  );
  return missing.flat();
};

const nameOf = ({ name }: { name?: string }): string | undefined => name;
