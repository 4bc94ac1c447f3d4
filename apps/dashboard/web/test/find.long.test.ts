import { createKey } from '@chairside/test-support';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectFaultless, holdBack, type Product, startProduct } from './product.ts';

let product: Product;
beforeAll(async () => {
  product = await startProduct();
});
afterAll(() => product.close());

const heading = (on: Page, name: string) => on.getByRole('heading', { level: 1, name, exact: true });
const focused = (on: Page) => on.locator(':focus');

/** Opens the dialog with the keyboard, and types a text. */
const find = async (on: Page, text: string): Promise<void> => {
  await on.getByRole('heading', { level: 1 }).waitFor();
  await on.keyboard.press('Control+k');
  await field(on).and(focused(on)).waitFor();
  await field(on).pressSequentially(text);
};
const field = (on: Page) => on.getByLabel('Patient, page, clinic, action, host, key or id');
const choose = (on: Page, name: string) => on.getByRole('menuitem', { name, exact: true });

test('Ctrl-K leads to pages, buttons, subscriptions, keys and people, with the keyboard alone', async () => {
  const { store, administrator, clinicIds } = product.service.practice;
  const url = 'https://recall.example.com/webhooks';
  await store.subscriptions.create({ clinicId: clinicIds[0], url, events: [], active: true }, new Date());
  await createKey(store, { name: 'Recall robot', scopes: [], rateLimit: 600 }, new Date());
  const page = await product.openAs(administrator, '/');
  await find(page, 'audit');
  await choose(page, 'Audit log').waitFor();
  await page.keyboard.press('Enter');
  await heading(page, 'Audit log').and(focused(page)).waitFor();

  await find(page, 'new op');
  await choose(page, 'New operator').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'New operator' }).getByLabel('E-mail').and(focused(page)).waitFor();
  // No second dialog opens over the first.
  await page.keyboard.press('Control+k');
  expect(await page.getByRole('dialog').count()).toBe(1);
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);

  await find(page, 'recall');
  await choose(page, 'Recall robot').waitFor();
  await choose(page, 'recall.example.com/webhooks').waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await heading(page, 'API keys').waitFor();
  // The row has the focus, so the next stops are its buttons.
  await page.getByRole('row').filter({ hasText: 'Recall robot' }).and(focused(page)).waitFor();
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'Edit Recall robot' }).and(focused(page)).waitFor();
  await find(page, 'staff');
  await page.getByRole('menuitem', { name: product.service.practice.staff.email }).waitFor();
  await page.keyboard.press('Enter');
  await heading(page, 'Operators').waitFor();
  await page
    .getByRole('row')
    .filter({ hasText: product.service.practice.staff.email })
    .and(focused(page))
    .waitFor();
  // The same on the page that is open.
  await find(page, 'administrator');
  await page.getByRole('menuitem', { name: administrator.email }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('row').filter({ hasText: administrator.email }).and(focused(page)).waitFor();
  await find(page, 'recall.example');
  await choose(page, 'recall.example.com/webhooks').waitFor();
  await page.keyboard.press('Enter');
  await heading(page, url).waitFor();

  await find(page, 'nothing has these words');
  await page.getByText('Nothing matches.').waitFor();
  await page.getByText('subscriptions by host, API keys and operators by name').waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  expectFaultless(page);
  await page.context().close();
});

test('clinics are found by name, with or without marks, and settings by other words', async () => {
  const { store, staff } = product.service.practice;
  const fields = { currency: 'EUR', timezone: 'UTC', lastEditTime: new Date().toISOString() };
  await store.clinics.create({ _id: '01JB0000000000000000C0L0GN', name: 'Köln Altstadt', ...fields });
  const page = await product.openAs(staff, '/records/patients');
  for (const text of ['koln', 'köln alt', 'altst']) {
    await find(page, text);
    await choose(page, 'Köln Altstadt').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  }
  await find(page, 'koln');
  await page.keyboard.press('Enter');
  await heading(page, 'Köln Altstadt').waitFor();
  for (const [text, name] of Object.entries({
    holiday: 'Closed days',
    breaks: 'Blocks',
    office: 'Opening hours',
  })) {
    await find(page, text);
    await choose(page, name).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name, exact: true }).and(page.locator('[aria-current]')).waitFor();
  }
  // Clinics are in the order of their names everywhere.
  const names = await page.getByLabel('Clinic').first().locator('option').allTextContents();
  expect(names).toEqual(names.toSorted());
  expectFaultless(page);
  await page.context().close();
});

