import { type Connection, clock, connectionSchema, notFound } from '@chairside/domain';
import type { Secrets } from '@chairside/mongodb';
import { z } from 'zod';
import { withAuditEntry } from '../audit/security-actions.ts';
import type { App } from '../context.ts';
import { pathId } from '../http/path-id.ts';
import { serializerOf } from '../http/serialization.ts';
import { pagesOf } from '../lists/pages.ts';
import { pageQuery } from '../lists/query.ts';

const config = { access: { role: 'administrator' } } as const;
const tags = ['Connections'];

/** Registers the routes of the organization's connected apps. The authorization server creates the connections. */
export const connectionRoutes = (app: App, { secrets }: { secrets: Secrets }): void => {
  const sendPage = pagesOf(secrets);
  const stringify = serializerOf(connectionSchema);

  app.get(
    '/api/connections',
    {
      config,
      schema: {
        tags,
        operationId: 'listConnections',
        summary: 'List connected apps',
        description:
          'Returns the connected apps of the organization in pages. An app that has not used its connection for 30 days is no longer connected.',
        querystring: z.strictObject(pageQuery),
        response: { 200: z.array(connectionSchema) },
      },
    },
    async (request, reply) =>
      sendPage<Connection>(reply, {
        list: 'connections',
        request,
        ...request.query,
        filter: {},
        read: ([after] = [], limit) =>
          request.store.connections.page(clock.now(), { after: after ?? undefined, limit }),
        positionOf: ({ _id }) => [_id],
        stringify,
      }),
  );

  app.delete(
    '/api/connections/:connectionId',
    {
      config,
      schema: {
        tags,
        operationId: 'deleteConnection',
        summary: 'Disconnect an app',
        description: 'Disconnects an app and returns the connection. The next call of the app is refused.',
        params: pathId('connectionId'),
        response: { 200: connectionSchema },
      },
    },
    async (request) => {
      const { connectionId } = request.params;
      const action = { action: 'deleted', kind: 'connection', ids: [connectionId] } as const;
      return withAuditEntry(request, action, async () => {
        const deleted = await request.store.connections.delete(connectionId, clock.now());
        if (deleted === undefined) throw notFound();
        return deleted;
      });
    },
  );
};
