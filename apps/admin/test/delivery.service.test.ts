import {
  type Folder,
  openFolder,
  startWholeService,
  testEngines,
  type WholeService,
} from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminOf } from './admin.ts';

let service: WholeService;
let folder: Folder;

beforeAll(async () => {
  service = await startWholeService(testEngines().redisUrl);
  folder = await openFolder();
});
afterAll(async () => {
  await folder.close();
  await service.close();
});

test('sends a webhook for each change of an import, once, with the record as GET returns it', async () => {
  const { organizationId, clinicIds } = service.practice;
  const own = {
    clinicId: clinicIds[0],
    patientId: 'p-1',
    currency: 'EUR',
    creationTime: '2026-01-01T00:00:00Z',
  };
  const invoice = { externalId: 'i-1', ...own, number: 1, total: 99.95, status: 'OPEN' };
  const load = async (kind: string, line: object, events: string) => {
    const file = await folder.writeLines(`${kind}.ndjson`, [line]);
    const { code } = await adminOf(service).run([
      'import',
      kind,
      file,
      '--organization',
      organizationId,
      '--events',
      events,
    ]);
    expect(code).toBe(0);
  };
  await load('patient', { externalId: 'p-1', clinicId: clinicIds[0], name: 'Ada' }, 'none');
  await load('invoice', invoice, 'changes');
  await load('invoice', invoice, 'changes');
  await load('invoice', { ...invoice, status: 'PAID' }, 'changes');

  await service.receiver.until((posts) => posts.length === 2);
  const received = service.receiver.posts.map(({ json }) => json);
  expect(received.map(({ event }) => event).sort()).toEqual(['invoice.created', 'invoice.paid']);
  const paid = received.find(({ event }) => event === 'invoice.paid');
  const { record } = (await service.practice.store.invoices.find(paid.data._id)) as { record: object };
  expect(paid.data).toEqual(record);
  expect(JSON.stringify(paid.data)).toBe(JSON.stringify(record));
});
