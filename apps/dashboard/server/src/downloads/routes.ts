import { Readable } from 'node:stream';
import { clock, Refusal } from '@chairside/domain';
import { closedSignal } from '@chairside/http-server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiPage, ApiResponse } from '../api.ts';
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

/** Lets the browser save the response as a file that is named after its content and the day. */
const asFile = (reply: FastifyReply, name: string, extension: string): FastifyReply => {
  const day = clock.now().toISOString().slice(0, 10);
  return reply.header('Content-Disposition', `attachment; filename="${name}-${day}.${extension}"`);
};

/** The form of the ids that a path of the api has without escaped characters. */
const ID = /^[\w-]+$/;

/** Registers the routes of files that come from the api. The browser saves them without a script. */
export const downloadRoutes = (app: App, { api, cookie }: Dependencies): void => {
  const downloads = createDownloadAdmission();
  /**
   * Counts a download, if the api knows its session. Otherwise the refusal of the api is sent.
   *
   * @throws {Refusal} Unauthorized, TooManyRequests or ServiceUnavailable
   */
  const begin = async (request: FastifyRequest, reply: FastifyReply, isDownload = false) => {
    const token = cookie.requiredTokenOf(request);
    const caller = { ...callerOf(request), isDownload };
    const refusal = await api.identify(caller, token);
    if (refusal !== undefined) return void forwardRefusal(reply, refusal);
    const countedAs = () => api.principals.countedAs(token, caller.address);
    downloads.open(reply.raw, countedAs());
    return { token, caller, countedAs, closed: closedSignal(reply.raw) };
  };
  const forwardRefusal = (reply: FastifyReply, refusal: ApiResponse): FastifyReply => {
    if (refusal.status === 401) cookie.clear(reply);
    return pass(reply, refusal);
  };
  /**
   * The route accepts the filters of `GET /api/auditentries`. If the api refuses the first page, the refusal is
   * forwarded.
   */
  app.get<{ Querystring: Record<string, string | string[]> }>(
    '/downloads/auditentries.csv',
    { exposeHeadRoute: false },
    async (request, reply) => {
      const begun = await begin(request, reply, true);
      if (begun === undefined) return reply;
      const { token, caller, countedAs, closed } = begun;
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
      if (first.status !== 200) return forwardRefusal(reply, first);
      const names = await readNames((path) =>
        downloads.read(countedAs(), () => api.page({ ...caller, isDownload: false }, token, path, closed)),
      );
      return asFile(reply, 'audit-log', 'csv')
        .type('text/csv; charset=utf-8; header=present')
        .send(Readable.from(auditEntriesAsCsv(first, read, names, closed)));
    },
  );
  /** The export of a patient, as the api sends it. */
  app.get<{ Params: { patientId: string } }>(
    '/downloads/patients/:patientId',
    { exposeHeadRoute: false },
    async (request, reply) => {
      const { patientId } = request.params;
      if (!ID.test(patientId)) throw new Refusal('NotFound', 'This path does not exist.');
      const begun = await begin(request, reply);
      if (begun === undefined) return reply;
      const { token, caller, countedAs, closed } = begun;
      const response = await downloads.read(countedAs(), () =>
        api.stream(caller, token, `/api/patients/${patientId}/export`, closed),
      );
      if (!('stream' in response)) return forwardRefusal(reply, response);
      return asFile(reply, `patient-${patientId}`, 'json')
        .type('application/json; charset=utf-8')
        .send(response.stream);
    },
  );
};
