import type { OutboxRef } from '@chairside/mongodb/dispatch';
import { expect, test } from 'vitest';
import { unpublishedEvents } from './unpublished-events.ts';

test('a round also finds the records of others behind those of one organization, even if a query takes long', async () => {
  const refTo = (organizationId: string, index: number): OutboxRef => ({
    organizationId,
    kind: 'patient',
    recordId: `${organizationId}${index}`,
  });
  const oldestFirst = [...Array.from({ length: 5000 }, (_, index) => refTo('a', index)), refTo('b', 0)];
  const published: OutboxRef[] = [];
  const part = unpublishedEvents({
    outbox: {
      overdue: async (_before, limit, except) =>
        oldestFirst
          .filter(({ organizationId }) => !except?.organizations.includes(organizationId))
          .slice(0, limit),
    },
    publisher: {
      publish: async (ref) => void published.push(ref),
      inHand: () => [],
      full: () => [],
    },
  });
  const found = await part.round({ now: () => new Date(), ago: () => new Date(), mayContinue: () => false });
  expect(found).toBe(51);
  expect(published.at(-1)).toEqual(refTo('b', 0));
});
