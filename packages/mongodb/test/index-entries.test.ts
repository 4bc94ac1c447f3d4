import { deliveryId, newId } from '@chairside/domain';
import type { Document } from 'mongodb';
import { expect, test } from 'vitest';
import { ended, ofEvents, runsOf, toDocument } from '../src/deliveries/deliveries.ts';
import { type StoredEvent, toLogged } from '../src/events/event-document.ts';
import { indexes } from '../src/preparation/indexes.ts';

const OPERATORS: Readonly<Record<string, (value: unknown, bound: never) => boolean>> = {
  $exists: (value, isPresent) => (value !== undefined) === isPresent,
  $gt: (value, bound) => value !== undefined && (value as number) > bound,
  $gte: (value, bound) => value !== undefined && (value as number) >= bound,
  $in: (value, values: unknown[]) => values.includes(value),
};

const at = (document: Document, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Document | undefined)?.[name], document);

/** Whether a document is in a partial index. Conditions with another operator throw. */
const isIndexed = (document: Document, condition: Document = {}): boolean =>
  Object.entries(condition).every(([path, expected]) => {
    const value = at(document, path);
    if (typeof expected !== 'object') return value === expected;
    return Object.entries(expected).every(([name, bound]) => OPERATORS[name]?.(value, bound as never));
  });

/** The entries of a document in the indexes of its collection, with that of `_id`. */
const entriesOf = (collection: string, document: Document): Set<string> => {
  const entries = (indexes[collection] ?? [])
    .filter(({ partialFilterExpression }) => isIndexed(document, partialFilterExpression))
    .flatMap(({ name, key }) =>
      Object.keys(key).reduce<string[]>(
        (prefixes, path) =>
          [at(document, path)].flat().flatMap((value) => prefixes.map((prefix) => `${prefix} ${value}`)),
        [String(name)],
      ),
    );
  return new Set(['_id', ...entries]);
};

/** The number of entries that are written when a document gets these states one after the other. */
const written = (collection: string, states: readonly Document[]): number => {
  const before = [{}, ...states.slice(0, -1)].map((state, index) =>
    index === 0 ? new Set<string>() : entriesOf(collection, state),
  );
  return states.reduce<number>(
    (sum, state, index) =>
      sum + [...entriesOf(collection, state)].filter((entry) => !before[index]?.has(entry)).length,
    0,
  );
};

const now = new Date();
const ref = { organizationId: 'o', clinicId: 'c', subscriptionId: 's' };

test('a delivery that is sent at once writes six index entries with its outcome, and one that waits writes eight', () => {
  const eventId = newId();
  const made = {
    ...{ _id: deliveryId(eventId, 's'), ...ref, eventId, event: 'patient.created', kind: 'event' as const },
    requestId: newId(),
    bodyBytes: 1000,
  };
  const claim = { token: 't', worker: 'w', claimedAt: now };
  const sending = toDocument({ ...made, claim }, now);
  const final = {
    ...sending,
    status: 'succeeded',
    attemptTime: now,
    duration: 1,
    statusCode: 200,
    ...ended(now),
  };
  expect(written('deliveries', [sending, final])).toBe(6);
  const queued = toDocument(made, now);
  expect(written('deliveries', [queued, { ...queued, ...claim, status: 'sending' }, final])).toBe(8);
});

test('events of one run happened within a second of each other, and their deliveries lie between two ids', () => {
  const from = Date.now();
  const [first, second, third] = [0, 1000, 2001].map((ms) => newId(new Date(from + ms))) as [
    string,
    string,
    string,
  ];
  expect(runsOf([third, first, second])).toEqual([[first, second], [third]]);
  expect(runsOf([])).toEqual([]);
  const { _id } = ofEvents([second, first]);
  for (const eventId of [first, second])
    for (const part of [newId(), `${newId()}-${newId()}`]) {
      const id = deliveryId(eventId, part);
      expect(id > _id.$gt && id < _id.$lt).toBe(true);
    }
  expect(deliveryId(third, newId()) < _id.$lt).toBe(false);
});

test('the event of a patient and its audit entry write eleven index entries, those of an appointment twelve', () => {
  const event = {
    ...{ _id: newId(), organizationId: 'o', clinicIds: ['c'], event: 'patient.created', kind: 'patient' },
    ...{ recordId: 'p', patientId: 'p' },
  } as unknown as StoredEvent;
  const entry = {
    ...{ _id: newId(), organizationId: 'o', time: now, action: 'created', kind: 'patient', ids: ['p'] },
    ...{ principal: { kind: 'apiKey', id: 'k' }, result: 'ok', requestId: newId(), expireAt: now },
  };
  const ofAudit = written('auditEntries', [entry]);
  const ofEvent = (made: StoredEvent) =>
    written('events', [{ ...toLogged(made), insertedAt: now, retainUntil: now }]);
  expect(ofEvent(event) + ofAudit).toBe(11);
  expect(ofEvent({ ...event, recordId: 'a' }) + ofAudit).toBe(12);
});
