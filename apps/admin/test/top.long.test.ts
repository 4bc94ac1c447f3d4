import { environmentOf, startCli, startWholeService, testEngines } from '@chairside/test-support';
import { expect, onTestFinished, test } from 'vitest';

test('top names the organization, the key and the receiver behind the load', async () => {
  const service = await startWholeService(testEngines().redisUrl);
  onTestFinished(service.close);
  const { organizationId, clinicIds } = service.practice;
  const top = async (...given: string[]) => {
    const { code, stdout, stderr } = await startCli(environmentOf(service), ['top', ...given]).ended;
    expect([code, stderr]).toEqual([0, '']);
    return stdout;
  };
  const frame = async () => JSON.parse(await top('--json'));
  // The receiver never responds, so that deliveries wait.
  service.receiver.respond = () => {};
  const write = () => service.call('POST', '/api/patients', { clinicId: clinicIds[0], name: 'Ada' });
  for (let count = 0; count < 50; count++) expect((await write()).status).toBe(200);

  await expect.poll(async () => (await frame()).organizations[0]?.writes ?? 0).toBeGreaterThan(0);
  const { organizations, users } = await frame();
  expect(organizations[0]).toMatchObject({ organizationId, name: 'Test practice' });
  expect(users[0]).toMatchObject({ organizationId, user: expect.stringMatching(/^apiKey /) });
  await expect
    .poll(async () => (await frame()).receivers)
    .toMatchObject([
      {
        organizationId,
        subscriptionId: service.subscription._id,
        receiver: new URL(service.receiver.url).origin,
        waiting: expect.any(Number),
      },
    ]);
  const text = await top('--once');
  for (const part of [organizationId, 'Test practice', 'requests/s', new URL(service.receiver.url).origin])
    expect(text).toContain(part);
  expect(text).not.toMatch(/Ada/);
});
