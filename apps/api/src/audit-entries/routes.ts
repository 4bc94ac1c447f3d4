import { type AuditEntry, auditActions, auditEntrySchema, instant, recordKinds } from '@chairside/domain';
import { z } from 'zod';
import type { App, Dependencies } from '../app.ts';
import { pageOf, pageQuery, pagesOf } from '../plugins/cursor.ts';
import { idFilter } from '../plugins/query.ts';

const querystring = z.strictObject({
  principalId: idFilter,
  kind: z.enum(recordKinds, { error: `must be one of ${recordKinds.join(', ')}` }).optional(),
  recordId: idFilter,
  action: z.enum(auditActions, { error: `must be one of ${auditActions.join(', ')}` }).optional(),
  requestId: idFilter,
  since: instant.optional(),
  until: instant.optional(),
  ...pageQuery,
});

/** Who did what to which records, newest first. */
export const auditEntryRoutes = (app: App, { store }: Dependencies): void => {
  const readPage = pagesOf(store.secrets);

  app.get(
    '/api/auditentries',
    {
      config: { access: { role: 'administrator' } },
      schema: { querystring, response: { 200: z.array(auditEntrySchema) } },
    },
    async (request, reply) => {
      const { limit, cursor, since, until, ...rest } = request.query;
      const filter = { ...rest, since: since && new Date(since), until: until && new Date(until) };
      const { audit } = store.organization(request.principal.organizationId);
      return readPage<AuditEntry>(reply, {
        list: 'auditentries',
        request,
        limit,
        cursor,
        filter,
        async read([time, _id] = [], size) {
          const before = time && _id ? { time: new Date(time), _id } : undefined;
          const rows = await audit.page(filter as Parameters<typeof audit.page>[0], before, size + 1);
          return pageOf(rows, size, (row) => [row.time, row._id]);
        },
      });
    },
  );
};
