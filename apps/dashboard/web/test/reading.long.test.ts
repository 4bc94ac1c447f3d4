import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findingsOf } from './axe.ts';
import { expectFaultless, type Product, startProduct, type WatchedPage } from './product.ts';

let product: Product;
/** The page of the administrator, for all tests. */
let page: WatchedPage;
let clinicId: string;
let otherClinicId: string;

beforeAll(async () => {
  product = await startProduct();
  const { practice, database } = product.service;
  [clinicId, otherClinicId] = practice.clinicIds as [string, string];
  await database
    .collection<{ _id: string }>('clinics')
    .updateMany({ _id: { $in: practice.clinicIds } }, { $set: { timezone: 'Europe/Zurich' } });
  page = await product.openAs(practice.administrator, '/account');
});
afterAll(() => product.close());

const open = async (path: string, on: Page = page) => {
  await on.goto(product.url + path);
  await on.getByRole('heading', { level: 1 }).waitFor();
};
const tip = () => page.locator('.tip:popover-open');
const call = async (path: string, body: object) => (await product.service.call('POST', path, body)).json;

test('a list and a record name the zone of their times once, and each time if the clinics differ', async () => {
  const patient = await call('/api/patients', { clinicId, name: 'Ada Beispiel' });
  const times = { startTime: '2030-01-31T09:30:00Z', endTime: '2030-01-31T10:00:00Z' };
  const { _id } = await call('/api/appointments', { clinicId, patientId: patient._id, ...times });
  await open('/records/appointments');
  await page.getByRole('rowheader', { name: 'Thu, 31 Jan 2030, 10:30', exact: true }).waitFor();
  expect(await page.getByText('Europe/Zurich').allTextContents()).toEqual(['Times of Europe/Zurich.']);
  await open(`/records/appointments/${_id}`);
  await page.getByText('31 Jan 2030, 11:00').waitFor();
  expect(await page.getByText('Europe/Zurich').allTextContents()).toEqual([
    'read-only, times of Europe/Zurich',
  ]);
  await product.service.database
    .collection<{ _id: string }>('clinics')
    .updateOne({ _id: otherClinicId }, { $set: { timezone: 'Europe/Lisbon' } });
  await open('/records/appointments');
  await page.getByRole('rowheader', { name: 'Thu, 31 Jan 2030, 10:30 (Europe/Zurich)' }).waitFor();
  await open(`/records/appointments?clinicId=${clinicId}`);
  await page.getByText('Times of Europe/Zurich.', { exact: true }).waitFor();
  expectFaultless(page);
});

