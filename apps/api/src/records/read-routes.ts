import { notFound, type RecordKind, type Scope, type TokenAccess } from '@chairside/domain';
import { closedSignal } from '@chairside/http-server';
import {
  MAX_EXAMINING_MS,
  type OrganizationStore,
  type PageRow,
  type RecordPage,
  type RecordReader,
} from '@chairside/mongodb';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { auditRead } from '../audit/record-reads.ts';
import type { App, Dependencies } from '../context.ts';
import { pathExternalId, pathId } from '../http/path-id.ts';
import { PRINCIPAL_LIFE_MS } from '../http/principal-cache.ts';
import { serializerOf } from '../http/serialization.ts';
import { pagesOf } from '../lists/pages.ts';
import {
  cursorParameter,
  examinedWith,
  fieldsIn,
  fieldsOf,
  limitIn,
  limitParameter,
  timeFilter,
} from '../lists/query.ts';
import { sendList } from '../lists/streamed-list.ts';
import { isUnchanged } from './entity-tags.ts';

/** The query parameters that all lists have, besides `fields`. */
const everyList = { limit: limitParameter.optional(), cursor: cursorParameter.optional() };
/** The query parameter of lists whose rows have a `lastEditTime`. */
const updatedSince = timeFilter(
  'Only records that were edited at this time or later, in the order of `lastEditTime`. Use it to poll.',
);
type EveryListQuery = z.output<z.ZodObject<typeof everyList>> & {
  fields?: string[] | undefined;
  updatedSince?: string | undefined;
};

/** The routes that read one kind of record, or of setting. */
export type RecordReads<R extends { _id: string }, Q extends z.ZodRawShape, F extends object> = {
  /** The path of the list. The path of one record begins with it. */
  path: string;
  /** The name of the path parameter: that of the record, with `Id`. */
  parameter: string;
  /** The kind of record, for the audit entries; absent for settings. */
  kind?: RecordKind;
  scope: Scope;
  /** Program tokens with this access read them, too. */
  program?: TokenAccess;
  /** The description of the list in the reference, above all its order. */
  description: string;
  schema: z.ZodObject;
  /** The query parameters of the list, besides those of every list. */
  filters: Q;
  /** The same filters as fields of a body, for a search whose values must not be in an address. */
  searchFilters?: { [Name in keyof Q]: z.ZodType<z.output<Q[Name]>> };
  toFilter: (query: z.output<z.ZodObject<Q>>) => F;
  records: (store: OrganizationStore) => RecordReader<R, F>;
  /** Finds a record by its external id, for kinds that have a route for it. */
  findByExternalId?: (store: OrganizationStore, externalId: string) => ReturnType<RecordReader<R, F>['find']>;
};

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
/** `calendarBlock` in words: `calendar block`. */
const inWords = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** The tag, the words and the names of the operations of a kind of record, from the name of its path parameter. */
export const namesOf = (parameter: string) => {
  const one = parameter.slice(0, -'Id'.length);
  return {
    tags: [capitalized(inWords(`${one}s`))],
    one: inWords(one),
    many: inWords(`${one}s`),
    operation: capitalized(one),
  };
};

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a POST changes nothing. */
    reads?: true;
  }
}

/** A cursor belongs to a page. */
const withPage = <S extends z.ZodObject>(query: S) =>
  query.refine(
    (sent) => (sent as EveryListQuery).cursor === undefined || (sent as EveryListQuery).limit !== undefined,
    { path: ['limit'], message: 'is required if cursor is set' },
  );

const accessTo = ({ scope, program }: { scope: Scope; program?: TokenAccess }) => ({
  scope,
  ...(program && { program }),
});

