import type { BatchWrite, WriteKind } from '@chairside/domain';

/** A well-formed write of a batch. `index` is its place. */
export type PlacedWrite = { index: number; write: BatchWrite };

/** The `_id`s of the records that have the external ids of a batch, by kind. */
export type Known = Readonly<Record<WriteKind, ReadonlyMap<string, string>>>;

const idKey = (kind: WriteKind, _id: string): string => `${kind} _id ${_id}`;
/** A record that exists may be named by both of its ids. */
const externalKeys = (kind: WriteKind, externalId: unknown, known: Known): string[] => {
  if (typeof externalId !== 'string') return [];
  const own = externalId.normalize('NFC');
  const _id = known[kind].get(own);
  return [`${kind} externalId ${own}`, ...(_id === undefined ? [] : [idKey(kind, _id)])];
};

/** What a write changes, and what it refers to. */
const namesOf = ({ kind, _id, externalId, body = {} }: BatchWrite, known: Known) => ({
  changed: [
    ...(_id === undefined ? [] : [idKey(kind, _id)]),
    ...externalKeys(kind, externalId, known),
    ...externalKeys(kind, body.externalId, known),
  ],
  referred: [
    ...(typeof body.patientId === 'string' ? [idKey('patient', body.patientId)] : []),
    ...externalKeys('patient', body.patientExternalId, known),
  ],
});

/**
 * Divides the writes of a batch into groups. The writes of a group may be made at once, and a group begins when the one
 * before it has ended: writes of one record are made in their order, and a write that refers to a record waits for the
 * writes of it that come first.
 */
export const inOrder = (writes: readonly PlacedWrite[], known: Known): PlacedWrite[][] => {
  /** The last group that changes a record, and the last that changes or refers to it. */
  const [changedIn, namedIn] = [new Map<string, number>(), new Map<string, number>()];
  const groups: PlacedWrite[][] = [];
  /** The first name of a record that a write has named in several ways. */
  const firstNames = new Map<string, string>();
  const firstNameOf = (name: string): string => {
    const first = firstNames.get(name);
    return first === undefined ? name : firstNameOf(first);
  };
  for (const placed of writes) {
    const names = namesOf(placed.write, known);
    const changed = [...new Set(names.changed.map(firstNameOf))];
    const referred = names.referred.map(firstNameOf);
    const after = [
      ...changed.map((name) => namedIn.get(name) ?? -1),
      ...referred.map((name) => changedIn.get(name) ?? -1),
    ];
    const group = Math.max(-1, ...after) + 1;
    if (group === groups.length) groups.push([]);
    groups[group]?.push(placed);
    for (const name of [...changed, ...referred]) namedIn.set(name, Math.max(group, namedIn.get(name) ?? -1));
    for (const name of changed) {
      changedIn.set(name, group);
      if (name !== changed[0] && changed[0] !== undefined) firstNames.set(name, changed[0]);
    }
  }
  return groups;
};

/** The external ids that the writes of a batch name, by kind. */
export const externalIdsIn = (writes: readonly PlacedWrite[]): Record<WriteKind, string[]> => {
  const named: Record<WriteKind, Set<string>> = { patient: new Set(), appointment: new Set() };
  const add = (kind: WriteKind, externalId: unknown): void => {
    if (typeof externalId === 'string') named[kind].add(externalId.normalize('NFC'));
  };
  for (const { write } of writes) {
    add(write.kind, write.externalId);
    add(write.kind, write.body?.externalId);
    add('patient', write.body?.patientExternalId);
  }
  return { patient: [...named.patient], appointment: [...named.appointment] };
};

/**
 * The places of those writes that must not be tried again, because a later write of the same record was made: they would
 * undo it.
 */
export const overtaken = (
  writes: readonly PlacedWrite[],
  known: Known,
  made: ReadonlyMap<number, { record: { _id: string; externalId?: string | undefined } }>,
): Set<number> => {
  const changedLater = new Set<string>();
  const found = new Set<number>();
  for (const { index, write } of writes.toReversed()) {
    const { changed } = namesOf(write, known);
    const result = made.get(index);
    if (result === undefined) {
      if (changed.some((name) => changedLater.has(name))) found.add(index);
      continue;
    }
    const { _id, externalId } = result.record;
    for (const name of [...changed, idKey(write.kind, _id), ...externalKeys(write.kind, externalId, known)])
      changedLater.add(name);
  }
  return found;
};
