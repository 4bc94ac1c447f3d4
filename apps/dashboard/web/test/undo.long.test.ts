import { createKey } from '@chairside/test-support';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { findingsOf } from './axe.ts';
import {
  chooseAction,
  expectFaultless,
  holdBack,
  type Product,
  startProduct,
  type WatchedPage,
} from './product.ts';

let product: Product;
/** The page of the administrator, for all tests. */
let page: WatchedPage;
let clinicId: string;

beforeAll(async () => {
  product = await startProduct();
  const { practice, database } = product.service;
  [clinicId] = practice.clinicIds;
  await database
    .collection<{ _id: string }>('clinics')
    .updateMany({ _id: { $in: practice.clinicIds } }, { $set: { timezone: 'Europe/Zurich' } });
  page = await product.openAs(practice.administrator, '/account');
});
afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  // A failed test may leave errors and an open dialog, which must not fail the next test.
  await page.goto('about:blank');
  page.errors.length = 0;
});
afterAll(() => product.close());

const button = (name: string, on: Page = page) => on.getByRole('button', { name, exact: true });
const inDialog = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });
const closed = () => expect.poll(() => page.getByRole('dialog').count()).toBe(0);
const offer = () => page.getByRole('region', { name: 'Last change' });
const status = () => offer().getByRole('status');
const open = async (path: string) => {
  await page.goto(product.url + path);
  await page.getByRole('heading', { level: 1 }).waitFor();
};
const call = async (method: string, path: string, body?: object) => {
  const { token } = product.service.practice.administrator;
  return (await product.service.call(method, path, body, `Token ${token}`)).json;
};
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

test('a deleted block comes back with Ctrl-Z, and a changed one as it was', async () => {
  const { json: provider } = await product.service.call(
    'POST',
    '/api/providers',
    { name: 'Dr. Ines Albers', clinicIds: [clinicId] },
    `Token ${product.service.practice.administrator.token}`,
  );
  const fields = {
    clinicId,
    providerId: provider._id,
    startTime: inDays(3),
    endTime: inDays(4),
    kind: 'MEETING',
  };
  const { _id, ...stored } = await call('POST', '/api/calendarblocks', fields);
  await open('/schedule?tab=blocks');
  await page.getByRole('row').filter({ hasText: 'Meeting' }).getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('For', { exact: true }).selectOption('The whole clinic');
  await page.getByLabel('Kind').selectOption('Holiday');
  await inDialog('Save').click();
  await closed();
  await status().getByText('The block is changed.').waitFor();
  expect(await call('GET', `/api/calendarblocks/${_id}`)).not.toHaveProperty('providerId');
  expect(await findingsOf(page)).toEqual([]);
  await button('Undo').click();
  await status().getByText('The block is as it was before.').waitFor();
  // The button is gone, and the focus is on the next one.
  await button('Dismiss').and(page.locator(':focus')).waitFor();
  expect(await call('GET', `/api/calendarblocks/${_id}`)).toEqual({ _id, ...stored });
  const row = page.getByRole('row').filter({ hasText: 'Meeting' });
  await row.getByText('Dr. Ines Albers').waitFor();

  await row.getByRole('button', { name: 'Delete' }).click();
  await inDialog('Delete').click();
  await closed();
  await status().getByText('The block is deleted.').waitFor();
  expect(await call('GET', '/api/calendarblocks')).toEqual([]);
  await page.keyboard.press('Control+z');
  await status().getByText('The block is back, with a new id.').waitFor();
  expect(await button('Dismiss').and(page.locator(':focus')).count()).toBe(0);
  await row.getByText('Dr. Ines Albers').waitFor();
  const [again] = await call('GET', '/api/calendarblocks');
  expect(again).toEqual({ ...stored, _id: again._id });
  // A second press of the keys does nothing.
  await page.keyboard.press('Control+z');
  await button('Dismiss').click();
  await page.getByRole('heading', { level: 1 }).and(page.locator(':focus')).waitFor();
  expect(await offer().count()).toBe(0);
  expect(await call('GET', '/api/calendarblocks')).toHaveLength(1);
  expectFaultless(page);
});

