import {
  type Notice,
  notFound,
  noticeSchema,
  noticeSettingsSchema,
  noticeSettingsUpdateSchema,
} from '@chairside/domain';
import type { Secrets } from '@chairside/mongodb';
import { z } from 'zod';
import { changesOf, withAuditEntry } from '../audit/security-actions.ts';
import type { App } from '../context.ts';
import { serializerOf } from '../http/serialization.ts';
import { timePagesOf } from '../lists/pages.ts';
import { pageQuery } from '../lists/query.ts';

const config = { access: { role: 'staff' } } as const;
const tags = ['Notices'];
const response = { 200: noticeSettingsSchema };
const own = '/api/sessions/current/notices';

/** Registers the routes of notices: what was told to whom, and which notices the caller gets. */
export const noticeRoutes = (app: App, { secrets }: { secrets: Secrets }): void => {
  const sendPage = timePagesOf(secrets);
  const stringify = serializerOf(noticeSchema);

  app.get(
    '/api/notices',
    {
      config: { access: { role: 'administrator' } },
      schema: {
        tags,
        operationId: 'listNotices',
        summary: 'List what was told by mail',
        description:
          'Returns the mails of the last 30 days that have told operators of the organization what happened, in pages, the newest first: what was told, to whom, when, and whether the mail arrived.',
        querystring: z.strictObject(pageQuery),
        response: { 200: z.array(noticeSchema) },
      },
    },
    async (request, reply) =>
      sendPage<Notice>(reply, {
        list: 'notices',
        request,
        ...request.query,
        filter: {},
        read: (before, limit) => request.store.mails.notices(before, limit),
        timeOf: ({ createdTime }) => createdTime,
        stringify,
      }),
  );

  app.get(
    own,
    {
      config,
      schema: {
        tags,
        operationId: 'getNoticeSettings',
        summary: 'Get which notices you get',
        description:
          'Returns which notices you get by mail. Only administrators get these notices. Every operator is told of a new password, e-mail address or role of the own account, and of a sign-in from a new network.',
        refusals: [404],
        response,
      },
    },
    async (request) => {
      const settings = await request.store.operators.noticeSettings(request.principal.id);
      if (settings === undefined) throw notFound();
      return settings;
    },
  );

  app.put(
    own,
    {
      config,
      schema: {
        tags,
        operationId: 'updateNoticeSettings',
        summary: 'Switch notices on or off',
        description:
          'Switches notices on or off, for you alone. A field that is absent stays as it is. Notices about your own account cannot be switched off.',
        refusals: [404],
        body: noticeSettingsUpdateSchema,
        response,
      },
    },
    async (request) => {
      const { id } = request.principal;
      const changes = changesOf(request.body);
      const action = { action: 'updated', kind: 'operator', ids: [id], changes } as const;
      return withAuditEntry(request, action, async () => {
        const settings = await request.store.operators.changeNoticeSettings(id, request.body);
        if (settings === undefined) throw notFound();
        return settings;
      });
    },
  );
};
