import { expect, test } from 'vitest';
import { mostOf, runMatrix } from './neighbours/matrix.ts';
import { MAX_MEMORY } from './neighbours/product.ts';

test('one organization uses every server in every excessive way at once, and all calls of another one succeed', async () => {
  const findings = await runMatrix({
    rows: 2000,
    workers: 20,
    dripped: 40,
    unread: 20,
    abandoned: 20,
    pipelined: 10,
    largest: 5,
    cellMs: 3000,
    isTogether: true,
  });
  const { probes, greedy, ended } = findings;
  expect(ended).toEqual([]);
  expect(probes.filter(({ status }) => typeof status !== 'number' || status >= 400)).toEqual([]);
  expect(probes.length).toBeGreaterThan(10);
  for (const [cell, { sent = 0 }] of Object.entries(greedy)) expect([cell, sent > 0]).toEqual([cell, true]);
  for (const [name, { heap, resident }] of Object.entries(mostOf(findings))) {
    const isWithin = heap > 0 && heap <= MAX_MEMORY.heap && resident <= MAX_MEMORY.resident;
    expect({ name, heap, resident, isWithin }).toEqual({ name, heap, resident, isWithin: true });
  }
});
