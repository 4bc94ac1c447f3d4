import { testEngines } from '@chairside/test-practice';
import { afterEach, expect, test } from 'vitest';
import { startWholeService, type WholeService } from './whole-service.ts';

let service: WholeService;
afterEach(() => service.close());

test('writes leave one entry each, made from their events', async () => {
  service = await startWholeService(testEngines().redisUrl);
  const [clinicId] = service.practice.clinicIds;
  const created = await service.call('POST', '/api/patients', { clinicId });
  const path = `/api/patients/${created.json._id}`;
  const updated = await service.call('PUT', path, { name: 'Ada' });
  const deleted = await service.call('DELETE', path);
  const entries = service.database.collection('auditEntries');
  await expect.poll(() => entries.countDocuments()).toBe(3);
  for (const [action, { requestId, json }] of Object.entries({ created, updated, deleted })) {
    expect(await entries.find({ requestId }).toArray()).toEqual([
      {
        _id: expect.any(String),
        organizationId: service.practice.organizationId,
        time: expect.any(Date),
        action,
        principal: { kind: 'apiKey', id: expect.any(String) },
        kind: 'patient',
        ids: [json._id],
        result: 'ok',
        requestId,
        expireAt: expect.any(Date),
      },
    ]);
  }
});

test('kill -9 of the api amid reads and writes: no entry is missing of what was answered', async () => {
  service = await startWholeService(testEngines().redisUrl);
  const [clinicId] = service.practice.clinicIds;
  const answered = new Map<string, string[]>();
  const note = ({ status, requestId, json }: Awaited<ReturnType<WholeService['call']>>) => {
    expect(status).toBe(200);
    answered.set(
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
    const begun = answered.size;
    // The kill cuts off what each caller is about: that has not been answered.
    const callers = Array.from({ length: 6 }, () => caller().catch((error) => error));
    await expect.poll(() => answered.size - begun, { timeout: 20_000 }).toBeGreaterThan(60);
    await service.api.end('SIGKILL');
    open = false;
    const ends = await Promise.all(callers);
    expect(ends.every((end) => end === undefined || end instanceof TypeError)).toBe(true);
    await service.startApi();
  }
  const unpublished = () =>
    service.database.collection('patients').countDocuments({ outboxAt: { $exists: true } });
  await expect.poll(unpublished, { timeout: 20_000 }).toBe(0);
  const entries = await service.database.collection('auditEntries').find().toArray();
  for (const [requestId, ids] of answered) {
    const told = entries.filter((entry) => entry.requestId === requestId).flatMap((entry) => entry.ids);
    expect(told).toEqual(ids);
  }
});
