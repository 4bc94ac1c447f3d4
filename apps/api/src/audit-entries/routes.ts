import { type AuditEntry, auditActions, auditEntrySchema, auditedKinds } from '@chairside/domain';
import { z } from 'zod';
import { authorOf } from '../audit/author.ts';
import { changesOf, withAuditEntry } from '../audit/security-actions.ts';
import type { App, Dependencies } from '../context.ts';
import { serializerOf } from '../http/serialization.ts';
import { timePagesOf } from '../lists/pages.ts';
import { examinedWith, filterBy, pageQuery, someOf, timeFilter, timeRange } from '../lists/query.ts';

const querystring = z.strictObject({
  principalId: filterBy('of this API key or operator', '01JB00000000000000AP1KEY00'),
  kind: someOf(auditedKinds).meta({
    description:
      'Only entries about records of these kinds, or about operators, sessions, keys, subscriptions, connected apps or the audit log. Several are separated by commas.',
    examples: [['patient', 'appointment']],
  }),
  recordId: filterBy('about this record', '01JB0000000000000000PAT1E0'),
  action: someOf(auditActions).meta({
    description: 'Only entries of these actions. Several are separated by commas.',
    examples: [['read', 'listed']],
  }),
  requestId: filterBy('of this request', '01JB00000000000000REQVEST0'),
  since: timeFilter('Only entries of this time or later.'),
  until: timeFilter('Only entries of this time or earlier.'),
  ...pageQuery,
});

/**
 * The largest page of a download, in bytes. The dashboard keeps one page of each open download in memory, for as long
 * as its reader takes.
 */
const MAX_DOWNLOADED_PAGE_BYTES = 512 * 1024;

/** Registers the route of audit entries. */
export const auditEntryRoutes = (app: App, { store }: Dependencies): void => {
  const sendPage = timePagesOf(store.secrets);
  const stringify = serializerOf(auditEntrySchema);

  app.get(
    '/api/auditentries',
    {
      config: { access: { role: 'administrator' } },
      schema: {
        tags: ['Audit'],
        operationId: 'listAuditEntries',
        example: { address: undefined, changes: undefined, count: undefined },
        summary: 'List audit entries',
        description:
          'Returns audit entries in pages, the newest first. Every access to records about patients leaves an entry, including reads. Every security action leaves an entry too: sign-ins, sign-outs and password confirmations, changes of passwords, keys, operators and subscriptions, connected apps, revealed keys, tests and redeliveries, and reads of a delivery and of this log. The entry of a write appears moments after the write. A request with the header `X-Download: 1` says that the entries are saved to a file: its first page leaves an entry `downloaded`. ' +
          examinedWith('`action`, with `kind`, or with two of the filters'),
        querystring,
        response: { 200: z.array(auditEntrySchema) },
      },
    },
    async (request, reply) => {
      const { limit, cursor, since, until, ...rest } = request.query;
      const filter = { ...rest, ...timeRange(since, until) };
      const { audit } = request.store;
      const isDownload = request.headers['x-download'] === '1';
      const { principal } = request;
      const session = principal.kind === 'operator' ? principal.sessionId : principal.id;
      await audit.addOnce(JSON.stringify([session, filter]), {
        action: 'listed',
        kind: 'auditEntry',
        ids: [],
        changes: changesOf(filter),
        result: 'ok',
        address: request.callerAddress,
        ...authorOf(request),
      });
      let downTo: Awaited<ReturnType<typeof audit.examinedTo>>;
      const send = () =>
        sendPage<AuditEntry>(reply, {
          list: 'auditentries',
          request,
          limit,
          ...(isDownload && { maxBytes: MAX_DOWNLOADED_PAGE_BYTES }),
          cursor,
          filter,
          async *read(before, size) {
            downTo = await audit.examinedTo(filter, before);
            yield* audit.page(filter, { before, downTo }, size);
          },
          stoppedAt: () => downTo,
          timeOf: ({ time }) => time,
          stringify,
        });
      // A file of several pages leaves only one entry `downloaded`, at its first page.
      const beginsFile = isDownload && cursor === undefined;
      return beginsFile
        ? withAuditEntry(request, { action: 'downloaded', kind: 'auditEntry', ids: [] }, send)
        : send();
    },
  );
};