test('one field of a list opens a record, or limits the list to a patient', async () => {
  const patient = await call('/api/patients', { clinicId, name: 'Mila Test' });
  const { _id } = await call('/api/appointments', { clinicId, patientId: patient._id });
  await open('/records/appointments');
  const field = page.getByLabel('Id of one appointment or patient');
  await field.fill('Mila Test');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('on the page Patients').waitFor();
  await field.fill(patient._id);
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.searchParams.get('patientId') === patient._id);
  await expect.poll(() => page.getByRole('row').count()).toBe(2);
  expect(await field.inputValue()).toBe(patient._id);
  await field.fill(_id);
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/records/appointments/${_id}`);
  await page.goBack();
  await field.fill('');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByRole('row').count()).toBe(3);
  const reads = { kind: 'appointment', action: 'read', ids: _id };
  await expect.poll(() => product.service.database.collection('auditEntries').countDocuments(reads)).toBe(1);
  expectFaultless(page, 404);
});

test('what does not exist is not offered to be tried again, and an old link leads to the first page', async () => {
  await open('/records/patients/unknown123');
  await page.getByRole('alert').getByText('There is no such record.').waitFor();
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  await expect.poll(() => page.locator('.waiting').count()).toBe(0);
  expect(await page.getByRole('heading', { name: 'Events' }).count()).toBe(0);
  await page.route('**/api/patients/unknown124', (route) => route.fulfill({ status: 500, json: {} }));
  await open('/records/patients/unknown124');
  await page.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor();
  await page.unrouteAll({ behavior: 'wait' });
  await open('/records/patients?view=list&cursor=rubbish');
  await page.getByRole('alert').getByText('cursor').waitFor();
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  await page.getByRole('button', { name: 'First page' }).click();
  await page.getByRole('rowheader', { name: 'Ada Beispiel' }).waitFor();
  expectFaultless(page, 400, 404, 500);
});

test('the address may name the first tab, or one that does not exist', async () => {
  for (const tab of ['hours', 'nonsense', 'blocks']) {
    await open(`/schedule?tab=${tab}`);
    const current = page.getByRole('navigation', { name: 'Parts of the schedule' }).locator('[aria-current]');
    expect(await current.allTextContents()).toEqual([tab === 'blocks' ? 'Blocks' : 'Opening hours']);
  }
  const { store } = product.service.practice;
  const fields = { clinicId, url: 'https://recall.example.com/', events: [], active: true };
  const created = await store.subscriptions.create(fields, new Date());
  await open(`/webhooks/${created?._id}?tab=nonsense`);
  await page.getByRole('tab', { name: 'Deliveries', exact: true, selected: true }).waitFor();
  await page.getByRole('tabpanel').waitFor();
  expectFaultless(page, 404);
});

test('the parts of the schedule are in one line on a phone, and the open one is visible', async () => {
  await page.setViewportSize({ width: 375, height: 800 });
  const parts = page.getByRole('navigation', { name: 'Parts of the schedule' });
  for (const [tab, name] of [
    ['hours', 'Opening hours'],
    ['blocks', 'Blocks'],
  ] as const) {
    await open(`/schedule?tab=${tab}`);
    const link = parts.getByRole('link', { name, exact: true });
    await expect
      .poll(async () => {
        const [box, strip] = [await link.boundingBox(), await parts.boundingBox()];
        return (
          box !== null && strip !== null && box.x >= strip.x && box.x + box.width <= strip.x + strip.width
        );
      })
      .toBe(true);
    const tops = await parts
      .getByRole('link')
      .evaluateAll((links) => links.map((each) => each.getBoundingClientRect().top));
    expect(new Set(tops).size).toBe(1);
    expect(await parts.evaluate((strip) => strip.scrollWidth - strip.clientWidth)).toBe(0);
  }
  await page.setViewportSize({ width: 1280, height: 720 });
  expectFaultless(page, 404);
});

test('a tip shows what the page cuts off or leaves out, in one line for a row', async () => {
  const email = `${'a-very-long-address-'.repeat(2)}@example.com`;
  await call('/api/patients', { clinicId, name: 'Zoe Probe', email });
  await open('/records/patients?view=list');
  const row = page.getByRole('row').filter({ hasText: 'Zoe Probe' });
  await row.getByRole('link', { name: 'Zoe Probe' }).focus();
  await page.keyboard.press('k');
  await page.keyboard.press('j');
  await tip().getByText(email).waitFor();
  const [box, rowBox] = [await tip().boundingBox(), await row.boundingBox()];
  expect(box?.height).toBeLessThan(rowBox?.height ?? 0);
  expect(await tip().textContent()).not.toContain('Zoe Probe');
  // The pointer gets the text under it only, although the link covers the row.
  // A list that still scrolls hides the tip until the pointer moves again.
  let x = 0;
  const pointAt = async () => {
    x = (x % 20) + 1;
    await row.getByText(email).hover({ force: true, position: { x, y: 5 } });
    return tip().allTextContents();
  };
  await expect.poll(pointAt).toEqual([email]);
  await row.getByText('Zoe Probe').hover({ force: true });
  await expect.poll(() => tip().count()).toBe(0);
  expectFaultless(page);
});

test('an entry of the audit log about many records is as high as one about one record', async () => {
  for (let count = 0; count < 3; count++) await call('/api/patients', { clinicId, name: 'Mila Test' });
  await open('/records/patients?view=list');
  await page.getByRole('rowheader', { name: 'Mila Test' }).nth(2).waitFor();
  await open('/audit');
  const many = page
    .getByRole('row')
    .filter({ has: page.locator('details') })
    .first();
  const one = page.getByRole('row').filter({ hasText: 'signed in' }).first();
  const height = async (row: typeof one) => (await row.boundingBox())?.height;
  expect(await height(many)).toBe(await height(one));
  await many.locator('summary').click();
  await many.getByRole('link').nth(3).waitFor();
  expect(await many.getByRole('link', { name: 'Mila Test' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Show names' }).click();
  await many.getByRole('link', { name: 'Mila Test' }).first().waitFor();
  const id = (await many.getByRole('link', { name: 'Mila Test' }).first().getAttribute('href'))
    ?.split('/')
    .at(-1);
  await open(`/audit?recordId=${id}`);
  await page.locator('mark').getByRole('link').first().waitFor();
  expect(await findingsOf(page)).toEqual([]);
  expectFaultless(page);
});

test('long changes of an entry are read with a press and with the keyboard, also on a phone', async () => {
  const scopes = ['patients:read', 'appointments:read', 'invoices:read', 'payments:read', 'treatments:read'];
  const { administrator } = product.service.practice;
  const key = { name: 'Recall', scopes };
  await product.service.call('POST', '/api/apikeys', key, `Token ${administrator.token}`);
  for (const width of [1280, 375]) {
    await page.setViewportSize({ width, height: 720 });
    await open('/audit');
    const changes = page.locator('.changes summary').filter({ hasText: 'treatments:read' });
    const hidden = () => changes.evaluate((node) => node.scrollHeight - node.clientHeight);
    expect(await hidden()).toBeGreaterThan(0);
    await changes.focus();
    await page.keyboard.press('Enter');
    await expect.poll(hidden).toBe(0);
    await changes.click();
    await expect.poll(hidden).toBeGreaterThan(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  }
  await page.setViewportSize({ width: 1280, height: 720 });
  expectFaultless(page);
});

test('the font begins to load with the document, and is loaded once', async () => {
  await open('/account');
  const fonts = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter(({ name }) => name.endsWith('.woff2'))
      .map((entry) => (entry as PerformanceResourceTiming).initiatorType),
  );
  expect(fonts).toEqual(['link']);
  expectFaultless(page);
});

test('on a phone, no zone, name or e-mail address is cut off, and a time says what happened then', async () => {
  const name = `Ada ${'von der Leyhausen '.repeat(4)}`.trim();
  await call('/api/patients', {
    clinicId,
    name,
    email: `${'ada.von.der.leyhausen.'.repeat(2)}x@practice.example.com`,
  });
  await page.setViewportSize({ width: 375, height: 720 });
  for (const path of ['/records/appointments', '/records/patients?view=list', '/operators']) {
    await open(path);
    await page.getByRole('rowheader').first().waitFor();
    const cut = page
      .locator('tbody :is(th, td, .clip)')
      .evaluateAll((all) =>
        all
          .filter((each) => each.checkVisibility() && each.scrollWidth > each.clientWidth + 1)
          .map((each) => each.textContent),
      );
    expect({ path, cut: await cut }).toEqual({ path, cut: [] });
  }
  await open('/records/patients?view=list');
  await page.getByRole('row').filter({ hasText: name }).getByText('Changed').waitFor();
  await page.setViewportSize({ width: 1280, height: 720 });
  expectFaultless(page);
});

test('the audit log calls nothing deleted of which the list cannot be read', async () => {
  const asAdministrator = `Token ${product.service.practice.administrator.token}`;
  await product.service.call('POST', '/api/apikeys', { name: 'Unread', scopes: [] }, asAdministrator);
  const url = 'https://unread.example.com/webhooks';
  await product.service.call('POST', '/api/webhooksubscriptions', { clinicId, url }, asAdministrator);
  await open('/audit');
  await page.getByRole('link', { name: 'Unread', exact: true }).waitFor();
  await page.getByRole('link', { name: url }).waitFor();
  for (const list of ['apikeys', 'webhooksubscriptions'])
    await page.route(`**/api/${list}`, (route) => route.fulfill({ status: 400, json: {} }));
  await open('/audit');
  await page.getByRole('row').filter({ hasText: 'created API key …' }).first().waitFor();
  await page.getByRole('row').filter({ hasText: 'created Subscription …' }).first().waitFor();
  expect(await page.getByText('(deleted)').count()).toBe(0);
  await page.unrouteAll({ behavior: 'wait' });
  expectFaultless(page, 400);
});

test('a filter for what was deleted is shown as set', async () => {
  const gone = '01JB0000000000000000G0NE00';
  for (const [path, label] of [
    [`/schedule?tab=blocks&providerId=${gone}`, 'Provider'],
    [`/events?clinicId=${gone}`, 'Clinic'],
  ] as const) {
    await open(path);
    const select = page.getByLabel(label, { exact: true });
    await page.getByText('match', { exact: false }).first().waitFor();
    expect(await select.inputValue()).toBe(gone);
    // The entry that removes the filter is another one.
    await select.selectOption('');
    await expect.poll(() => page.url()).not.toContain(gone);
  }
  expectFaultless(page);
});
