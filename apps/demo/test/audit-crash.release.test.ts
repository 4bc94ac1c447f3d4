import { startWholeService, testEngines, type WholeService } from '@chairside/test-support';
import { afterEach, expect, test } from 'vitest';

let service: WholeService;
afterEach(() => service.close());

test('kill -9 of the api during reads and writes: every request with a response has its entry', async () => {
  service = await startWholeService(testEngines().redisUrl);
  const [clinicId] = service.practice.clinicIds;
  const acknowledged = new Map<string, string[]>();
  const note = ({ status, requestId, json }: Awaited<ReturnType<WholeService['call']>>) => {
    expect(status).toBe(200);
    acknowledged.set(
      requestId,
      [json].flat().map(({ _id }) => _id),
    );
  };
  for (let round = 0; round < 3; round++) {
    let open = true;
    const caller = async () => {
      while (open) {
        const created = await service.call('POST', '/api/patients', { clinicId });
        note(created);
        note(await service.call('GET', `/api/patients/${created.json._id}`));
        note(await service.call('GET', '/api/patients'));
      }
    };
    const before = acknowledged.size;
    // The kill interrupts at most one request of each caller. An interrupted request has no response.
    const callers = Array.from({ length: 6 }, () => caller().catch((error) => error));
    await expect.poll(() => acknowledged.size - before).toBeGreaterThan(60);
    await service.api.end('SIGKILL');
    open = false;
    const ends = await Promise.all(callers);
    expect(ends.every((end) => end === undefined || end instanceof TypeError)).toBe(true);
    await service.startApi();
  }
  const unpublished = () =>
    service.database.collection('patients').countDocuments({ outboxAt: { $exists: true } });
  await expect.poll(unpublished).toBe(0);
  const { audit } = service.practice.store;
  for (const [requestId, ids] of acknowledged) {
    const entries = await Array.fromAsync(audit.page({ requestId }, {}, 10));
    expect(entries.flatMap((entry) => entry.ids).toSorted()).toEqual([...ids].toSorted());
  }
});
