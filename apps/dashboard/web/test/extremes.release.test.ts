import { randomUUID } from 'node:crypto';
import { openedDocuments, plantConnection, sealedDocument } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectFaultless, type Product, startProduct } from './product.ts';

let product: Product;
beforeAll(async () => {
  product = await startProduct();
});
afterAll(() => product.close());

/** Markup, a line of 4 KiB, characters that turn the direction of text or hide it, and control characters. */
const HOSTILE = `<img src=x onerror=alert(1)><script>alert(2)</script>\u202e\u200b\u0007${'w'.repeat(4096)}`;
const now = new Date();

/** The fields that the test fills with the hostile text, by collection. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  patients: ['name', 'phone', 'email'],
  appointments: ['providerId'],
  clinics: ['name'],
  invoices: ['number'],
  treatments: ['name', 'notes', 'procedureCode', 'providerId'],
  providers: ['name'],
  procedures: ['name', 'code'],
  apiKeys: ['name'],
  connections: ['clientName', 'redirectHost'],
  subscriptions: ['url', 'disabledReason'],
  deliveries: ['reason', 'code', 'responseBody', 'address'],
  sessions: ['userAgent', 'address'],
};
const SEALED = ['patients', 'appointments', 'treatments', 'deliveries'] as const;
const isSealed = (collection: string): collection is (typeof SEALED)[number] =>
  SEALED.some((each) => each === collection);

test('hostile values in every field are text, and no page is wider than the screen', async () => {
  const { practice, database, receiver } = product.service;
  const { organizationId, clinicIds, administrator, store } = practice;
  const [clinicId] = clinicIds;
  const patient = await product.service.call('POST', '/api/patients', {
    clinicId,
    name: 'Ada',
    phone: '+41',
  });
  const appointment = await product.service.call('POST', '/api/appointments', {
    clinicId,
    patientId: patient.json._id,
  });
  expect([patient.status, appointment.status]).toEqual([200, 200]);
  const time = now.toISOString();
  const common = {
    clinicId,
    patientId: patient.json._id,
    currency: 'EUR',
    creationTime: time,
    lastEditTime: time,
  };
  const money = { ...common, amount: 12.5, method: 'CARD', status: 'COMPLETED' } as const;
  const filling = {
    ...common,
    procedureId: 'p',
    name: 'Filling',
    teeth: ['11'],
    surfaces: ['O' as const],
    price: '1',
  };
  await store.invoices.create({ ...common, _id: randomUUID(), number: 7, total: 12.5, status: 'OPEN' });
  await store.payments.create({ ...money, _id: randomUUID() });
  await store.treatments.create({ ...filling, _id: randomUUID(), status: 'COMPLETED' });
  await plantConnection(database, { organizationId, operatorId: administrator._id });
  await store.subscriptions.create({ clinicId, url: `${receiver.url}/other`, events: [], active: true }, now);
  await store.providers.create({ _id: randomUUID(), name: 'Ada', clinicIds: [clinicId] });
  await store.procedures.create({ _id: randomUUID(), name: 'Filling', durationMinutes: 30, bookable: true });
  const isDelivered = { status: { $in: ['succeeded', 'failed'] } };
  await expect.poll(() => database.collection('deliveries').countDocuments(isDelivered)).toBeGreaterThan(1);
  const page = await product.openAs(administrator, '/');
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  const cipher = await product.service.store.ciphers.of(organizationId);
  for (const [collection, fields] of Object.entries(FIELDS)) {
    const $set = Object.fromEntries(
      // The api does not return an invoice number that is longer than the maximum.
      fields.map((field) => [field, field === 'number' ? HOSTILE.slice(0, 100) : HOSTILE]),
    );
    if (!isSealed(collection)) {
      await database.collection(collection).updateMany({ organizationId }, { $set });
      continue;
    }
    for (const found of await openedDocuments(product.service, collection, { organizationId })) {
      const { _id, outbox, outboxAt, ...fields } = found;
      const { _id: id, ...changed } = sealedDocument(collection, { _id, ...fields, ...$set }, cipher);
      await database.collection(collection).updateOne({ _id: id }, { $set: changed });
    }
  }
  await database
    .collection('deliveries')
    .updateMany({ organizationId }, { $set: { status: 'failed', cause: 'tls', event: 'patient.created' } });
  const idOf = async (collection: string) =>
    (await database.collection(collection).findOne({ organizationId }))?._id;
  const paths = [
    '/',
    '/webhooks',
    `/webhooks/${await idOf('subscriptions')}`,
    `/webhooks/${await idOf('subscriptions')}?tab=settings`,
    '/deliveries',
    `/deliveries/${await idOf('deliveries')}`,
    '/events',
    ...(await Promise.all(
      ['patients', 'appointments', 'clinics', 'invoices', 'payments', 'treatments'].map(async (kind) => [
        `/records/${kind}`,
        `/records/${kind}/${await idOf(kind)}`,
      ]),
    ).then((all) => all.flat())),
    '/schedule?tab=providers',
    '/schedule?tab=procedures',
    '/schedule?tab=blocks',
    '/keys',
    '/tokens',
    '/operators',
    '/audit',
    '/connections',
    '/account',
    '/account/notices',
  ];
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    for (const path of paths) {
      await page.goto(product.url + path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expect.poll(() => page.getByText('Loading').count()).toBe(0);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      const injected = await page.locator('main img, main script').count();
      expect({ path, width, overflow, injected }).toEqual({ path, width, overflow: 0, injected: 0 });
    }
  }
  expectFaultless(page);
});

/** FerretDB sorts the whole list for each page, so the list has as many entries as the pages that the test opens. */
const ENTRIES = 20_000;

