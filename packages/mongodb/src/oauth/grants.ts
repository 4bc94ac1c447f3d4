import { type AskedTool, MAX_CONNECTIONS } from '@chairside/domain';
import { askedTools, type ConnectionDocument } from '../access/connection-document.ts';
import { isActive } from '../access/operator-document.ts';
import type { ViewedOperator } from '../access/operator-view.ts';
import type { OrganizationDocument } from '../access/organization-document.ts';
import type { Collection } from '../driver/database.ts';
import { deleteUnique, findUnique, untilNoDeadlock } from '../driver/ferretdb.ts';
import { insertIntoFreeSlot } from '../driver/slots.ts';
import { atMost } from '../driver/statements.ts';
import { type EndingDocument, enterEnding } from '../restores/endings.ts';
import { cachedStops, type Stops } from '../stops/stops.ts';
import type { OAuthState } from './state.ts';

const MINUTE = 60_000;

/** The operator behind a session, with the fields that a grant needs. */
export type GrantingOperator = { organizationId: string; organizationName: string; accessRevision: number };

/** The current state of a grant, read from the database. */
export type Standing =
  /** `isSuspended`: an operator of the service has suspended the organization. */
  | { state: 'live'; connection: ConnectionDocument; isSuspended: boolean }
  /** There is no such grant: it has ended or expired. */
  | { state: 'missing' }
  /**
   * The operator's access has changed since the grant: for example, the operator was disabled or deleted, has another
   * role or another password, or all of the operator's sessions were ended.
   */
  | { state: 'operatorChanged' };

/**
 * The grants of all organizations. A grant is found by its id alone, which callers know only from a token of the grant
 * or from the consent to it.
 */
export type OAuthGrants = {
  /**
   * Reads the current access of a signed-in operator, and the organization. Call it before the session is checked, so
   * that a change of the access in between makes the grant invalid.
   *
   * @returns undefined if there is no such operator
   */
  findOperator(operatorId: string): Promise<GrantingOperator | undefined>;
  /**
   * Stores the connection of a new grant.
   *
   * @returns false if the organization already has the maximum number of connected apps; nothing is stored then
   */
  create(connection: Omit<ConnectionDocument, 'slot'>, now: Date): Promise<boolean>;
  /** Whether a client has a grant of any organization that has not expired. */
  hasClient(clientId: string, now: Date): Promise<boolean>;
  /**
   * @param operator the operator who made the grant according to the caller's token, if known; grant and operator are
   *   then read at the same time
   */
  standing(grantId: string, now: Date, operator?: { organizationId: string; id: string }): Promise<Standing>;
  /**
   * Records the use of a token, to the minute.
   *
   * @param tool the tool of the connector that the app has called, if it has called one
   */
  use(connection: ConnectionDocument, now: Date, tool?: string): Promise<void>;
  /** The tools that a client has called over its connections with an organization, the last one first. */
  askedBy(clientId: string, organizationId: string): Promise<AskedTool[]>;
  /** Extends the life of a grant that was used. Does nothing if the grant has ended. */
  keep(grantId: string, expireAt: Date): Promise<void>;
  /** Finds the connection of a grant, even if it has expired; undefined if the grant has ended. */
  find(grantId: string): Promise<ConnectionDocument | undefined>;
  /** Ends a grant: deletes its connection and everything that is stored for it, such as codes and tokens. */
  end(grantId: string): Promise<void>;
};

/** The kind under which the authorization server stores grants. */
const GRANT = 'Grant';

export const openOAuthGrants = (
  {
    connections,
    operators,
    organizations,
    stops,
    endings,
  }: {
    connections: Collection<ConnectionDocument>;
    /** The operators, or the view of their access. */
    operators: () => Promise<Collection<ViewedOperator>>;
    organizations: Collection<OrganizationDocument>;
    stops: Stops;
    endings: Collection<EndingDocument>;
  },
  state: OAuthState,
): OAuthGrants => {
  const stopped = cachedStops(stops);
  const administrator = async (organizationId: string, operatorId: string) =>
    findUnique(
      await operators(),
      { _id: operatorId, organizationId, role: 'administrator', ...isActive },
      { accessRevision: 1 },
    );

  return {
    async findOperator(_id) {
      const operator = await findUnique(await operators(), { _id }, { organizationId: 1, accessRevision: 1 });
      if (operator === undefined) return undefined;
      const { organizationId, accessRevision = 0 } = operator;
      const organization = await findUnique(organizations, { _id: organizationId }, { name: 1 });
      return { organizationId, organizationName: organization?.name ?? '', accessRevision };
    },

    async create(connection, now) {
      const { organizationId } = connection;
      // The database deletes expired documents up to a minute late, and later under load. Until then they occupy slots.
      const expired = { organizationId, expireAt: { $lte: now } };
      await untilNoDeadlock(() => connections.deleteMany(expired));
      return insertIntoFreeSlot(connections, connection, {
        scope: { organizationId },
        maximum: MAX_CONNECTIONS,
      });
    },

    async hasClient(clientId, now) {
      const live = { clientId, expireAt: { $gt: now } };
      return (await connections.findOne(live, { projection: { _id: 1 } })) !== null;
    },

    async standing(grantId, now, expected) {
      const [connection, early] = await Promise.all([
        findUnique(connections, { _id: grantId, expireAt: { $gt: now } }),
        expected && administrator(expected.organizationId, expected.id),
      ]);
      if (connection === undefined) return { state: 'missing' };
      const { organizationId, operatorId, accessRevision } = connection;
      const isExpected = expected?.organizationId === organizationId && expected.id === operatorId;
      const operator = isExpected ? early : await administrator(organizationId, operatorId);
      if (operator === undefined || (operator.accessRevision ?? 0) !== accessRevision)
        return { state: 'operatorChanged' };
      const isSuspended = (await stopped()).organizations.has(organizationId);
      return { state: 'live', connection, isSuspended };
    },

    async use({ _id, organizationId, lastUsedTime, tools = {} }, now, tool) {
      const minute = new Date(Math.floor(now.getTime() / MINUTE) * MINUTE);
      const isKept = (time: Date | undefined) => time !== undefined && time >= minute;
      if (isKept(lastUsedTime) && (tool === undefined || isKept(tools[tool]))) return;
      const $max = { lastUsedTime: minute, ...(tool !== undefined && { [`tools.${tool}`]: minute }) };
      await connections.updateOne({ _id, organizationId }, { $max });
    },

    async askedBy(clientId, organizationId) {
      const found = await connections
        .find(
          { clientId, organizationId },
          { projection: { tools: 1 }, ...atMost(MAX_CONNECTIONS, 'client') },
        )
        .toArray();
      return askedTools(found);
    },

    async keep(grantId, expireAt) {
      await Promise.all([
        connections.updateOne({ _id: grantId }, { $max: { expireAt } }),
        state.keep(GRANT, grantId, expireAt),
      ]);
    },

    find: (grantId) => findUnique(connections, { _id: grantId }),

    async end(grantId) {
      // The connection is deleted first, because without it no token of the grant is accepted.
      await enterEnding(endings, { kind: 'connection', id: grantId });
      await deleteUnique(connections, { _id: grantId });
      await state.removeGrant(grantId);
    },
  };
};
