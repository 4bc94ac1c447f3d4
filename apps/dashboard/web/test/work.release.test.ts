import { createServer } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { begin, HANDS, type Hands } from './hands.ts';
import {
  button,
  expectFaultless,
  heading,
  type Product,
  setHours,
  startProduct,
  type WatchedPage,
} from './product.ts';
import { everyDay } from './today-practice.ts';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

let product: Product;
beforeAll(async () => {
  product = await startProduct();
  await setHours(product, { weekdays: everyDay([{ opens: '00:00', closes: '24:00' }]) });
});
afterAll(() => product.close());

const menuItem = (on: Page, name: string) => on.getByRole('menuitem', { name, exact: true });

/** Keeps a secret that is shown once, and returns it. */
const kept = async (page: Page, { press, tick }: Hands, label: string): Promise<string> => {
  const secret = await page.getByLabel(label, { exact: true }).inputValue();
  await tick(page.getByRole('dialog'), 'I have kept it');
  await press(button(page, 'Done'));
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  return secret;
};

const end = async (page: WatchedPage, hands: Hands): Promise<void> => {
  await hands.press(page.getByRole('button', { name: /^Account menu/ }).filter({ visible: true }));
  await hands.press(menuItem(page, 'Sign out'));
  await heading(page, 'Sign in');
  expectFaultless(page);
  await page.context().close();
};

test.each(HANDS)('the first hour of an administrator, with the $name', async (hands) => {
  const { press, tick, enter, go, name } = hands;
  const { service } = product;
  const page = await begin(product, hands, service.practice.administrator);
  await heading(page, 'Overview');

  // A subscription, its secret, and a test of the receiver.
  await go(page, 'Webhooks');
  await heading(page, 'Webhooks');
  await press(button(page, 'New subscription'));
  const url = `${service.receiver.url}/${name}`;
  await page.getByRole('dialog').getByLabel('Clinic').selectOption({ index: 1 });
  await enter(page.getByLabel('URL', { exact: true }), url);
  await tick(page.getByRole('dialog'), 'Patients: all');
  await press(button(page, 'Create'));
  await page.getByText('Verify in Node.js').waitFor();
  expect(await kept(page, hands, 'Secret')).toMatch(/^whsec_/);
  await press(page.getByRole('link', { name: url }));
  await heading(page, url);
  await press(button(page, 'Send test'));
  await page.getByRole('region', { name: 'Outcome' }).getByText('Succeeded').waitFor();

  // A key that may write, in one pass, and its first call.
  await go(page, 'API keys');
  await heading(page, 'API keys');
  await press(button(page, 'New key'));
  await enter(page.getByLabel('Name', { exact: true }), `Website ${name}`);
  await tick(page.getByRole('dialog'), 'Write patients');
  await page.getByText('This key can change records.').waitFor();
  await press(button(page, 'Create'));
  await page.getByText('A first call').waitFor();
  const secret = await kept(page, hands, 'Secret');
  const patient = { clinicId: service.practice.clinicIds[0], name: 'Ada Beispiel' };
  const called = await service.call('POST', '/api/patients', patient, `Basic ${btoa(secret)}`);
  expect(called.status).toBe(200);

  // A colleague.
  await go(page, 'Operators');
  await heading(page, 'Operators');
  await press(button(page, 'New operator'));
  const email = `${name}@practice.example.com`;
  await enter(page.getByLabel('E-mail', { exact: true }), email);
  await press(button(page, 'Invite'));
  expect(await kept(page, hands, 'Link')).toMatch(/\/invitation#\S+$/);
  await page.getByRole('row').filter({ hasText: email }).getByText('Invited').waitFor();

  // What was done, with links to what it was done to.
  await go(page, 'Audit log');
  await heading(page, 'Audit log');
  const creation = page.getByRole('row').filter({ hasText: `created API key Website ${name}` });
  await press(creation.getByRole('link', { name: `Website ${name}` }));
  await heading(page, 'API keys');
  await end(page, hands);
});

test.each(HANDS)('the morning of a receptionist, with the $name', async (hands) => {
  const { press, enter, go, name } = hands;
  const { service } = product;
  const [clinicId] = service.practice.clinicIds;
  const email = `${name}.patient@example.com`;
  const called = `Mila ${name}`;
  const patient = await service.call('POST', '/api/patients', { clinicId, name: called, email });
  const patientId = patient.json._id;
  // The patients of the others come at other times.
  const hour = 9 + 2 * HANDS.indexOf(hands);
  for (const days of [0, 1]) {
    const start = Math.floor(Date.now() / DAY_MS) * DAY_MS + hour * HOUR_MS + days * DAY_MS;
    const [startTime, endTime] = [start, start + HOUR_MS].map((time) => new Date(time).toISOString());
    const status = days === 0 ? 'PATIENT_ARRIVED' : 'SCHEDULED';
    await service.call('POST', '/api/appointments', { clinicId, patientId, startTime, endTime, status });
  }
  const page = await begin(product, hands, service.practice.staff);

  // The day: who comes, and who comes tomorrow.
  await press(button(page, 'North'));
  const row = page.locator('.visit').filter({ hasText: called });
  await row.getByText('Arrived').waitFor();
  const tomorrow = new Date(Date.now() + DAY_MS);
  const days = page.getByRole('list', { name: 'Days' }).getByRole('link');
  if (name === 'keyboard') {
    await days.and(page.locator('[aria-current]')).focus();
    await page.keyboard.press('ArrowRight');
  } else {
    if (tomorrow.getUTCDay() === 1) await press(button(page, 'Next week'));
    await press(days.filter({ hasText: new RegExp(`\\D${tomorrow.getUTCDate()}$`) }));
  }
  await row.getByText('Scheduled').waitFor();
  if (name === 'keyboard') await page.keyboard.press('t');
  else await press(button(page, 'Today'));
  await row.getByText('Arrived').waitFor();

  // The appointment leads to the patient, with what is coming and what was.
  if (name === 'keyboard') {
    await page.locator('.day-grid [data-stop][tabindex="0"]').focus();
    // The patient of the keyboard comes second.
    for (const key of ['ArrowUp', 'ArrowUp', 'ArrowDown']) await page.keyboard.press(key);
    await row.locator('a:focus').waitFor();
    await page.keyboard.press('Enter');
  } else await press(row.getByRole('link', { name: called }));
  await heading(page, 'Appointment');
  await press(page.locator('#content').getByRole('link', { name: called }));
  await heading(page, called);
  const coming = page.getByRole('region', { name: /^Coming appointments/ });
  await coming.getByText('Scheduled').waitFor();
  await page.getByRole('region', { name: /^Invoices/ }).waitFor();
  expect(await page.getByText('Who has seen this?').count()).toBe(0);

  // The telephone rings: a patient, by name.
  await go(page, 'Patients');
  await heading(page, 'Patients');
  await enter(page.getByLabel('Name, phone, e-mail or id'), called.toUpperCase());
  await press(button(page, 'Search'));
  await expect.poll(() => page.getByRole('row').count()).toBe(2);
  await press(page.getByRole('link', { name: called }));
  await heading(page, called);
  expect(page.url()).not.toContain(name);
  await end(page, hands);
});

/** A port on which nobody listens. */
const closedPort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
};