const listRoutes = <R extends { _id: string }, Q extends z.ZodRawShape, F extends object>(
  app: App,
  { store }: Pick<Dependencies, 'store'>,
  reads: RecordReads<R, Q, F>,
): void => {
  const { path, parameter, kind, description, schema, filters, searchFilters, toFilter, records } = reads;
  const config = { access: accessTo(reads) };
  const { tags, many, operation } = namesOf(parameter);
  const isDated = 'lastEditTime' in schema.shape;
  const costly = searchFilters === undefined ? 'several filters' : '`name`, `phone` or several filters';
  const examined = isDated
    ? ` ${examinedWith(`\`limit\` and ${costly}, or with \`limit\`, \`updatedSince\` and a key of some clinics,`)}`
    : '';
  const examining =
    searchFilters === undefined
      ? ''
      : ` The page also ends if the search has compared patients for ${MAX_EXAMINING_MS} ms.`;
  const rows = {
    tags,
    description: `${description} Without \`limit\`, the array contains all rows and is streamed. If the stream breaks, the received part is not valid JSON.${examined}${examining}`,
    rows: schema,
  };
  const stringify = serializerOf(schema);
  const sendPage = pagesOf(store.secrets);

  const send = async (
    request: FastifyRequest,
    reply: FastifyReply,
    query: EveryListQuery & z.output<z.ZodObject<Q>>,
  ): Promise<FastifyReply> => {
    const { fields, limit, cursor } = query;
    const filter = { ...toFilter(query), ...(isDated && { updatedSince: query.updatedSince }) };
    const found = records(request.store);
    const release = async (ids: string[], part: number) => {
      // Reading a long list takes a while. A caller that loses its access during that time receives no more rows.
      await request.authorizeAgain(PRINCIPAL_LIFE_MS);
      if (kind !== undefined) await auditRead(request, { action: 'listed', kind, ids, part });
    };
    const signal = closedSignal(reply.raw);
    if (limit === undefined)
      return sendList(reply, { rows: found.list(filter, fields, signal), stringify, release });
    const ids: string[] = [];
    let page: RecordPage<R> | undefined;
    return sendPage<PageRow<R>>(reply, {
      list: path,
      request,
      limit,
      cursor,
      filter,
      read([key = null, id = ''] = [], count) {
        const after = id === '' || id === null ? undefined : { key, id };
        page = found.page(filter, { limit: count, after, signal }, fields);
        return page.rows;
      },
      stoppedAt() {
        const stop = page?.stoppedAt();
        return stop && [stop.key, stop.id];
      },
      positionOf: ({ position: { key, id } }) => [key, id],
      stringify: ({ record }) => stringify(record),
      taken: ({ record }) => ids.push(record._id),
      release: () => release(ids, 1),
    });
  };

  const dated = isDated && { updatedSince };
  const querystring = withPage(
    z.strictObject({ ...filters, ...dated, ...everyList, fields: fieldsOf(schema) }),
  );
  const list = { ...rows, operationId: `list${operation}s`, summary: `List ${many}`, querystring };
  app.get(path, { config, schema: list }, (request, reply) =>
    send(request, reply, request.query as Parameters<typeof send>[2]),
  );
  if (searchFilters === undefined) return;

  const body = withPage(
    z.strictObject({
      ...searchFilters,
      ...dated,
      limit: limitIn,
      cursor: cursorParameter.optional(),
      fields: fieldsIn(schema),
    }),
  ).meta({ id: `${operation}Search` });
  const search = {
    ...rows,
    operationId: `search${operation}s`,
    summary: `Search ${many}`,
    description: `${rows.description} The same list as that of a GET, with the filters in the body, so that no proxy writes them into its log. It changes nothing. \`X-Next-Cursor\` is the \`cursor\` of the next page.`,
    body,
  };
  app.post(`${path}/search`, { config: { ...config, reads: true }, schema: search }, (request, reply) =>
    send(request, reply, request.body as Parameters<typeof send>[2]),
  );
};

const recordRoutes = <R extends { _id: string }, Q extends z.ZodRawShape, F extends object>(
  app: App,
  { path, parameter, kind, schema, records, findByExternalId, ...reads }: RecordReads<R, Q, F>,
): void => {
  const { tags, one, operation } = namesOf(parameter);
  const config = { access: accessTo(reads), versioned: true } as const;
  const single = {
    tags,
    description: 'Returns one record, with its version in `ETag`.',
    response: { 200: schema, 304: z.undefined() },
  };
  const send = async (
    request: FastifyRequest,
    reply: FastifyReply,
    found: { record: R; revision: number } | undefined,
  ) => {
    if (found === undefined) throw notFound();
    const isKnown = isUnchanged(request, reply, found.revision);
    if (kind !== undefined)
      await auditRead(request, {
        action: 'read',
        kind,
        ids: [found.record._id],
        ...(isKnown ? { result: 'not_modified' } : request.method === 'HEAD' && { result: 'headers' }),
      });
    if (isKnown) return reply.status(304).send(undefined);
    return found.record as Record<string, unknown>;
  };
  app.get(
    `${path}/:${parameter}`,
    {
      config,
      schema: {
        ...single,
        operationId: `get${operation}`,
        summary: `Get one ${one}`,
        params: pathId(parameter),
      },
    },
    async (request, reply) => {
      const id = (request.params as Record<string, string>)[parameter] ?? '';
      return send(request, reply, await records(request.store).find(id));
    },
  );
  if (findByExternalId === undefined) return;
  app.get(
    `${path}/external/:externalId`,
    {
      config,
      schema: {
        ...single,
        operationId: `get${operation}ByExternalId`,
        summary: `Get one ${one} by external id`,
        params: pathExternalId,
      },
    },
    async (request, reply) =>
      send(request, reply, await findByExternalId(request.store, request.params.externalId)),
  );
};

/** Registers the routes that read records of one kind: the list, its search, and one record. */
export const recordReadRoutes = <R extends { _id: string }, Q extends z.ZodRawShape, F extends object>(
  app: App,
  dependencies: Pick<Dependencies, 'store'>,
  reads: RecordReads<R, Q, F>,
): void => {
  listRoutes(app, dependencies, reads);
  recordRoutes(app, reads);
};
