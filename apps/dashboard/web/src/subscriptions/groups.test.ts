import { expect, test } from 'vitest';
import { eventsText, groupsOf } from './groups.ts';

test('subscriptions with the same URL and events are a group, in any order of the events', () => {
  const of = (_id: string, url: string, events: string[]) => ({ _id, url, events: events as [] });
  const groups = groupsOf([
    of('a', 'https://one.example', ['patient.*', 'invoice.paid']),
    of('b', 'https://two.example', []),
    of('c', 'https://one.example', ['invoice.paid', 'patient.*']),
    of('d', 'https://one.example', []),
  ]);
  expect(groups.map(({ members }) => members.map(({ _id }) => _id))).toEqual([['a', 'c'], ['b'], ['d']]);
  expect(eventsText({ events: [] })).toBe('all events');
  expect(eventsText({ events: ['patient.*', 'invoice.paid'] })).toBe('patient.*, invoice.paid');
});
