import type { SettingFilter } from '@chairside/mongodb';
import type { z } from 'zod';
import type { App, Dependencies } from '../context.ts';
import { pathId } from '../http/path-id.ts';
import { namesOf, type RecordReads, recordReadRoutes } from '../records/read-routes.ts';
import {
  createSetting,
  deleteSetting,
  type Sent,
  type SettingWrites,
  updateSetting,
} from './setting-writes.ts';

/** The routes of one kind of setting. */
export type SettingRoutes<S extends { _id: string }, Q extends z.ZodRawShape> = SettingWrites<S> &
  Pick<RecordReads<S, Q, SettingFilter>, 'path' | 'parameter' | 'description' | 'filters' | 'toFilter'> & {
    createSchema: z.ZodType<Sent<S>>;
    updateSchema: z.ZodType<Sent<S> & { _id?: string | undefined }>;
    /** What the operations that write say about themselves. */
    writing: { create: string; update: string; delete: string };
    /** Adds the values that a new setting has if they were not sent. */
    complete?(sent: Sent<S>): Sent<S>;
  };

const config = { access: { role: 'administrator' }, versioned: true } as const;

/** Registers the routes of one kind of setting. Everybody with `clinics:read` reads it, administrators change it. */
export const settingRoutes = <S extends { _id: string }, Q extends z.ZodRawShape>(
  app: App,
  dependencies: Dependencies,
  kind: SettingRoutes<S, Q>,
): void => {
  const { path, parameter, description, filters, toFilter, schema, settings } = kind;
  const { createSchema, updateSchema, writing, complete = (sent) => sent } = kind;
  const { tags, one, operation } = namesOf(parameter);
  recordReadRoutes<S, Q, SettingFilter>(app, dependencies, {
    path,
    parameter,
    description,
    filters,
    toFilter,
    schema,
    scope: 'clinics:read',
    records: settings,
  });

  const params = pathId(parameter);
  const idIn = (request: { params: unknown }): string =>
    (request.params as Record<string, string>)[parameter] as string;
  const shared = { tags, response: { 200: schema } };

  app.post(
    path,
    {
      config: { ...config, idempotent: true },
      schema: {
        ...shared,
        operationId: `create${operation}`,
        summary: `Create a ${one}`,
        description: writing.create,
        body: createSchema,
      },
    },
    (request, reply) =>
      createSetting(kind, { request, reply }, complete(request.body as Sent<S>)) as Promise<never>,
  );

  app.put(
    `${path}/:${parameter}`,
    {
      config,
      schema: {
        ...shared,
        operationId: `update${operation}`,
        summary: `Change a ${one}`,
        description: writing.update,
        params,
        body: updateSchema,
      },
    },
    (request, reply) =>
      updateSetting(kind, { request, reply }, idIn(request), request.body as Sent<S>) as Promise<never>,
  );

  app.delete(
    `${path}/:${parameter}`,
    {
      config,
      schema: {
        ...shared,
        operationId: `delete${operation}`,
        summary: `Delete a ${one}`,
        description: writing.delete,
        params,
      },
    },
    (request, reply) => deleteSetting(kind, { request, reply }, idIn(request)) as Promise<never>,
  );
};
