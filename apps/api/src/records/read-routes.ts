import { notFound, type RecordKind, type Scope } from '@chairside/domain';
import type { OrganizationStore, PageRow, RecordFilter, Records } from '@chairside/mongodb';
import { z } from 'zod';
import { auditRead } from '../audit/record-reads.ts';
import type { App, Dependencies } from '../context.ts';
import { pathId } from '../http/path-id.ts';
import { PRINCIPAL_LIFE } from '../http/principal-cache.ts';
import { rowSerializerOf } from '../http/serialization.ts';
import { cursor, limit } from '../lists/cursors.ts';
import { pagesOf } from '../lists/pages.ts';
import { fieldsOf, timeFilter } from '../lists/query.ts';
import { sendList } from '../lists/streamed-list.ts';
import { isUnchanged } from './entity-tags.ts';

/** What every list takes, beside its filters and `fields`. */
const everyList = {
  updatedSince: timeFilter(
    'Only those edited at this time or later, in the order of `lastEditTime`: how to poll.',
  ),
  limit: limit.optional(),
  cursor: cursor.optional(),
};
type EveryListQuery = z.output<z.ZodObject<typeof everyList>> & { fields?: string[] | undefined };

/** How one kind of record is read. */
export type RecordReads<R extends { _id: string }, Q extends z.ZodRawShape> = {
  /** The path of the list; one record is below it. */
  path: string;
  parameter: string;
  kind: RecordKind;
  scope: Scope;
  /** What the reference says of the list, its order above all. */
  description: string;
  schema: z.ZodObject;
  /** Query parameters of the list beside those that every list has. */
  filters: Q;
  toFilter: (query: z.output<z.ZodObject<Q>>) => RecordFilter;
  records: (store: OrganizationStore) => Records<R>;
};

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** GET of the list and of one record: what all kinds of record have in common. */
export const recordReadRoutes = <R extends { _id: string }, Q extends z.ZodRawShape>(
  app: App,
  { store }: Pick<Dependencies, 'store'>,
  { path, parameter, kind, scope, description, schema, filters, toFilter, records }: RecordReads<R, Q>,
): void => {
  const config = { access: { scope } } as const;
  const [one, many] = [parameter.slice(0, -2), path.slice('/api/'.length)];
  const tags = [capitalized(many)];
  const list = {
    tags,
    operationId: `list${capitalized(many)}`,
    summary: `List ${many}`,
    description: `${description} The array is complete unless \`limit\` is given; it is streamed, and one that breaks off is not valid JSON.`,
    rows: schema,
  };
  const single = {
    tags,
    operationId: `get${capitalized(one)}`,
    summary: `Get one ${one}`,
    description: 'One record, with its version in `ETag`.',
  };
  const stringify = rowSerializerOf(schema);
  const sendPage = pagesOf(store.secrets);
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

  app.get(path, { config, schema: { ...list, querystring } }, async (request, reply) => {
    const query = request.query as unknown as EveryListQuery & z.output<z.ZodObject<Q>>;
    const { updatedSince, fields, limit: size, cursor: begin } = query;
    const filter = { ...toFilter(query), updatedSince };
    const found = records(request.store);
    const release = async (ids: string[], part: number) => {
      // A long list is read for a while: who lost the right to it gets no further row.
      await request.authorizeAgain(PRINCIPAL_LIFE);
      await auditRead(request, { action: 'listed', kind, ids, part });
    };
    if (size === undefined) return sendList(reply, { rows: found.list(filter, fields), stringify, release });
    const ids: string[] = [];
    return sendPage<PageRow<R>>(reply, {
      list: path,
      request,
      limit: size,
      cursor: begin,
      filter,
      read([key = null, id = ''] = [], count) {
        const after = id === '' || id === null ? undefined : { key, id };
        return found.page(filter, { limit: count, after }, fields);
      },
      positionOf: ({ position: { key, id } }) => [key, id],
      stringify: ({ record }) => stringify(record),
      taken: ({ record }) => ids.push(record._id),
      release: () => release(ids, 1),
    });
  });

  const params = pathId(parameter);
  const response = { 200: schema, 304: z.undefined() };
  app.get(
    `${path}/:${parameter}`,
    { config: { ...config, versioned: true }, schema: { ...single, params, response } },
    async (request, reply) => {
      const id = (request.params as Record<string, string>)[parameter] ?? '';
      const found = await records(request.store).find(id);
      if (found === undefined) throw notFound();
      const isKnown = isUnchanged(request, reply, found.revision);
      await auditRead(request, {
        action: 'read',
        kind,
        ids: [id],
        ...(isKnown ? { result: 'not_modified' } : request.method === 'HEAD' && { result: 'headers' }),
      });
      if (isKnown) return reply.status(304).send(undefined);
      return found.record as Record<string, unknown>;
    },
  );
};
