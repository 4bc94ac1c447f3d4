import type { Connection } from '@chairside/domain';
import type { Collection } from '../driver/database.ts';
import { deleteUnique, findUnique } from '../driver/ferretdb.ts';
import { rowsOf } from '../driver/rows.ts';
import { type EndingDocument, enterEnding } from '../restores/endings.ts';
import { askedTools, type ConnectionDocument } from './connection-document.ts';

/** The connected apps of one organization. The authorization server creates them. */
export type Connections = {
  /**
   * The connections that have not expired, ordered by `_id`.
   *
   * @param page.after the `_id` of the last connection of the previous page
   */
  page(now: Date, page: { after?: string | undefined; limit: number }): AsyncIterable<Connection>;
  /**
   * Disconnects an app: the next use of its tokens is refused.
   *
   * @returns the connection; undefined if the organization has no such connection
   */
  delete(_id: string, now: Date): Promise<Connection | undefined>;
};

const toConnection = (document: ConnectionDocument): Connection => ({
  _id: document._id,
  clientName: document.clientName,
  redirectHost: document.redirectHost,
  operatorId: document.operatorId,
  createdTime: document.createdTime.toISOString(),
  ...(document.lastUsedTime && { lastUsedTime: document.lastUsedTime.toISOString() }),
  tools: askedTools([document]),
});

export const connectionsOf = (
  collection: Collection<ConnectionDocument>,
  endings: Collection<EndingDocument>,
  organizationId: string,
): Connections => ({
  async *page(now, { after, limit }) {
    // The filter excludes expired documents, because MongoDB deletes them with a delay.
    const live = {
      organizationId,
      ...(after !== undefined && { _id: { $gt: after } }),
      expireAt: { $gt: now },
    };
    yield* rowsOf(collection.find(live, { sort: { _id: 1 }, limit }), toConnection);
  },

  async delete(_id, now) {
    const document = await findUnique(collection, { _id, organizationId });
    if (document === undefined || document.expireAt <= now) return undefined;
    await enterEnding(endings, { kind: 'connection', id: _id, organizationId });
    await deleteUnique(collection, { _id, organizationId });
    return toConnection(document);
  },
});
