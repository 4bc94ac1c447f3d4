import {
  type CalendarBlock,
  MAX_SETTINGS_OF,
  type Procedure,
  type Provider,
  type SettingKind,
} from '@chairside/domain';
import type { Document, Filter } from 'mongodb';
import type { Collection, Database } from '../driver/database.ts';
import { deleteUnique, findUnique } from '../driver/ferretdb.ts';
import { rowsOf } from '../driver/rows.ts';
import { insertIntoFreeSlot } from '../driver/slots.ts';
import { noCipher } from '../encryption/ciphers.ts';
import type { RecordReader, Stored } from '../records/record-lists.ts';
import type { Position } from '../records/record-query.ts';
import { toFields, toRecord } from '../records/record-shapes.ts';
import {
  MAX_WRITE_TRIES,
  onlyFields,
  type SettingDocument,
  type SettingWrite,
  settingShapes,
} from './practice-settings.ts';
import { matchingProcedures, overlappingBlocks } from './schedule-conditions.ts';

/** The conditions of a list of settings; a setting must meet all of them. Times are ISO 8601. */
export type SettingFilter = {
  /** Selects the settings of this clinic. A procedure that names no clinics belongs to all of them. */
  clinicId?: string | undefined;
  /** Selects the settings of any of these clinics, instead of `clinicId`. */
  clinicIds?: readonly string[] | undefined;
  /** Selects the calendar blocks of this provider. */
  providerId?: string | undefined;
  /** Selects calendar blocks that overlap this period: those that end after `from` and start before `to`. */
  from?: string | undefined;
  to?: string | undefined;
};

/** The settings of one kind in one organization. */
export type Settings<S> = RecordReader<S, SettingFilter> & {
  /**
   * Stores a new setting. The call may be repeated with the same `_id`.
   *
   * @returns false if the organization already has the maximum number of settings of this kind
   */
  create(setting: S): Promise<boolean>;
  /**
   * Replaces a setting by its next version. If another caller has written in between, it reads the setting and tries
   * again.
   *
   * @param change computes the next version; called again for each try; its errors are passed on
   * @param revisions the revisions that the caller accepts; any revision if absent
   */
  edit(
    id: string,
    change: (current: S) => S | Promise<S>,
    revisions?: readonly number[],
  ): Promise<SettingWrite<S>>;
  /**
   * Deletes a setting.
   *
   * @param revisions the revisions that the caller accepts; any revision if absent
   */
  delete(id: string, revisions?: readonly number[]): Promise<SettingWrite<S>>;
};

/** The settings of each kind. */
export type SettingOf = { provider: Provider; procedure: Procedure; 'calendar-block': CalendarBlock };

const dateOf = (time: string | undefined): Date | undefined =>
  time === undefined ? undefined : new Date(time);

const conditionsOf = (
  kind: SettingKind,
  {
    clinicId,
    clinicIds = clinicId === undefined ? undefined : [clinicId],
    providerId,
    from,
    to,
  }: SettingFilter,
): Document => {
  const ofClinics = clinicIds && { $in: [...clinicIds] };
  switch (kind) {
    case 'provider':
      return ofClinics === undefined ? {} : { clinicIds: ofClinics };
    case 'procedure':
      return matchingProcedures(clinicIds, undefined);
    case 'calendar-block':
      return {
        ...(ofClinics && { clinicId: clinicId ?? ofClinics }),
        ...(providerId !== undefined && { providerId }),
        ...overlappingBlocks({ from: dateOf(from), to: dateOf(to) }),
      };
  }
};

/** The field that a list is sorted by before `_id`. Every setting has it. */
const ORDER = { provider: 'name', procedure: 'name', 'calendar-block': 'startTime' } as const;

/** The number of documents in one batch of a list that is sent as a whole. */
const BATCH = 100;

/**
 * @param streamed the same database over connections without a time limit, for lists that are sent as a whole
 * @param organizationId every query of the returned repository contains this id
 */
