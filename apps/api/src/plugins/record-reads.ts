import { instant, notFound, type Scope, text } from '@chairside/domain';
import type { OrganizationStore, Position, RecordFilter, Records } from '@chairside/mongodb';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { App, Dependencies } from '../app.ts';
import { type Cursors, createCursors } from './cursor.ts';
import { isUnchanged } from './etag.ts';
import { pathId } from './path-id.ts';
import { fieldsOf } from './query.ts';
import { rowSerializerOf } from './serialization.ts';
import { sendList } from './streamed-list.ts';

/** The most records on a page. */
const MAX_LIMIT = 1000;

const limit = z
  .string()
  .regex(/^\d{1,4}$/, { abort: true, error: `must be a whole number from 1 to ${MAX_LIMIT}` })
  .transform(Number)
  .refine((value) => value >= 1 && value <= MAX_LIMIT, `must be a whole number from 1 to ${MAX_LIMIT}`);

/** What every list takes, beside its filters and `fields`. */
const everyList = {
  updatedSince: instant.optional(),
  limit: limit.optional(),
  cursor: text(2000).optional(),
};
type EveryListQuery = z.output<z.ZodObject<typeof everyList>> & { fields?: string[] | undefined };

const positionSchema = z.object({ key: z.string().nullable(), id: z.string() });

/** How one kind of record is read. */
export type RecordReads<R, Q extends z.ZodRawShape> = {
  /** The path of the list; one record is below it. */
  path: string;
  parameter: string;
  scope: Scope;
  schema: z.ZodObject;
  /** Query parameters of the list beside those that every list has. */
  filters: Q;
  toFilter: (query: z.output<z.ZodObject<Q>>) => RecordFilter;
  records: (store: OrganizationStore) => Records<R>;
};

const nextLink = (request: FastifyRequest, path: string, cursor: string): string => {
  const query = new URLSearchParams(request.originalUrl.split('?')[1]);
  query.set('cursor', cursor);
  return `<${path}?${query}>; rel="next"`;
};

type Page = { limit: number; cursor?: string | undefined };

const readPage = async <R>(
  request: FastifyRequest,
  reply: FastifyReply,
  { records, cursors, path }: { records: Records<R>; cursors: Cursors<Position>; path: string },
  { limit: size, cursor }: Page,
  filter: RecordFilter,
  fields: string[] | undefined,
): Promise<R[]> => {
  const place = { organizationId: request.principal.organizationId, list: path, filter };
  const position = cursor === undefined ? undefined : cursors.open(cursor, place);
  const { records: rows, next } = await records.page(filter, { limit: size, after: position }, fields);
  if (next !== undefined) {
    const sealed = cursors.seal(next, place);
    reply.header('X-Next-Cursor', sealed).header('Link', nextLink(request, path, sealed));
  }
  return rows;
};

async function* each<R>(rows: readonly R[]): AsyncGenerator<R> {
  yield* rows;
}

/** GET of the list and of one record: what all kinds of record have in common. */
export const recordReads = <R, Q extends z.ZodRawShape>(
  app: App,
  { store }: Dependencies,
  { path, parameter, scope, schema, filters, toFilter, records }: RecordReads<R, Q>,
): void => {
  const config = { access: { scope } } as const;
  const stringifyRow = rowSerializerOf(schema);
  const cursors = createCursors<Position>(store.secrets, positionSchema);
  const querystring = z
    .strictObject({ ...filters, ...everyList, fields: fieldsOf(schema) })
    .refine(
      (query) =>
        (query as EveryListQuery).cursor === undefined || (query as EveryListQuery).limit !== undefined,
      {
        path: ['limit'],
        message: 'is required with cursor',
      },
    );

  app.get(path, { config, schema: { querystring } }, async (request, reply) => {
    const query = request.query as unknown as EveryListQuery & z.output<z.ZodObject<Q>>;
    const { updatedSince, fields, limit: size, cursor } = query;
    const filter = { ...toFilter(query), updatedSince };
    const found = records(store.organization(request.principal.organizationId));
    if (size === undefined) return sendList(reply, found.list(filter, fields), stringifyRow);
    const list = { records: found, cursors, path };
    const rows = await readPage(request, reply, list, { limit: size, cursor }, filter, fields);
    return sendList(reply, each(rows), stringifyRow);
  });

  const params = pathId(parameter);
  const response = { 200: schema, 304: z.undefined() };
  app.get(`${path}/:${parameter}`, { config, schema: { params, response } }, async (request, reply) => {
    const id = (request.params as Record<string, string>)[parameter] ?? '';
    const found = await records(store.organization(request.principal.organizationId)).find(id);
    if (found === undefined) throw notFound();
    if (isUnchanged(request, reply, found.revision)) return reply.status(304).send(undefined);
    return found.record as Record<string, unknown>;
  });
};
