import type { WebhookSubscription } from '@chairside/client';
import { expect, test } from 'vitest';
import { eventsText, groupsOf, namesOf } from './groups.ts';

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

test('the names of subscriptions with the same URL have the clinic and the state, then the id', () => {
  const of = (_id: string, url: string, clinicId: string, change: Partial<WebhookSubscription>) =>
    ({ _id, url, clinicId, active: false, ...change }) as WebhookSubscription;
  const names = namesOf(
    [
      of('SUB-AAAA', 'https://one.example', 'c1', { state: 'replaced' }),
      of('SUB-BBBB', 'https://one.example', 'c1', { state: 'replaced' }),
      of('SUB-CCCC', 'https://one.example', 'c1', { state: 'new', replaces: 'SUB-BBBB' }),
      of('SUB-DDDD', 'https://one.example', 'c2', { state: 'healthy', active: true }),
      of('SUB-EEEE', 'https://two.example', 'c1', { state: 'failing', active: true }),
    ],
    (id) => `Clinic ${id}`,
  );
  expect(Object.fromEntries(names)).toEqual({
    'SUB-AAAA': 'https://one.example (Clinic c1, replaced) …AAAA',
    'SUB-BBBB': 'https://one.example (Clinic c1, replaced) …BBBB',
    'SUB-CCCC': 'https://one.example (Clinic c1, waiting to replace)',
    'SUB-DDDD': 'https://one.example (Clinic c2, healthy)',
    'SUB-EEEE': 'https://two.example',
  });
});