test('Ctrl-K works while the dialog before is being removed, and keeps nothing of it', async () => {
  const page = await product.openAs(product.service.practice.administrator, '/operators');
  await page.getByRole('button', { name: 'New operator' }).click();
  await page.getByRole('dialog', { name: 'New operator' }).locator('input:focus').waitFor();
  /** Both keys in one task: the first dialog is still on the page. */
  const leaveAndFind = () =>
    page.evaluate(() => {
      const press = (key: string, ctrlKey = false) =>
        (document.activeElement ?? document.body).dispatchEvent(
          new KeyboardEvent('keydown', { key, ctrlKey, bubbles: true, cancelable: true }),
        );
      press('Escape');
      press('k', true);
    });
  await leaveAndFind();
  await field(page).and(focused(page)).waitFor();
  await expect.poll(() => page.getByRole('dialog').count()).toBe(1);
  await page.keyboard.type('audit');
  await choose(page, 'Audit log').waitFor();
  await leaveAndFind();
  await choose(page, 'Overview').waitFor();
  await field(page).and(focused(page)).waitFor();
  expect(await field(page).inputValue()).toBe('');
  expect(await page.getByRole('dialog').count()).toBe(1);
  expectFaultless(page);
  await page.context().close();
});

test('a pasted id leads to a delivery, an event, a record or a request, and is read once', async () => {
  const { service } = product;
  const { administrator, clinicIds } = service.practice;
  const patient = await service.call('POST', '/api/patients', {
    clinicId: clinicIds[0],
    name: 'Ada Beispiel',
  });
  const [clinicId] = clinicIds;
  const imported = await service.call('POST', '/api/patients', { clinicId, externalId: 'pms:4711' });
  const visit = await service.call('POST', '/api/appointments', { clinicId, externalId: 'visit/2030-17' });
  const { requestId } = patient;
  const deliveries = service.database.collection('deliveries');
  await expect.poll(() => deliveries.countDocuments({ requestId })).toBeGreaterThan(0);
  const delivery = await deliveries.findOne({ requestId });
  const patientId = String(patient.json._id);
  // The log shows an event some seconds after it happened.
  const events = service.database.collection('events');
  await expect.poll(() => events.countDocuments({ about: patientId })).toBe(1);
  const page = await product.openAs(administrator, '/account');
  const signedIn = await service.database.collection('auditEntries').findOne({ action: 'signed_in' });
  for (const [id, path] of [
    [delivery?._id, `/deliveries/${delivery?._id}`],
    [delivery?.eventId, `/events/${delivery?.eventId}`],
    [patientId, `/records/patients/${patientId}`],
    [requestId, '/deliveries'],
    [signedIn?.requestId, '/audit'],
    ['pms:4711', `/records/patients/${imported.json._id}`],
    ['visit/2030-17', `/records/appointments/${visit.json._id}`],
  ]) {
    await find(page, String(id));
    await choose(page, 'Open what has this id').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname === path);
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  }
  const reads = { kind: 'patient', action: 'read', ids: patientId };
  await expect.poll(() => service.database.collection('auditEntries').countDocuments(reads)).toBe(1);
  await find(page, '00000000000000000000000000');
  await choose(page, 'Open what has this id').click();
  await page.getByText('Nothing has this id, or it was deleted.').waitFor();
  expectFaultless(page, 404);
  await page.context().close();
});