test('what cannot be undone says so before, and is not offered after', async () => {
  await open('/schedule?tab=providers');
  await button('Delete Dr. Ines Albers').click();
  await page.getByRole('dialog').getByText('This cannot be undone.').waitFor();
  await inDialog('Delete').click();
  await page.getByText('No providers yet').waitFor();
  expect(await offer().count()).toBe(0);
  await page.keyboard.press('Control+z');
  expect(await call('GET', '/api/providers')).toEqual([]);
  expectFaultless(page);
});

test('the hours of a clinic are restored, unless somebody else has changed them since', async () => {
  const path = `/api/clinics/${clinicId}/openinghours`;
  const monday = [{ opens: '08:00', closes: '12:00' }];
  const before = await call('PUT', path, { weekdays: { monday }, chairs: 2 });
  await open(`/schedule?clinicId=${clinicId}`);
  await page.getByLabel('Chairs').fill('3');
  await button('Save').click();
  await status().getByText('The schedule is saved.').waitFor();
  // The form says so, too, but screen readers announce one message.
  await page.getByText('Saved', { exact: true }).waitFor();
  expect((await page.getByRole('status').allTextContents()).filter(Boolean)).toEqual([
    'The schedule is saved.',
  ]);
  await button('Undo').click();
  await status().getByText('The schedule is as it was before.').waitFor();
  expect(await page.getByLabel('Chairs').inputValue()).toBe('2');
  expect(await call('GET', path)).toEqual(before);

  await page.getByLabel('Chairs').fill('4');
  await button('Save').click();
  await status().getByText('The schedule is saved.').waitFor();
  await call('PUT', path, { ...before, chairs: 9 });
  await button('Undo').click();
  await offer().getByRole('alert').getByText('Somebody else has changed this since').waitFor();
  expect(await button('Undo').count()).toBe(0);
  expect((await call('GET', path)).chairs).toBe(9);
  expectFaultless(page);
});

test('a subscription that was turned off is turned on again, and typed changes are not lost silently', async () => {
  const url = 'https://recall.example.com/webhooks';
  const { _id } = await call('POST', '/api/webhooksubscriptions', { clinicId, url });
  await open(`/webhooks/${_id}?tab=settings`);
  await page.getByText('Active', { exact: true }).click();
  await button('Save').click();
  await status().getByText('Undoing does not send the events of the time in between.').waitFor();
  expect((await call('GET', `/api/webhooksubscriptions/${_id}`)).active).toBe(false);
  // Another tab of the page keeps the offer, and the button stays at its place while the list arrives.
  const place = () => button('Undo').boundingBox();
  const before = await place();
  const list = '**/api/webhooksubscriptions/*/deliveries?*';
  const release = await holdBack(page, list);
  const begun = page.waitForRequest(list);
  await page.getByRole('tab', { name: 'Deliveries', exact: true }).click();
  await begun;
  expect(await place()).toEqual(before);
  release();
  await page.unrouteAll({ behavior: 'wait' });
  expect(await place()).toEqual(before);
  await button('Undo').click();
  await status().getByText('The subscription is as it was before.').waitFor();
  expect((await call('GET', `/api/webhooksubscriptions/${_id}`)).active).toBe(true);

  await page.getByRole('tab', { name: 'Settings', exact: true }).click();
  await page.getByRole('textbox', { name: 'URL' }).fill('https://recall.example.com/other');
  const question = page.getByRole('alertdialog', { name: 'Discard what you have entered?' });
  await page.getByRole('tab', { name: 'Statistics', exact: true }).click();
  await question.getByRole('button', { name: 'Keep editing' }).click();
  await page.getByRole('link', { name: 'Events', exact: true }).click();
  await question.getByRole('button', { name: 'Keep editing' }).click();
  expect(await page.getByRole('textbox', { name: 'URL' }).inputValue()).toContain('/other');
  await page.getByRole('link', { name: 'Events', exact: true }).click();
  await question.getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
  // Another page ends the offer.
  expect(await offer().count()).toBe(0);
  expectFaultless(page);
});

