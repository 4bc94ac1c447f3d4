import { readFileSync } from 'node:fs';
import { MAX_ATTEMPTS_IN_FLIGHT } from '@chairside/domain';
import { expect, test } from 'vitest';
import { EXAMPLE, needsOf, SIZES, tableOf } from './model.ts';

const page = readFileSync(new URL('../../docs/capacity.md', import.meta.url), 'utf8');

test('the table of docs/capacity.md is that of the model', () => {
  const installations = [10, 1000, 100_000, 225_000].map((practices) => ({ ...EXAMPLE, practices }));
  expect(page).toContain(tableOf(installations));
});

test('the documents of an event have the sizes of the model, rounded', () => {
  const [delivery, event, entry] = [SIZES.delivery, SIZES.event, SIZES.writeEntry].map(
    ({ bytes, keyBytes }) => [bytes, keyBytes].map((size) => Math.round(size / 10) * 10),
  );
  expect(page).toContain(`${delivery?.[0]} *n*, and ${delivery?.[1]} *n* of index keys`);
  expect(page).toContain(`the event in the log | ${event?.[0]}, and ${event?.[1]} of index keys`);
  expect(page).toContain(`an audit entry | ${entry?.[0]}, and ${entry?.[1]} of index keys`);
});

test('the attempts in flight are those of the limits', () => {
  const limits = readFileSync(new URL('../../docs/limits.md', import.meta.url), 'utf8');
  const attempts = /\| Attempts in flight \| (\d+) in each process/.exec(limits)?.[1];
  const text = page.replaceAll('\n', ' ');
  expect(text).toContain(`a dispatcher process has at most ${attempts} attempts in flight`);
  expect(text).toContain(`at most ${MAX_ATTEMPTS_IN_FLIGHT} for one subscription`);
});

test('the needs grow with what they depend on', () => {
  const base = { ...EXAMPLE, practices: 10_000 };
  const needs = needsOf(base);
  expect(needsOf({ ...base, auditDays: 365 }).audit).toBeCloseTo((needs.audit * 365) / 2190, -6);
  expect(needsOf({ ...base, auditDays: 365 }).log).toBe(needs.log);
  expect(needsOf({ ...base, subscriptions: 10 }).log).toBeGreaterThan(3 * needs.log);
  expect(needsOf({ ...base, lists: 0 }).audit).toBeLessThan(needs.audit);
  expect(needsOf({ ...base, newLists: 1 }).audit).toBeGreaterThan(1.2 * needs.audit);
  expect(needsOf({ ...base, practices: 1 })).toMatchObject({ api: 1, dispatcher: 1 });
});
