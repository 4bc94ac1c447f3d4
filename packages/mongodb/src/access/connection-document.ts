import type { AskedTool } from '@chairside/domain';
import type { Slotted } from '../driver/slots.ts';

/**
 * A connected app: the grant that an administrator made with OAuth 2.0. The grant lives as long as this document.
 * Deleting the document disconnects the app. Its `_id` is the id of the grant.
 */
export type ConnectionDocument = Slotted & {
  organizationId: string;
  /** The administrator who made the grant. */
  operatorId: string;
  /**
   * The operator's `accessRevision` at the time of the grant. The grant is valid only while the operator still has this
   * revision.
   */
  accessRevision: number;
  clientId: string;
  /** The name that the app gives itself. */
  clientName: string;
  /** The host that the browser is sent back to after the grant. */
  redirectHost: string;
  createdTime: Date;
  /** When a token of the grant was last used, to the minute. */
  lastUsedTime?: Date;
  /** When each tool of the connector was last called, to the minute, by the name of the tool. */
  tools?: Record<string, Date>;
  /** When the grant ends unless it is used before. */
  expireAt: Date;
};

/**
 * The tools that the app has called over any of these connections, the last one first.
 *
 * @param connections the connections of one app
 */
export const askedTools = (connections: readonly Pick<ConnectionDocument, 'tools'>[]): AskedTool[] => {
  const last = new Map<string, Date>();
  for (const { tools = {} } of connections)
    for (const [name, time] of Object.entries(tools)) {
      const other = last.get(name);
      if (other === undefined || other < time) last.set(name, time);
    }
  return [...last]
    .toSorted(([one, early], [other, late]) => +late - +early || one.localeCompare(other))
    .map(([name, time]) => ({ name, lastUsedTime: time.toISOString() }));
};
