import type { BatchWrite, WriteResult } from '@chairside/client';

export type Kind = BatchWrite['kind'];
/** The fields that both systems have. A missing one is null. */
export type Fields = Record<string, string | null>;
/** A record as the service returned it, or sent it in an event. */
export type Known = { _id: string; lastEditTime: string; externalId?: string };

/** A record of a system, by its external id. */
type Copy = {
  kind: Kind;
  /** What the service has, as far as it is known. */
  service?: { _id: string; lastEditTime: string; fields: Fields };
  /** What was changed here, and is not written yet. The number tells one change from another. */
  change?: { number: number; fields: Fields } | { number: number; isDeletion: true };
};

/** What a system keeps in its file. */
export type State = {
  /** The position in the event log; undefined before the first event. */
  cursor?: string;
  /** The number of changes so far. */
  changes: number;
  copies: Record<string, Copy>;
  /** The ids of records that do not exist any more. Such an id never returns, but an event of it may come late. */
  gone: string[];
};

/** What two systems and the service have in the end, by external id. */
export type SyncEvidence = {
  systems: Readonly<Record<string, { records: Readonly<Record<string, Fields>>; unwritten: number }>>;
  service: readonly { externalId: string; fields: Fields }[];
};

export const emptyState = (): State => ({ changes: 0, copies: {}, gone: [] });

const FIELDS: Readonly<Record<Kind, readonly string[]>> = {
  patient: ['name', 'phone', 'language'],
  appointment: ['status', 'patientId'],
};

/** The fields of a record that both systems have. */
export const fieldsOf = (kind: Kind, record: object): Fields =>
  Object.fromEntries(
    FIELDS[kind].map((name) => [name, (record as Record<string, string | undefined>)[name] ?? null]),
  );

/** The records as a user of the system sees them. */
export const viewOf = ({ copies }: State): Record<string, Fields> =>
  Object.fromEntries(
    Object.entries(copies).flatMap(([externalId, { service, change }]) =>
      change !== undefined && 'isDeletion' in change
        ? []
        : [[externalId, { ...service?.fields, ...change?.fields }]],
    ),
  );

/** The copies of a system, and the rules by which it stays equal to the service. */
export const openCopies = (state: State) => {
  const { copies } = state;
  const gone = new Set(state.gone);

  /** Forgets a record that does not exist any more, with what was changed here: the deletion wins. */
  const forget = (_id: string): void => {
    if (!gone.has(_id)) {
      gone.add(_id);
      state.gone.push(_id);
    }
    for (const [externalId, { service }] of Object.entries(copies))
      if (service?._id === _id) delete copies[externalId];
  };

  /** Keeps what the service has. @returns false if only the service can say which of two records has the external id */
  const take = (kind: Kind, record: Known): boolean => {
    const { _id, lastEditTime, externalId } = record;
    if (externalId === undefined || gone.has(_id)) return true;
    copies[externalId] ??= { kind };
    const copy = copies[externalId];
    if (copy.service !== undefined && copy.service._id !== _id) return false;
    // Events may arrive in another order than that of the changes. The time of a record only grows.
    if (copy.service === undefined || copy.service.lastEditTime < lastEditTime)
      copy.service = { _id, lastEditTime, fields: fieldsOf(kind, record) };
    return true;
  };

  return {
    take,
    forget,

    /** The record that the service has under an external id, as far as it is known. */
    idOf: (externalId: string): string | undefined => copies[externalId]?.service?._id,

    /** Keeps what the service says about an external id. @param record undefined if no record has it */
    replace(kind: Kind, externalId: string, record: Known | undefined): void {
      const before = copies[externalId]?.service?._id;
      if (before !== undefined && before !== record?._id) forget(before);
      if (record !== undefined) take(kind, record);
      else delete copies[externalId];
    },

    /** Changes a record here. It is written later. */
    change(kind: Kind, externalId: string, fields: Fields | undefined): void {
      copies[externalId] ??= { kind };
      const copy = copies[externalId];
      const number = ++state.changes;
      const earlier = copy.change !== undefined && 'fields' in copy.change ? copy.change.fields : {};
      copy.change =
        fields === undefined ? { number, isDeletion: true } : { number, fields: { ...earlier, ...fields } };
    },

    /** The writes of all changes, and the numbers of these. */
    writes(clinicId: string): { write: BatchWrite; number: number }[] {
      return Object.entries(copies).flatMap(([externalId, { kind, change }]) => {
        if (change === undefined) return [];
        const write: BatchWrite =
          'isDeletion' in change
            ? { method: 'delete', kind, externalId }
            : { method: 'upsert', kind, externalId, body: { clinicId, ...change.fields } };
        return [{ write, number: change.number }];
      });
    },

    /**
     * Notes that a change was written. A later change of the same record stays.
     *
     * @returns what `take` returns
     */
    written(
      { method, kind, externalId = '' }: BatchWrite,
      number: number,
      { _id, record }: WriteResult,
    ): boolean {
      if (copies[externalId]?.change?.number === number) delete copies[externalId].change;
      const isKnown = method === 'delete' || record === undefined || take(kind, record);
      if (method === 'delete' && _id !== undefined) forget(_id);
      const copy = copies[externalId];
      // The event of its deletion has come before this response.
      if (copy?.service === undefined && copy?.change === undefined) delete copies[externalId];
      return isKnown;
    },
  };
};
