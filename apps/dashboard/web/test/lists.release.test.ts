import { createKey, LONGEST_WAIT_MS, plantConnection } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Product, startProduct, type WatchedPage } from './product.ts';

/** From a small phone to a large screen, in pixels. */
const WIDTHS = [360, 768, 1024, 1280, 1600];
/** The longest values that people enter. */
const LONG = {
  name: `Maximiliane-Alexandra ${'von Hohenstein-Württemberg '.repeat(6)}`.slice(0, 200),
  host: `${'very-long-name-of-a-receiver.'.repeat(4)}example.com`,
  // The part before the @ has 64 characters, the most that an address may have.
  email: `${'maximiliane.'.repeat(6).slice(0, 63)}x@practice-with-a-long-name.example.com`,
  agent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) '.repeat(
    3,
  ),
};
const now = new Date();

let product: Product;
let page: WatchedPage;
let paths: string[];

beforeAll(async () => {
  product = await startProduct();
  const { practice, database, receiver, call } = { ...product.service, call: product.service.call };
  const { organizationId, clinicIds, administrator, store } = practice;
  const [clinicId] = clinicIds;
  await database.collection('clinics').updateMany({ organizationId }, { $set: { name: LONG.name } });
  const url = `https://${LONG.host}/webhooks/${'path-of-the-practice/'.repeat(6)}`;
  const failing = await store.subscriptions.create({ clinicId, url, events: [], active: true }, now);
  await store.subscriptions.create({ clinicId, url: receiver.url, events: [], active: true }, now);
  const patient = await call('POST', '/api/patients', {
    clinicId,
    name: LONG.name,
    phone: '+49 30 1234567890 ext. 12345',
    email: LONG.email,
    language: 'de',
  });
  const patientId = String(patient.json._id);
  const time = now.toISOString();
  const endTime = new Date(now.getTime() + 30 * 60_000).toISOString();
  for (const status of ['SCHEDULED', 'PATIENT_ARRIVED', 'NO_SHOW']) {
    const procedures = [{ procedureId: 'p', name: LONG.name }];
    const fields = { clinicId, patientId, status, startTime: time, endTime, procedures };
    expect((await call('POST', '/api/appointments', fields)).status).toBe(200);
  }
  const common = { clinicId, patientId, currency: 'EUR', creationTime: time, lastEditTime: time };
  const number = 'R-2030-1234567890-1234567890';
  await store.invoices.create({
    ...common,
    _id: 'invoice0001',
    number,
    total: 1_234_567.89,
    status: 'PARTIALLY_PAID',
    dueTime: time,
  });
  await store.payments.create({
    ...common,
    _id: 'payment0001',
    amount: 1_234_567.89,
    method: 'BANK_TRANSFER',
    status: 'COMPLETED',
    paidTime: time,
  });
  await store.treatments.create({
    ...common,
    _id: 'treatment0001',
    procedureId: 'p',
    name: LONG.name,
    teeth: ['11', '12', '13'],
    surfaces: ['O', 'M', 'D'],
    price: '1',
    status: 'IN_PROGRESS',
    performedTime: time,
  });
  const providerId = 'provider0001';
  await store.providers.create({ _id: providerId, name: LONG.name, clinicIds: [...clinicIds] });
  await store.procedures.create({
    _id: 'procedure0001',
    name: LONG.name,
    code: '1234567890 1234567890',
    price: '1234567.89',
    currency: 'EUR',
    durationMinutes: 1440,
    bookable: false,
    clinicIds: [...clinicIds],
  });
  await store.calendarBlocks.create({
    ...{ _id: 'block0001', clinicId, providerId, kind: 'MAINTENANCE' },
    ...{ startTime: '2099-12-01T00:00:00.000Z', endTime: '2099-12-31T00:00:00.000Z' },
  });
  const visit = {
    ...{ clinicId, patientId, providerId, procedures: [{ procedureId: 'p', name: LONG.name }] },
    ...{ startTime: '2099-12-24T08:00:00.000Z', endTime: '2099-12-24T09:00:00.000Z' },
  };
  expect((await call('POST', '/api/appointments', visit)).status).toBe(200);
  const intervals = ['00', '04', '08', '12', '16', '20'].map((hour) => ({
    opens: `${hour}:00`,
    closes: `${hour}:30`,
  }));
  await call(
    'PUT',
    `/api/clinics/${clinicId}/openinghours`,
    { weekdays: { monday: intervals }, exceptions: [{ date: '2099-12-24', intervals }] },
    `Token ${administrator.token}`,
  );
  await createKey(
    store,
    { name: LONG.name, scopes: ['appointments:read', 'patients:read', 'patients:write'], rateLimit: 60_000 },
    now,
  );
  await store.operators.create(
    { email: LONG.email, password: 'a password of somebody', role: 'administrator' },
    now,
  );
  const connectionId = await plantConnection(database, { organizationId, operatorId: administrator._id });
  await database
    .collection('connections')
    .updateOne({ _id: connectionId }, { $set: { clientName: LONG.name, redirectHost: LONG.host } });
  page = await product.openAs(administrator, '/tokens', { userAgent: LONG.agent });
  await page.getByRole('button', { name: 'New program token' }).click();
  await page.getByLabel('Name', { exact: true }).fill(LONG.name);
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByLabel('I have kept it').check();
  await page.getByRole('button', { name: 'Done' }).click();
  const deliveries = database.collection('deliveries');
  await vi.waitUntil(async () => (await deliveries.countDocuments({ status: 'failed' })) > 0, {
    timeout: LONGEST_WAIT_MS,
  });
  const range = { since: new Date(now.getTime() - 60_000).toISOString() };
  await call(
    'POST',
    `/api/webhooksubscriptions/${failing?._id}/redeliveries`,
    range,
    `Token ${administrator.token}`,
  );
  const event = await database.collection('events').findOne({ about: patientId });
  if (event === null) throw new Error('the patient has no event');
  paths = [
    '/',
    '/webhooks',
    `/webhooks/${failing?._id}`,
    `/webhooks/${failing?._id}?tab=redeliveries`,
    '/deliveries',
    '/events',
    `/events/${event._id}`,
    ...['patients', 'appointments', 'clinics', 'invoices', 'payments', 'treatments'].map(
      (kind) => `/records/${kind}`,
    ),
    `/today?clinicId=${clinicId}`,
    `/today?clinicId=${clinicId}&day=2099-12-24`,
    `/records/patients/${patientId}`,
    `/schedule?clinicId=${clinicId}`,
    `/schedule?tab=closed&clinicId=${clinicId}`,
    '/schedule?tab=providers',
    '/schedule?tab=procedures',
    '/schedule?tab=blocks',
    '/keys',
    '/tokens',
    '/operators',
    '/audit',
    '/connections',
  ];
});
afterAll(() => product.close());

