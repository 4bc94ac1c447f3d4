import type { WebhookSubscription } from '@chairside/client';
import { expect, test } from 'vitest';
import { arranged, eventsText, namesOf } from './groups.ts';

const of = (_id: string, url: string, clinicId: string, change: Partial<WebhookSubscription>) =>
  ({ _id, url, clinicId, active: false, events: [], ...change }) as WebhookSubscription;

test('subscriptions that need attention come first and alone, the others in groups of one URL, events and state', () => {
  const [one, two] = ['https://one.example', 'https://two.example'];
  const events = ['patient.*', 'invoice.paid'] as WebhookSubscription['events'];
  const { troubled, groups } = arranged(
    [
      of('h2', two, 'c2', { state: 'healthy', events }),
      of('h1', two, 'c1', { state: 'healthy', events: events.toReversed() }),
      of('other events', two, 'c1', { state: 'healthy' }),
      of('held', two, 'c3', { state: 'healthy', events, withheld: 'host_blocked' }),
      of('off', one, 'c1', { state: 'off' }),
      of('failing 2', two, 'c4', { state: 'failing', events, consecutiveFailures: 2 }),
      of('failing 9', one, 'c4', { state: 'failing', consecutiveFailures: 9 }),
      of('disabled later', one, 'c5', { state: 'disabled', disabledTime: '2030-01-02T00:00:00.000Z' }),
      of('disabled', one, 'c6', { state: 'disabled', disabledTime: '2030-01-01T00:00:00.000Z' }),
    ],
    (id) => `Clinic ${id}`,
  );
  const ids = (members: readonly WebhookSubscription[]) => members.map(({ _id }) => _id);
  expect(ids(troubled)).toEqual(['disabled', 'disabled later', 'failing 9', 'failing 2']);
  expect(groups.map(({ members, troubled: count }) => [...ids(members), count])).toEqual([
    ['off', 3],
    ['h1', 'h2', 1],
    ['other events', 0],
    ['held', 1],
  ]);
});

test('events in words', () => {
  expect(eventsText({ events: [] })).toBe('all events');
  expect(eventsText({ events: ['patient.*', 'invoice.paid'] })).toBe('patient.*, invoice.paid');
});

test('the names of subscriptions with the same URL have the clinic and the state, then the id', () => {
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
