import type { FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { earlierResults } from './replay.ts';

test('what was written is told page by page, so that one page of records is in memory', async () => {
  const steps: string[] = [];
  const writes = Array.from({ length: 25 }, (_, index) => ({
    index,
    write: { method: 'update' as const, kind: 'patient' as const, _id: `p${index}`, body: {} },
  }));
  const request = {
    store: {
      idempotency: {
        async eventBodies(page: readonly { eventId: string }[]) {
          steps.push(`read ${page.length}`);
          return new Map(
            page.map(({ eventId }) => [
              eventId,
              JSON.stringify({ event: 'patient.updated', data: { _id: eventId } }),
            ]),
          );
        },
      },
    },
  } as unknown as FastifyRequest;
  let told = 0;
  const earlier = await earlierResults(request, writes, {
    known: { patient: new Map(), appointment: new Map() },
    idsOf: (index) => ({ recordId: `new${index}`, eventId: `p${index}` }),
    notes: {},
    isMinimal: true,
    tell(index, { record, isCreated, isChanged }) {
      expect([record._id, isCreated, isChanged]).toEqual([`p${index}`, false, true]);
      told++;
      if (told % 10 === 0 || told === 25) steps.push(`told ${told}`);
    },
  });
  expect(steps).toEqual(['read 10', 'told 10', 'read 10', 'told 20', 'read 5', 'told 25']);
  expect([earlier.unchanged.size, earlier.refused.size]).toEqual([0, 0]);
});
