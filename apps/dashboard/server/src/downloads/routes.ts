import { Readable } from 'node:stream';
import { type AuditEntry, clock, type Delivery, Refusal } from '@chairside/domain';
import { closedSignal } from '@chairside/http-server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiPage, ApiResponse } from '../api.ts';
import type { App, Dependencies } from '../context.ts';
import { callerOf, pass } from '../http/caller.ts';
import { createDownloadAdmission } from './admission.ts';
import { auditEntryColumns } from './audit-entries.ts';
import { type Columns, listAsCsv, type Names } from './csv.ts';
import { deliveryColumns, MAX_DELIVERIES } from './deliveries.ts';

/** Number of rows of a page that is requested from the api. */
const PAGE_SIZE = '1000';

/** A list that has names, and the field that is the name. */
type NamedList = { path: string; field: string };

/**
 * Reads the names that a file has beside ids. A list that cannot be read leaves its names out, because the ids in the file
 * are sufficient.
 */
const readNames = async (
  lists: readonly NamedList[],
  read: (path: string) => Promise<ApiPage>,
): Promise<Names> => {
  const names = await Promise.all(
    lists.map(async ({ path, field }) => {
      const { status, body } = await read(path).catch(() => ({ status: 503, body: [] }));
      const rows: Record<string, string>[] = status === 200 && Array.isArray(body) ? body : [];
      return rows.map((row): [string, string] => [row._id ?? '', row[field] ?? '']);
    }),
  );
  return new Map(names.flat());
};

/** A list of the api that can be downloaded as CSV. */
type Download<Row> = {
  /** The route, which accepts the filters of the list. */
  route: string;
  list: string;
  fileName: string;
  columns: Columns<Row>;
  names: readonly NamedList[];
  /** Whether the api audits the download. */
  isAudited?: boolean;
  maxRows?: number;
};

const AUDIT_ENTRIES: Download<AuditEntry> = {
  route: '/downloads/auditentries.csv',
  list: '/api/auditentries',
  fileName: 'audit-log',
  columns: auditEntryColumns,
  names: [
    { path: '/api/operators', field: 'email' },
    { path: '/api/apikeys', field: 'name' },
    { path: '/api/sessions/current/tokens', field: 'name' },
  ],
  isAudited: true,
};

const DELIVERIES: Download<Delivery> = {
  route: '/downloads/deliveries.csv',
  list: '/api/webhookdeliveries',
  fileName: 'deliveries',
  columns: deliveryColumns,
  names: [{ path: '/api/clinics', field: 'name' }],
  maxRows: MAX_DELIVERIES,
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
  /** If the api refuses the first page, the refusal is forwarded. */
  const serve = <Row>({ route, list, fileName, columns, names: lists, isAudited, maxRows }: Download<Row>) =>
    app.get<{ Querystring: Record<string, string | string[]> }>(
      route,
      { exposeHeadRoute: false },
      async (request, reply) => {
        const begun = await begin(request, reply, isAudited);
        if (begun === undefined) return reply;
        const { token, caller, countedAs, closed } = begun;
        const readNext = (cursor?: string) => {
          const query = new URLSearchParams();
          for (const [name, values] of Object.entries(request.query))
            for (const value of [values].flat()) query.append(name, value);
          query.set('limit', PAGE_SIZE);
          query.delete('cursor');
          if (cursor !== undefined) query.set('cursor', cursor);
          return downloads.read(countedAs(), () => api.page(caller, token, `${list}?${query}`, closed));
        };
        const first = await readNext();
        if (first.status !== 200) return forwardRefusal(reply, first);
        const names = await readNames(lists, (path) =>
          downloads.read(countedAs(), () => api.page({ ...caller, isDownload: false }, token, path, closed)),
        );
        const lines = listAsCsv({
          ...{ columns, first, readNext, names, signal: closed },
          ...(maxRows !== undefined && { maxRows }),
        });
        return asFile(reply, fileName, 'csv')
          .type('text/csv; charset=utf-8; header=present')
          .send(Readable.from(lines));
      },
    );
  serve(AUDIT_ENTRIES);
  serve(DELIVERIES);
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
