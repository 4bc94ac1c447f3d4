import { startMongodb } from '@chairside/local-services';
import { startWholeService, testEngines } from '@chairside/test-support';
import { expect, onTestFinished, test } from 'vitest';
import { expectNothingLost } from './failover.ts';

test('loses nothing when MongoDB is shut down and restarted under load', async () => {
  const mongodb = await startMongodb({ ephemeral: true, environment: { ...process.env, MONGODB_URL: '' } });
  onTestFinished(() => mongodb.stop());
  const service = await startWholeService(testEngines().redisUrl, { mongodbUrl: mongodb.url });
  onTestFinished(() => service.close());
  const restart = async (): Promise<void> => {
    await mongodb.halt();
    // Callers must notice the outage: a restart between two writes proves nothing.
    await expect.poll(async () => (await service.call('GET', '/health/ready')).status).toBe(503);
    await mongodb.resume();
  };
  await expectNothingLost(service, restart, 3);
});