/** What is cut off on the page, as sentences. The code is a string, because it runs in the page. */
const LOOK = `(() => {
  const faults = [];
  const shown = (element) => element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
  const nameOf = (element) => element.tagName + ' ' + (element.getAttribute('aria-label') ?? element.textContent).slice(0, 40);
  if (document.documentElement.scrollWidth > innerWidth) {
    const wide = [...document.querySelectorAll('body *')].filter((each) => each.getBoundingClientRect().right > innerWidth + 1);
    faults.push('the page scrolls sideways: ' + wide.slice(-3).map((each) => each.outerHTML.slice(0, 120)));
  }
  const content = document.querySelector('#content').getBoundingClientRect();
  for (const table of document.querySelectorAll('table')) {
    const place = table.getBoundingClientRect();
    if (place.right > content.right + 1 || table.scrollWidth > table.clientWidth + 1)
      faults.push('too wide: ' + table.getAttribute('aria-label'));
  }
  for (const element of document.querySelectorAll('tbody .chip, tbody .actions button, tbody .actions a')) {
    if (!shown(element)) continue;
    const { left, right, width } = element.getBoundingClientRect();
    const cell = element.closest('td, th, li').getBoundingClientRect();
    if (left < 0 || right > innerWidth || width === 0) faults.push('outside: ' + nameOf(element));
    if (right > cell.right + 1) faults.push('cut off: ' + nameOf(element));
  }
  for (const row of document.querySelectorAll('tbody[role="rowgroup"] tr:not(.head)')) {
    const table = row.closest('table').getAttribute('aria-label');
    for (const cell of row.querySelectorAll('.actions'))
      if (cell.childElementCount > 0 && ![...cell.querySelectorAll('button, a, span')].some(shown))
        faults.push('no action in ' + table);
    for (const chip of row.querySelectorAll('.chip'))
      if (!shown(chip)) faults.push('hidden: ' + nameOf(chip) + ' in ' + table);
  }
  return faults;
})()`;

test.each(WIDTHS)('at %i px no list scrolls sideways or hides an action or an outcome', async (width) => {
  await page.setViewportSize({ width, height: 900 });
  for (const path of paths) {
    await page.goto(product.url + path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(() => page.getByText('Loading').count()).toBe(0);
    await page.locator('tbody tr, .day-grid, .closed-band, .day-hours, .empty').first().waitFor();
    expect({ path, faults: await page.evaluate(LOOK) }).toEqual({ path, faults: [] });
  }
  // The states of a search for patients, which no address has.
  await page.goto(`${product.url}/records/patients`);
  const field = page.getByLabel('Name, phone, e-mail or id');
  for (const [text, shown] of [
    ['maximiliane', '1 found'],
    ['Nobody at all', 'No patient found.'],
    ['Zu', 'finds only the same complete word'],
    ['?', 'at least one letter'],
  ] as const) {
    await field.fill(text);
    await page.keyboard.press('Enter');
    await page.getByText(shown).waitFor();
    expect({ text, faults: await page.evaluate(LOOK) }).toEqual({ text, faults: [] });
  }
  await page.getByRole('button', { name: 'Find or do…' }).click();
  await page.getByRole('dialog').locator('input:focus').waitFor();
  await page.keyboard.type('maximiliane');
  const entry = page.getByRole('dialog').getByRole('menuitem');
  await entry.filter({ hasText: 'Maximiliane-Alexandra' }).first().waitFor();
  const overflow = await page.getByRole('menu').evaluate((menu) => menu.scrollWidth - menu.clientWidth);
  expect(overflow).toBe(0);
  await page.keyboard.press('Escape');
});