export const settingsOf = <K extends SettingKind>(
  database: Database,
  streamed: Database,
  kind: K,
  organizationId: string,
): Settings<SettingOf[K]> => {
  type S = SettingOf[K];
  const shape = settingShapes[kind];
  const order = ORDER[kind];
  const sort = { [order]: 1, _id: 1 } as const;
  const collection: Collection<SettingDocument> = database.collection(shape.collection);
  const projectionOf = (fields: readonly string[] = Object.keys(shape.fields)) =>
    onlyFields([...fields, '_id']);
  const matching = (filter: SettingFilter): Filter<SettingDocument> => ({
    organizationId,
    ...conditionsOf(kind, filter),
  });
  const keyOf = (document: Document): string => {
    const value = document[order];
    return value instanceof Date ? value.toISOString() : value;
  };
  const behind = ({ key, id }: Position): Filter<SettingDocument> => {
    const value = kind === 'calendar-block' ? new Date(key ?? 0) : key;
    // The range comes first, because MongoDB derives no index bounds from `$or`.
    return {
      [order]: { $gte: value },
      $or: [{ [order]: { $gt: value } }, { [order]: value, _id: { $gt: id } }],
    };
  };

  const find = async (id: string): Promise<Stored<S> | undefined> => {
    const found = await findUnique(
      collection,
      { _id: id, organizationId },
      onlyFields([...Object.keys(shape.fields), 'revision']),
    );
    return found && { record: toRecord<S>(shape, found, noCipher), revision: found.revision };
  };

  /** @param apply writes on condition of the revision, and returns what it has written; undefined if that has changed */
  const write = async (
    id: string,
    revisions: readonly number[] | undefined,
    apply: (current: Stored<S>) => Promise<S | undefined>,
  ): Promise<SettingWrite<S>> => {
    for (let tries = 0; tries < MAX_WRITE_TRIES; tries++) {
      const current = await find(id);
      if (current === undefined) return { outcome: 'missing' };
      if (revisions !== undefined && !revisions.includes(current.revision)) return { outcome: 'stale' };
      const record = await apply(current);
      if (record !== undefined) return { outcome: 'written', record, revision: current.revision + 1 };
    }
    return { outcome: 'busy' };
  };

  return {
    find,

    create: (setting) => {
      const document = {
        ...toFields(shape, setting, noCipher),
        _id: setting._id,
        organizationId,
        revision: 1,
      };
      return insertIntoFreeSlot(collection, document, {
        scope: { organizationId },
        maximum: MAX_SETTINGS_OF[kind],
      });
    },

    edit: (id, change, revisions) =>
      write(id, revisions, async ({ record, revision }) => {
        const next = await change(record);
        const { _id, ...fields } = toFields(shape, next, noCipher);
        const cleared = Object.keys(shape.fields).filter((field) => field !== '_id' && !(field in fields));
        const { matchedCount } = await collection.updateOne(
          { _id: id, organizationId, revision },
          {
            $set: fields,
            ...(cleared.length > 0 && { $unset: Object.fromEntries(cleared.map((field) => [field, ''])) }),
            $inc: { revision: 1 },
          },
        );
        return matchedCount === 1 ? next : undefined;
      }),

    delete: (id, revisions) =>
      write(id, revisions, async ({ record, revision }) =>
        (await deleteUnique(collection, { _id: id, organizationId, revision })) ? record : undefined,
      ),

    list: (filter, fields) =>
      rowsOf(
        streamed
          .collection<SettingDocument>(shape.collection)
          .find(matching(filter), { projection: projectionOf(fields), sort, batchSize: BATCH }),
        (document) => toRecord<S>(shape, document, noCipher, fields),
      ),

    // The number of settings of an organization is limited, so a page may examine all of them.
    page: (filter, { limit, after }, fields) => ({
      stoppedAt: () => undefined,
      rows: rowsOf(
        collection.find(
          { $and: [matching(filter), ...(after === undefined ? [] : [behind(after)])] },
          {
            projection: { ...projectionOf(fields), [order]: 1 },
            sort,
            limit,
            batchSize: limit + 1,
          },
        ),
        (document) => ({
          record: toRecord<S>(shape, document, noCipher, fields),
          position: { key: keyOf(document), id: document._id },
        }),
      ),
    }),
  };
};
