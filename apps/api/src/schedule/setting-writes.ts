import {
  type Issue,
  inSchemaOrder,
  MAX_SETTINGS_OF,
  type ScheduleKind,
  type SettingKind,
  validationError,
  withChanges,
} from '@chairside/domain';
import type { OrganizationStore, Settings } from '@chairside/mongodb';
import type { z } from 'zod';
import { changesOf, withAuditEntry } from '../audit/security-actions.ts';
import { acceptedRevisions, etagOf } from '../records/entity-tags.ts';
import { reserveWrite } from '../records/idempotency.ts';
import type { WriteCall } from '../records/write-call.ts';
import { written } from '../records/written.ts';

/** How settings of one kind are written. */
export type SettingWrites<S extends { _id: string }> = {
  kind: SettingKind;
  /** The kind in audit entries. */
  audited: ScheduleKind;
  /** The plural in words, for messages. */
  many: string;
  schema: z.ZodObject;
  settings(store: OrganizationStore): Settings<S>;
  /**
   * Checks a new or changed setting.
   *
   * @param current the stored setting; undefined for a new one. An unchanged reference need not be checked again, because
   *   its target may have been deleted since
   */
  issuesOf(store: OrganizationStore, next: S, current: S | undefined): Promise<Issue[]>;
};

/** The fields of a body; `null` clears a field. */
export type Sent<S> = { readonly [K in keyof Omit<S, '_id'>]?: S[K] | null | undefined };

/** Creates a setting. */
export const createSetting = async <S extends { _id: string }>(
  { kind, audited, many, schema, settings, issuesOf }: SettingWrites<S>,
  call: WriteCall,
  fields: Sent<S>,
): Promise<S> => {
  const { request, reply } = call;
  const { store } = request;
  await using write = await reserveWrite(call, async ({ recordId }) => {
    const found = await settings(store).find(recordId);
    if (found !== undefined) reply.header('ETag', etagOf(found.revision));
    return found?.record;
  });
  const earlier = await write.earlier();
  if (earlier !== undefined) return earlier;
  const action = { action: 'created', kind: audited, ids: [], changes: changesOf(fields) } as const;
  const create = async (): Promise<S> => {
    const setting = inSchemaOrder(
      schema,
      withChanges({ _id: write.ids.recordId } as S, fields as Partial<S>),
    );
    const issues = await issuesOf(store, setting, undefined);
    if (issues.length > 0) throw validationError(issues);
    write.begin();
    if (await settings(store).create(setting)) return setting;
    write.refused();
    const message = `the organization already has ${MAX_SETTINGS_OF[kind].toLocaleString('en')} ${many}, the maximum; delete one first`;
    throw validationError([{ path: '', message, code: 'limit_reached' }]);
  };
  const created = await withAuditEntry(request, action, create, ({ _id }) => [_id]);
  reply.header('ETag', etagOf(1));
  return write.finish(created);
};

/** Changes the sent fields of a setting. An absent field stays as it is; `null` clears a field. */
export const updateSetting = async <S extends { _id: string }>(
  { audited, schema, settings, issuesOf }: SettingWrites<S>,
  { request, reply }: WriteCall,
  id: string,
  { _id, ...fields }: Sent<S> & { _id?: string | undefined },
): Promise<S> => {
  const { store } = request;
  const revisions = acceptedRevisions(request.headers['if-match']);
  const action = { action: 'updated', kind: audited, ids: [id], changes: changesOf(fields) } as const;
  const { record, revision } = await withAuditEntry(request, action, async () =>
    written(
      await settings(store).edit(
        id,
        async (current) => {
          const next = inSchemaOrder(schema, withChanges(current, fields as Partial<S>));
          const issues = await issuesOf(store, next, current);
          if (issues.length > 0) throw validationError(issues);
          return next;
        },
        revisions,
      ),
    ),
  );
  reply.header('ETag', etagOf(revision));
  return record;
};

/** Deletes a setting, and returns it. */
export const deleteSetting = async <S extends { _id: string }>(
  { audited, settings }: SettingWrites<S>,
  { request }: WriteCall,
  id: string,
): Promise<S> => {
  const revisions = acceptedRevisions(request.headers['if-match']);
  const action = { action: 'deleted', kind: audited, ids: [id] } as const;
  const { record } = await withAuditEntry(request, action, async () =>
    written(await settings(request.store).delete(id, revisions)),
  );
  return record;
};