test.each(HANDS)('an IT helper repairs a receiver, with the $name', async (hands) => {
  const { press, enter, go, name } = hands;
  const { service } = product;
  const { administrator, store, clinicIds } = service.practice;
  const [clinicId] = clinicIds;
  const url = `http://127.0.0.1:${await closedPort()}/${name}`;
  const made = await store.subscriptions.create(
    { clinicId, url, events: ['patient.*'], active: true },
    new Date(),
  );
  await service.call('POST', '/api/patients', { clinicId, name: 'Jonas Beispiel' });
  const failed = { subscriptionId: made?._id, status: 'failed' };
  const deliveries = service.database.collection('deliveries');
  await expect.poll(() => deliveries.countDocuments(failed)).toBe(1);
  const page = await begin(product, hands, administrator);

  // What is wrong, and why.
  const attention = page.getByRole('table', { name: 'Table of what needs attention' });
  const row = attention.getByRole('row').filter({ hasText: `/${name}` });
  await row.getByText('1 failure in a row, the last: no connection').waitFor();
  await press(row.getByRole('link', { name: 'See failures' }));
  await heading(page, 'Deliveries');
  await press(page.getByRole('link', { name: 'patient.created' }).first());
  await heading(page, 'Delivery');
  await page.getByText('The receiver refused the connection.').waitFor();

  // The repair, and a test of it.
  await press(
    page
      .locator('#content')
      .getByRole('link', { name: `/${name}` })
      .first(),
  );
  await heading(page, url);
  await press(page.getByRole('tab', { name: 'Settings' }));
  const repaired = `${service.receiver.url}/repaired-${name}`;
  await enter(page.getByLabel('URL', { exact: true }), repaired);
  await press(button(page, 'Save'));
  await page.getByText('Saved').waitFor();
  await press(button(page, 'Send test'));
  await page.getByRole('region', { name: 'Outcome' }).getByText('Succeeded').waitFor();
  await page.goBack();
  await heading(page, repaired);

  // What was missed is sent again: the count before, the result after.
  await press(button(page, 'Redeliver…'));
  await page.getByText('In this range: 1 failed.').waitFor();
  await press(button(page, 'Redeliver'));
  await page.getByRole('cell', { name: '1 created, 0 waiting, 1 succeeded, 0 failed' }).waitFor();
  await page.getByText('Done', { exact: true }).waitFor();
  await go(page, 'Overview');
  await heading(page, 'Overview');
  await page.getByText('Nothing. No receiver fails now.').waitFor();
  await end(page, hands);
});
