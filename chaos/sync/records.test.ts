import { expect, test } from 'vitest';
import { emptyState, openCopies, viewOf } from './records.ts';

const record = (_id: string, second: number, name: string) => ({
  _id,
  name,
  externalId: 'one',
  lastEditTime: `2030-01-31T00:00:0${second}.000Z`,
});

const openSystem = () => {
  const state = emptyState();
  return { ...openCopies(state), name: () => viewOf(state).one?.name, view: () => viewOf(state) };
};

test('an event that comes late changes nothing, and a deleted record does not return', () => {
  const system = openSystem();
  system.take('patient', record('first', 2, 'new'));
  system.take('patient', record('first', 1, 'old'));
  expect(system.name()).toBe('new');
  system.forget('first');
  system.take('patient', record('first', 3, 'late'));
  expect(system.name()).toBeUndefined();
});

test('of two records with an external id, the service says which one has it, and a late deletion is of the other', () => {
  const system = openSystem();
  system.take('patient', record('first', 5, 'first'));
  expect(system.take('patient', record('second', 1, 'second'))).toBe(false);
  expect(system.name()).toBe('first');
  system.replace('patient', 'one', record('second', 1, 'second'));
  system.forget('first');
  expect(system.name()).toBe('second');
});

test('a change stays until it is written, over what others have written meanwhile', () => {
  const system = openSystem();
  system.take('patient', record('first', 1, 'before'));
  system.change('patient', 'one', { name: 'own' });
  const [sent] = system.writes('clinic');
  system.take('patient', record('first', 3, 'of others'));
  expect(system.name()).toBe('own');
  system.change('patient', 'one', { name: 'own again' });
  // The response is older than the event, and than the second change.
  if (sent !== undefined)
    system.written(sent.write, sent.number, { status: 200, record: record('first', 2, 'own') as never });
  expect(system.writes('clinic')).toMatchObject([
    { write: { method: 'upsert', externalId: 'one', body: { name: 'own again' } } },
  ]);
  const [again] = system.writes('clinic');
  if (again !== undefined)
    system.written(again.write, again.number, {
      status: 200,
      record: record('first', 4, 'own again') as never,
    });
  expect(system.writes('clinic')).toEqual([]);
  expect(system.name()).toBe('own again');
});

test('a record that was deleted before its creation is answered leaves nothing', () => {
  const system = openSystem();
  system.change('patient', 'one', { name: 'own' });
  const [sent] = system.writes('clinic');
  system.forget('first');
  if (sent !== undefined)
    system.written(sent.write, sent.number, { status: 200, record: record('first', 1, 'own') as never });
  expect(system.view()).toEqual({});
});
