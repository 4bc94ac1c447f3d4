import {
  clock,
  notFound,
  type ProgramToken,
  programTokenSchema,
  type Session,
  sessionSchema,
} from '@chairside/domain';
import type { Secrets, Sessions } from '@chairside/mongodb';
import { z } from 'zod';
import { withAuditEntry } from '../audit/security-actions.ts';
import type { App } from '../context.ts';
import { operatorOf } from '../http/operator.ts';
import { pathId } from '../http/path-id.ts';
import { serializerOf } from '../http/serialization.ts';
import { pagesOf } from '../lists/pages.ts';
import { pageQuery } from '../lists/query.ts';

const config = { access: { role: 'staff' } } as const;
const tags = ['Sessions'];

/** Registers the routes of the caller's own sessions. */
export const ownSessionRoutes = (
  app: App,
  sessions: Pick<Sessions, 'page' | 'endOwn'>,
  secrets: Secrets,
): void => {
  const sendPage = pagesOf(secrets);
  const stringify = serializerOf(sessionSchema);

  app.get(
    '/api/sessions',
    {
      config,
      schema: {
        tags,
        operationId: 'listSessions',
        summary: 'List your own sessions',
        description:
          'Returns your own open sessions in pages, the oldest first. The response contains no tokens.',
        querystring: z.strictObject(pageQuery),
        response: { 200: z.array(sessionSchema) },
      },
    },
    async (request, reply) =>
      sendPage<Session>(reply, {
        list: 'sessions',
        request,
        ...request.query,
        filter: { operatorId: request.principal.id },
        read: ([after] = [], limit) =>
          sessions.page(operatorOf(request), clock.now(), { after: after ?? undefined, limit }),
        positionOf: ({ _id }) => [_id],
        stringify,
      }),
  );

  app.delete(
    '/api/sessions/:sessionId',
    {
      config,
      schema: {
        tags,
        operationId: 'endSession',
        summary: 'End one of your own sessions, or a program token',
        description:
          'Ends one of your own sessions and returns it. Its access token stops working at once. An administrator can also end any program token of the organization. Returns 404 for a session of another operator.',
        params: pathId('sessionId'),
        response: { 200: z.union([sessionSchema, programTokenSchema]) },
      },
    },
    async (request): Promise<Session | ProgramToken> => {
      const { sessionId } = request.params;
      const principal = operatorOf(request);
      const { programTokens } = request.store;
      const isToken =
        principal.role === 'administrator' &&
        (await programTokens.find(sessionId, clock.now())) !== undefined;
      const action = {
        action: isToken ? 'token_ended' : 'deleted',
        kind: 'session',
        ids: [sessionId],
      } as const;
      return withAuditEntry(request, action, async () => {
        const ended = isToken
          ? await programTokens.end(sessionId, clock.now())
          : await sessions.endOwn(principal, sessionId);
        if (ended === undefined) throw notFound();
        return ended;
      });
    },
  );
};
