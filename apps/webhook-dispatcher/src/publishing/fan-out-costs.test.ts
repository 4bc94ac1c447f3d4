import { expect, test } from 'vitest';
import { createFanOutCosts } from './fan-out-costs.ts';

const ofOrganization = (organizationId: string, count: number) =>
  Array.from({ length: count }, () => ({ organizationId }));

test('learns the deliveries of an event, by organization', () => {
  const costs = createFanOutCosts();
  expect(costs.of('a')).toBe(20);
  costs.learn(
    [...ofOrganization('a', 4), ...ofOrganization('b', 3)],
    [...ofOrganization('a', 28), ...ofOrganization('b', 3)],
  );
  expect([costs.of('a'), costs.of('b')]).toEqual([7, 1]);
});

test('an event costs at least as much as one delivery', () => {
  const costs = createFanOutCosts();
  costs.learn(ofOrganization('a', 10), []);
  expect(costs.of('a')).toBe(1);
});

test('forgets expensive events slowly, so that cheap ones do not make room for them', () => {
  const costs = createFanOutCosts();
  costs.learn(ofOrganization('a', 1), ofOrganization('a', 20));
  costs.learn(ofOrganization('a', 200), []);
  expect(costs.of('a')).toBe(18);
  costs.learn(ofOrganization('a', 1), ofOrganization('a', 30));
  expect(costs.of('a')).toBe(30);
});
