import { startWholeService, testEngines } from '@chairside/test-support';
import { expect, onTestFinished, test } from 'vitest';
import { expectNothingLost } from './failover.ts';

/** How long a member that stepped down is not eligible for election, in seconds. */
const STEP_DOWN = 15;

test('loses nothing when the primary steps down under load', async () => {
  const service = await startWholeService(testEngines().redisUrl);
  onTestFinished(() => service.close());
  const admin = service.database.admin();
  const primary = async (): Promise<string | undefined> => (await admin.command({ hello: 1 })).primary;
  if ((await primary()) === undefined) {
    throw new Error(
      'MONGODB_URL must lead to a replica set. Start one: scripts/mongodb-topology.sh replica-set 8.0.29-noble',
    );
  }
  const stepDown = async (): Promise<void> => {
    const before = await primary();
    await admin.command({ replSetStepDown: STEP_DOWN });
    const isElsewhere = async () => ![before, undefined].includes(await primary().catch(() => undefined));
    await expect.poll(isElsewhere).toBe(true);
  };
  await expectNothingLost(service, stepDown, 3);
});
