import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { mostOf, runMatrix } from './neighbours/matrix.ts';
import { MAX_MEMORY } from './neighbours/product.ts';
import { summaryOf } from './neighbours/summary.ts';

test('one organization uses each server in each excessive way, and all calls of another one succeed', async () => {
  const findings = await runMatrix({
    rows: 95_000,
    workers: 400,
    dripped: 400,
    unread: 200,
    abandoned: 200,
    pipelined: 100,
    largest: 30,
    cellMs: 10_000,
    isTogether: false,
    only: process.env.NEIGHBOURS_ONLY,
  });
  const page = process.env.NEIGHBOURS_RESULTS;
  if (page !== undefined) writeFileSync(page, summaryOf(findings));
  const { probes, ended } = findings;
  expect(ended).toEqual([]);
  expect(probes.filter(({ status }) => typeof status !== 'number' || status >= 400)).toEqual([]);
  for (const [name, { heap, resident }] of Object.entries(mostOf(findings))) {
    const isWithin = heap > 0 && heap <= MAX_MEMORY.heap && resident <= MAX_MEMORY.resident;
    expect({ name, heap, resident, isWithin }).toEqual({ name, heap, resident, isWithin: true });
  }
});
