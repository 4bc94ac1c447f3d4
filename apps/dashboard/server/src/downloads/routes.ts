import { Readable } from 'node:stream';
import { clock } from '@chairside/domain';
import { closedSignal } from '@chairside/http-server';
import type { ApiPage } from '../api.ts';
import type { App, Dependencies } from '../context.ts';
import { callerOf, pass } from '../http/caller.ts';
import { createDownloadAdmission } from './admission.ts';
import { auditEntriesAsCsv, type Names } from './audit-entries.ts';

/** Number of rows of a page that is requested from the api. */
const PAGE_SIZE = '1000';

/** The lists of the principals of an organization, and the field that names one. */
const PRINCIPALS = [
  { path: '/api/operators', field: 'email' },
  { path: '/api/apikeys', field: 'name' },
  { path: '/api/sessions/current/tokens', field: 'name' },
] as const;

/**
 * Reads the names of the principals. A list that cannot be read leaves its names out, because the ids in the file are
 * sufficient.
 */
const readNames = async (read: (path: string) => Promise<ApiPage>): Promise<Names> => {
  const lists = await Promise.all(
    PRINCIPALS.map(async ({ path, field }) => {
      const { status, body } = await read(path).catch(() => ({ status: 503, body: [] }));
      const rows: Record<string, string>[] = status === 200 && Array.isArray(body) ? body : [];
      return rows.map((row): [string, string] => [row._id ?? '', row[field] ?? '']);
    }),
  );
  return new Map(lists.flat());
};

/** Registers the routes of files that are made from lists of the api. The browser saves them without a script. */
export const downloadRoutes = (app: App, { api, cookie }: Dependencies): void => {
  const downloads = createDownloadAdmission();
  /**
   * The route accepts the filters of `GET /api/auditentries`. If the api refuses the first page, the refusal is
   * forwarded.
   */
  app.get<{ Querystring: Record<string, string | string[]> }>(
    '/downloads/auditentries.csv',
    { exposeHeadRoute: false },
    async (request, reply) => {
      const token = cookie.requiredTokenOf(request);
      const caller = { ...callerOf(request), isDownload: true };
      const refusal = await api.identify(caller, token);
      if (refusal?.status === 401) cookie.clear(reply);
      if (refusal !== undefined) return pass(reply, refusal);
      const countedAs = () => api.principals.countedAs(token, caller.address);
      downloads.open(reply.raw, countedAs());
      const closed = closedSignal(reply.raw);
      const read = (cursor?: string) => {
        const query = new URLSearchParams();
        for (const [name, values] of Object.entries(request.query))
          for (const value of [values].flat()) query.append(name, value);
        query.set('limit', PAGE_SIZE);
        query.delete('cursor');
        if (cursor !== undefined) query.set('cursor', cursor);
        return downloads.read(countedAs(), () =>
          api.page(caller, token, `/api/auditentries?${query}`, closed),
        );
      };
      const first = await read();
      if (first.status === 401) cookie.clear(reply);
      if (first.status !== 200) return pass(reply, first);
      const names = await readNames((path) =>
        downloads.read(countedAs(), () => api.page({ ...caller, isDownload: false }, token, path, closed)),
      );
      const day = clock.now().toISOString().slice(0, 10);
      return reply
        .type('text/csv; charset=utf-8; header=present')
        .header('Content-Disposition', `attachment; filename="audit-log-${day}.csv"`)
        .send(Readable.from(auditEntriesAsCsv(first, read, names, closed)));
    },
  );
};
