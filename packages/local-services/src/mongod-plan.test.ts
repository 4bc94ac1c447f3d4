import { expect, it } from 'vitest';
import { mongodPlan } from './mongod-plan.ts';

it('runs mongod with a small cache', () => {
  const plan = mongodPlan({ binary: 'mongod', environment: {}, description: 'MongoDB' });
  const [mongod] = plan.processes({ folder: '/data', port: 1, durable: true });
  const at = mongod?.arguments.indexOf('--wiredTigerCacheSizeGB') ?? -1;
  expect(Number(mongod?.arguments[at + 1])).toBeLessThanOrEqual(0.5);
});
