import type { Event } from '@chairside/domain';
import type { Collection } from 'mongodb';
import { insertNew } from './database.ts';

export type EventDocument = Event & {
  /** When it entered the log: readers page by this. */
  insertedAt: Date;
};

/** The log of the events of all organizations, as the dispatcher uses it. */
export type EventLog = {
  /** Adds those that are not there yet. */
  insert(events: readonly Event[], now: Date): Promise<void>;
  /** The bodies of these events, by id. */
  bodies(ids: readonly string[]): Promise<Map<string, string>>;
};

export const openEventLog = (collection: Collection<EventDocument>): EventLog => ({
  insert: (events, now) =>
    insertNew(
      collection,
      events.map((event) => ({ ...event, insertedAt: now })),
    ),

  async bodies(ids) {
    const documents = await collection
      .find({ _id: { $in: [...ids] } }, { projection: { body: 1 } })
      .toArray();
    return new Map(documents.map(({ _id, body }) => [_id, body]));
  },
});