test('staff find pages and patients, and an e-mail enters neither the address nor the history', async () => {
  const { service } = product;
  const { staff, clinicIds } = service.practice;
  const email = 'hidden.patient@example.com';
  await service.call('POST', '/api/patients', { clinicId: clinicIds[0], name: 'Mila Test', email });
  await service.call('POST', '/api/patients', { clinicId: clinicIds[0], name: 'Somebody else' });
  const page = await product.openAs(staff, '/account');
  await find(page, 'new');
  expect(await page.getByRole('menuitem').allTextContents()).toEqual(['New access token']);
  await page.keyboard.press('Escape');
  await find(page, email);
  await choose(page, 'Find the patient with this e-mail').waitFor();
  await page.keyboard.press('Enter');
  await heading(page, 'Patients').waitFor();
  await page.getByText('Mila Test').waitFor();
  await expect.poll(() => page.getByRole('row').count()).toBe(2);
  const visible = await page.evaluate(() =>
    JSON.stringify([
      location.href,
      document.title,
      history.state,
      { ...localStorage },
      { ...sessionStorage },
    ]),
  );
  expect(visible).not.toMatch(/hidden|%40|@/);
  await page.goBack();
  await heading(page, 'Account').waitFor();
  await page.goForward();
  await page.getByText('Mila Test').waitFor();
  expectFaultless(page);
  await page.context().close();
});

test('a search that was closed leads nobody away', async () => {
  const { service } = product;
  const { administrator, clinicIds } = service.practice;
  const { json: patient } = await service.call('POST', '/api/patients', {
    clinicId: clinicIds[0],
    name: 'Lena Muster',
  });
  const page = await product.openAs(administrator, '/account');
  const path = `**/api/patients/${patient._id}`;
  const release = await holdBack(page, path);
  await find(page, String(patient._id));
  const asked = page.waitForRequest(path);
  await choose(page, 'Open what has this id').click();
  await asked;
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  await page.getByRole('link', { name: 'API keys' }).click();
  await heading(page, 'API keys').waitFor();
  const arrived = page.waitForResponse(path);
  release();
  await arrived;
  await page.getByRole('link', { name: 'Schedule' }).click();
  await heading(page, 'Schedule').waitFor();
  await page.goBack();
  await heading(page, 'API keys').waitFor();
  expectFaultless(page, 404);
  await page.context().close();
});

test('a search for a patient is forgotten if the person stays on a page with a form', async () => {
  const { service } = product;
  const { administrator, clinicIds } = service.practice;
  await service.call('POST', '/api/patients', { clinicId: clinicIds[0], name: 'Lena Zweite' });
  const [clinicId] = product.service.practice.clinicIds;
  const page = await product.openAs(administrator, `/schedule?clinicId=${clinicId}`);
  await page.getByLabel('Chairs').fill('5');
  await page.keyboard.press('Tab');
  await find(page, 'lena@example.com');
  await choose(page, 'Find the patient with this e-mail').click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Keep editing' }).click();
  await page.getByRole('button', { name: 'Discard', exact: true }).click();
  await page.getByRole('link', { name: 'Patients' }).click();
  await page.getByText('Search for a patient').waitFor();
  expect(await page.getByLabel('Name, phone, e-mail or id', { exact: true }).inputValue()).toBe('');
  expectFaultless(page, 404);
  await page.context().close();
});

test('what is typed and pasted right after Ctrl-K is not lost while its code is loaded', async () => {
  const { staff } = product.service.practice;
  const page = await product.openAs(staff, '/account');
  const release = await holdBack(page, '**/assets/FindDialog-*');
  await page.reload();
  await heading(page, 'Account').waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('schedulx');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Enter');
  await page.evaluate(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', 'e');
    document.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  });
  expect(await page.getByRole('dialog').count()).toBe(0);
  release();
  await page.getByRole('dialog').locator('input:focus').waitFor();
  await expect.poll(() => page.getByRole('dialog').locator('input').inputValue()).toBe('schedule');
  // As after typing, the first entry has the focus.
  await page.getByRole('menuitem', { name: 'Schedule' }).and(page.locator('[data-focused]')).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/schedule');
  await page.unrouteAll({ behavior: 'wait' });
  expectFaultless(page);
  await page.context().close();
});