test('20,000 audit entries are paged to their end in bounded memory', async () => {
  const { practice, database } = product.service;
  const entries = Array.from({ length: ENTRIES }, (_, index) => ({
    _id: randomUUID(),
    organizationId: practice.organizationId,
    time: new Date(now.getTime() - 1_000_000 - index * 1000),
    action: 'read',
    principal: { kind: 'operator', id: practice.staff._id },
    kind: 'treatment',
    ids: [randomUUID()],
    result: 'ok',
    requestId: randomUUID(),
  }));
  for (let from = 0; from < entries.length; from += 5000)
    await database.collection('auditEntries').insertMany(entries.slice(from, from + 5000));
  const page = await product.openAs(practice.administrator, '/audit?kind=treatment&action=read');
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable');
  /** The memory of the page's scripts after a garbage collection, in MiB, and the nodes of its document. */
  const used = async () => {
    await devtools.send('HeapProfiler.collectGarbage');
    const { metrics } = await devtools.send('Performance.getMetrics');
    const of = (name: string) => metrics.find((each) => each.name === name)?.value ?? Number.NaN;
    return { heap: of('JSHeapUsedSize') / 2 ** 20, nodes: of('Nodes') };
  };
  const next = page.getByRole('button', { name: 'Next page' });
  const firstRow = () => page.locator('tbody tr').first().textContent();
  /** Opens at most this many further pages, up to the last one. Returns the number of opened pages. */
  const continueUntil = async (most: number): Promise<number> => {
    await next.waitFor();
    for (let pages = 0; ; pages++) {
      if (pages === most || (await next.isDisabled())) return pages;
      const shown = await firstRow();
      await next.click();
      await expect.poll(firstRow).not.toBe(shown);
    }
  };
  await continueUntil(5);
  const before = await used();
  expect(await continueUntil(200)).toBe(200);
  // The test skips the middle pages. Each of them takes as long as these.
  const until = entries[ENTRIES - 2500]?.time.toISOString();
  await page.goto(`${product.url}/audit?kind=treatment&action=read&until=${until}`);
  expect(await continueUntil(100)).toBe(49);
  const after = await used();
  // The results of the last minute are kept for the Back button.
  expect(after.heap - before.heap).toBeLessThan(30);
  expect(after.nodes).toBeLessThan(before.nodes * 3);
  // The database sorts all entries for each page, so the api may refuse some pages. The page requests them again.
  expectFaultless(page, 503);
});
