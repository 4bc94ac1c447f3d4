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

/** Every index there is. A query that uses none of them is a mistake. */
const indexes: Readonly<Record<string, readonly IndexDescription[]>> = {
  patients: [
    { key: { organizationId: 1, _id: 1 }, name: 'list' },
    { key: { organizationId: 1, clinicId: 1, _id: 1 }, name: 'clinic' },
    { key: { organizationId: 1, emailLowerCase: 1, _id: 1 }, name: 'email' },
    byEditTime,
    unpublished,
  ],
  appointments: [
    { key: { organizationId: 1, startTime: 1, _id: 1 }, name: 'list' },
    { key: { organizationId: 1, clinicId: 1, startTime: 1, _id: 1 }, name: 'clinic' },
    { key: { organizationId: 1, patientId: 1, startTime: 1, _id: 1 }, name: 'patient' },
    byEditTime,
    unpublished,
  ],
  clinics: [{ key: { organizationId: 1, _id: 1 }, name: 'list' }, byEditTime],
  events: [
    { key: { organizationId: 1, insertedAt: 1, _id: 1 }, name: 'log' },
    { key: { retainUntil: 1 }, name: 'retention' },
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