test('an operator and a key are as they were before', async () => {
  const { store, staff } = product.service.practice;
  await createKey(store, { name: 'Recall robot', scopes: ['patients:read'], rateLimit: 600 }, new Date());
  await open('/operators');
  await chooseAction(page, staff.email, 'Disable');
  await inDialog('Disable').click();
  await closed();
  await status().getByText('stay ended').waitFor();
  await button('Undo').click();
  await status().getByText(`${staff.email} is enabled again.`).waitFor();
  await chooseAction(page, staff.email, 'Edit');
  await page.getByLabel('Role').selectOption('Administrator');
  await inDialog('Save').click();
  await closed();
  await status().getByText('stay ended').waitFor();
  await button('Undo').click();
  await status().getByText(`${staff.email} is as before.`).waitFor();
  await page.getByRole('row').filter({ hasText: staff.email }).getByText('Staff', { exact: true }).waitFor();

  await open('/keys');
  await button('Edit Recall robot').click();
  await page.getByLabel('Name', { exact: true }).fill('Another name');
  await inDialog('Save').click();
  await closed();
  await button('Undo').click();
  await status().getByText('The key Recall robot is as it was before.').waitFor();
  await page.getByRole('rowheader', { name: 'Recall robot' }).waitFor();
  expectFaultless(page);
});

/** Loses the response of the next PUT with this path: the api has made the change, and the page does not know it. */
const loseNext = async (path: string): Promise<void> => {
  let isLost = false;
  await page.route(path, async (route) => {
    if (isLost || route.request().method() !== 'PUT') return route.fallback();
    isLost = true;
    await route.fetch();
    await route.abort();
  });
};

test('a change whose response was lost is not taken for that of somebody else', async () => {
  const { store, staff } = product.service.practice;
  await createKey(store, { name: 'Lost robot', scopes: ['patients:read'], rateLimit: 600 }, new Date());
  await open('/keys');
  for (const limit of ['500', '400']) {
    await loseNext('**/api/apikeys/*');
    await button('Edit Lost robot').click();
    await page.getByLabel('Requests per minute').fill(limit);
    await inDialog('Save').click();
    await closed();
  }
  await loseNext('**/api/apikeys/*');
  await button('Undo').click();
  await status().getByText('The key Lost robot is as it was before.').waitFor();
  await page.getByRole('row').filter({ hasText: 'Lost robot' }).getByText('500').waitFor();

  await open('/operators');
  await chooseAction(page, staff.email, 'Disable');
  await inDialog('Disable').click();
  await closed();
  await loseNext('**/api/operators/*');
  await button('Undo').click();
  await status().getByText(`${staff.email} is enabled again.`).waitFor();
  await chooseAction(page, staff.email, 'Edit');
  await page.getByLabel('Role').selectOption('Administrator');
  await inDialog('Save').click();
  await closed();
  await loseNext('**/api/operators/*');
  await button('Undo').click();
  await status().getByText(`${staff.email} is as before.`).waitFor();

  const times = { startTime: inDays(3), endTime: inDays(4) };
  const { _id: blockId } = await call('POST', '/api/calendarblocks', { clinicId, ...times, kind: 'BREAK' });
  await open('/schedule?tab=blocks');
  await page.getByRole('row').filter({ hasText: 'Break' }).getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Kind').selectOption('Holiday');
  await inDialog('Save').click();
  await closed();
  await loseNext('**/api/calendarblocks/*');
  await button('Undo').click();
  await status().getByText('The block is as it was before.').waitFor();
  expect((await call('GET', `/api/calendarblocks/${blockId}`)).kind).toBe('BREAK');

  const hours = `/api/clinics/${clinicId}/openinghours`;
  const before = await call('PUT', hours, { weekdays: { friday: [] }, chairs: 2 });
  await open(`/schedule?clinicId=${clinicId}`);
  await page.getByLabel('Chairs').fill('3');
  await button('Save').click();
  await status().getByText('The schedule is saved.').waitFor();
  await loseNext(`**${hours}`);
  await button('Undo').click();
  await status().getByText('The schedule is as it was before.').waitFor();
  expect(await call('GET', hours)).toEqual(before);

  const url = 'https://lost.example.com/webhooks';
  const { _id } = await call('POST', '/api/webhooksubscriptions', { clinicId, url });
  await open(`/webhooks/${_id}?tab=settings`);
  await page.getByText('Active', { exact: true }).click();
  await button('Save').click();
  await status().getByText('Undoing does not send').waitFor();
  await loseNext('**/api/webhooksubscriptions/*');
  await button('Undo').click();
  await status().getByText('The subscription is as it was before.').waitFor();
  await page.unrouteAll({ behavior: 'wait' });
  const lost = page.errors.splice(0).filter((fault) => !/net::ERR_FAILED|a status of 412/.test(fault));
  expect(lost).toEqual([]);
});
