import { createKey } from '@chairside/test-support';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chooseAction, type Product, startProduct, type WatchedPage } from './product.ts';

let product: Product;
let page: WatchedPage;
let subscriptionId: string;
let keyName: string;
/** The e-mail address of an operator whom the tests may change. */
let email: string;

beforeAll(async () => {
  product = await startProduct();
  const { store, clinicIds, administrator, staff } = product.service.practice;
  keyName = (await createKey(store, { name: 'Recall robot', scopes: [], rateLimit: 600 }, new Date())).name;
  const fields = { clinicId: clinicIds[0], url: product.service.receiver.url, events: [], active: true };
  subscriptionId = (await store.subscriptions.create(fields, new Date()))?._id ?? '';
  email = staff.email;
  // A delivery that can be redelivered.
  const [{ organizationId }, clinicId] = [product.service.practice, clinicIds[0]];
  await product.service.database.collection<{ _id: string }>('deliveries').insertOne({
    ...{
      _id: 'failed',
      organizationId,
      clinicId,
      subscriptionId,
      eventId: 'event',
      event: 'patient.created',
    },
    ...{ kind: 'event', status: 'failed', cause: 'timeout', createdTime: new Date() },
  });
  page = await product.openAs(administrator, '/account');
});
afterAll(() => product.close());

/** A form: how it is opened, what a person enters, and the request that its button sends. */
type Form = {
  name: string;
  path: () => string;
  open?: (on: Page) => Promise<void>;
  /** The fields by their labels. The first one is emptied before, to be refused by the browser. */
  fields: () => Record<string, string>;
  /** The name of the first field in the api. */
  field: string;
  submit: string;
  method: string;
  request: RegExp;
  /** Leaves a form that is not a dialog and asks before its content is lost. */
  leave?: (on: Page) => Promise<void>;
};

const press = (name: string) => async (on: Page) => {
  await on.getByRole('button', { name, exact: true }).click();
};

const FORMS: readonly Form[] = [
  {
    name: 'change of the password',
    path: () => '/account',
    fields: () => ({ 'Current password': 'the current one', 'New password': 'another password' }),
    field: 'password',
    submit: 'Change password',
    method: 'PUT',
    request: /\/api\/sessions\/current\/password$/,
  },
  {
    name: 'new key',
    path: () => '/keys',
    open: press('New key'),
    fields: () => ({ Name: 'Website' }),
    field: 'name',
    submit: 'Create',
    method: 'POST',
    request: /\/api\/apikeys$/,
  },
  {
    name: 'edit of a key',
    path: () => '/keys',
    open: press('Edit Recall robot'),
    fields: () => ({ Name: 'Recall' }),
    field: 'name',
    submit: 'Save',
    method: 'PUT',
    request: /\/api\/apikeys\/[^/]+$/,
  },
  {
    name: 'reveal of a key',
    path: () => '/keys',
    open: press('Reveal Recall robot'),
    fields: () => ({ Password: 'the password' }),
    field: 'password',
    submit: 'Reveal',
    method: 'POST',
    request: /\/api\/apikeys\/[^/]+\/reveal$/,
  },
  {
    name: 'new subscription',
    path: () => '/webhooks',
    async open(page) {
      await press('New subscription')(page);
      await page.getByRole('dialog').getByLabel('Clinic').selectOption({ index: 1 });
    },
    fields: () => ({ URL: 'https://receiver.example.com/' }),
    field: 'url',
    submit: 'Create',
    method: 'POST',
    request: /\/api\/webhooksubscriptions$/,
  },
  {
    name: 'settings of a subscription',
    path: () => `/webhooks/${subscriptionId}?tab=settings`,
    fields: () => ({ URL: 'https://receiver.example.com/' }),
    field: 'url',
    submit: 'Save',
    method: 'PUT',
    request: /\/api\/webhooksubscriptions\/[^/]+$/,
    leave: press('Discard'),
  },
  {
    name: 'redelivery of a time range',
    path: () => `/webhooks/${subscriptionId}`,
    open: press('Redeliver…'),
    fields: () => ({ From: '2020-01-31T09:30' }),
    field: 'since',
    submit: 'Redeliver',
    method: 'POST',
    request: /\/api\/webhooksubscriptions\/[^/]+\/redeliver/,
  },
  {
    name: 'new operator',
    path: () => '/operators',
    open: press('New operator'),
    fields: () => ({ 'E-mail': 'new@example.com' }),
    field: 'email',
    submit: 'Invite',
    method: 'POST',
    request: /\/api\/operators$/,
  },
  {
    name: 'edit of an operator',
    path: () => '/operators',
    open: (on) => chooseAction(on, email, 'Edit'),
    fields: () => ({ 'E-mail': 'renamed@example.com' }),
    field: 'email',
    submit: 'Save',
    method: 'PUT',
    request: /\/api\/operators\/[^/]+$/,
  },
  {
    name: 'new access token',
    path: () => '/tokens',
    open: press('New access token'),
    fields: () => ({ Password: 'the password' }),
    field: 'password',
    submit: 'Create',
    method: 'POST',
    request: /\/session\/tokens$/,
  },
  {
    name: 'new program token',
    path: () => '/tokens',
    open: press('New program token'),
    fields: () => ({ Name: 'Onboarding', 'Days until it ends': '30' }),
    field: 'name',
    submit: 'Create',
    method: 'POST',
    request: /\/api\/sessions\/current\/tokens$/,
  },
  {
    name: 'opening hours',
    path: () => `/schedule?clinicId=${product.service.practice.clinicIds[0]}`,
    fields: () => ({ Chairs: '3', 'Minutes between slots': '20' }),
    field: 'chairs',
    submit: 'Save',
    method: 'PUT',
    request: /\/api\/clinics\/[^/]+\/openinghours$/,
    leave: press('Discard'),
  },
  {
    name: 'new provider',
    path: () => '/schedule?tab=providers',
    open: press('New provider'),
    fields: () => ({ 'Display name': 'Dr. Ines Albers' }),
    field: 'name',
    submit: 'Create',
    method: 'POST',
    request: /\/api\/providers$/,
  },
  {
    name: 'new procedure',
    path: () => '/schedule?tab=procedures',
    open: press('New procedure'),
    fields: () => ({ Name: 'Crown', Price: '640.50' }),
    field: 'name',
    submit: 'Create',
    method: 'POST',
    request: /\/api\/procedures$/,
  },
  {
    name: 'new block',
    path: () => '/schedule?tab=blocks',
    async open(page) {
      await press('New block')(page);
      await page.getByRole('dialog').getByLabel('Clinic').selectOption({ index: 1 });
    },
    fields: () => ({ Start: '2030-01-31T09:30', End: '2030-01-31T10:00' }),
    field: 'startTime',
    submit: 'Create',
    method: 'POST',
    request: /\/api\/calendarblocks$/,
  },
];

/** Two frames, after which the page has shown what an event has changed. */
const frames = (on: Page): Promise<unknown> =>
  on.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/**
 * Presses a button with the mouse like a person: down, a while, up. Expects that the button stays below the pointer.
 */
const pressLikeAPerson = async (on: Page, button: Locator): Promise<void> => {
  await button.scrollIntoViewIfNeeded();
  const before = await button.boundingBox();
  if (before === null) throw new Error('the button is not shown');
  await on.mouse.move(before.x + before.width / 2, before.y + before.height / 2);
  await on.mouse.down();
  await frames(on);
  expect(await button.boundingBox()).toEqual(before);
  await on.mouse.up();
};

test.each(FORMS)('a press reaches the button after a corrected field: $name', async (form) => {
  const { path, open, fields, field, submit, method, request, leave } = form;
  await page.goto(product.url + path());
  await page.getByRole('heading', { level: 1 }).waitFor();
  await open?.(page);
  const message =
    'This value is refused. Choose another one, which may be longer than this one, and send it again.';
  const refusal = { name: 'ValidationError', message, details: { issues: [{ path: field, message }] } };
  await page.route(request, (route) =>
    route.request().method() === method ? route.fulfill({ status: 400, json: refusal }) : route.fallback(),
  );
  const button = page.getByRole('button', { name: submit, exact: true });
  const entries = Object.entries(fields());
  const [first = ''] = entries.map(([label]) => label);
  const isRefused = () =>
    page.waitForResponse(
      (response) => request.test(response.url()) && response.request().method() === method,
    );

  // The browser refuses an empty field.
  await page.getByLabel(first, { exact: true }).fill('');
  await pressLikeAPerson(page, button);
  await page.getByText(/(One field needs|fields need) a change/).waitFor();
  // The field that is wrong has the focus, and keeps its message while it is corrected.
  await page.getByLabel(first, { exact: true }).and(page.locator(':focus')).waitFor();
  for (const [label, value] of entries) await page.getByLabel(label, { exact: true }).fill(value);
  const sent = isRefused();
  await pressLikeAPerson(page, button);
  await sent;
  // The api refuses a value. The message is at the field.
  await page.getByText(message).first().waitFor();
  await page.getByLabel(first, { exact: true }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('End');
  // Another value of the same kind.
  const again = entries[0]?.[1].replace(/30$/, '31') ?? '';
  await page.getByLabel(first, { exact: true }).fill(again);
  const sentAgain = isRefused();
  await pressLikeAPerson(page, button);
  await sentAgain;
  await page.unrouteAll({ behavior: 'wait' });
  await leave?.(page);
});

test('a press reaches the button of the sign-in page after a refusal', async () => {
  const own = await product.open('/sign-in');
  const button = own.getByRole('button', { name: 'Sign in', exact: true });
  await pressLikeAPerson(own, button);
  await own.getByText('2 fields need a change.').waitFor();
  await own.getByLabel('E-mail').fill('nobody@example.com');
  await own.getByLabel('Password', { exact: true }).fill('not the password');
  await pressLikeAPerson(own, button);
  await own.getByRole('alert').getByText('Wrong e-mail or password').waitFor();
  const { administrator } = product.service.practice;
  await own.getByLabel('E-mail').fill(administrator.email);
  await own.getByLabel('Password', { exact: true }).fill(administrator.password);
  await pressLikeAPerson(own, button);
  await own.locator('#content').waitFor();
  await own.context().close();
});

test('Escape asks before a form that was filled in is discarded, and the first field has the focus', async () => {
  await page.goto(`${product.url}/keys`);
  await press('New key')(page);
  await page.getByLabel('Name', { exact: true }).and(page.locator(':focus')).waitFor();
  await page.keyboard.type('Half');
  await page.keyboard.press('Escape');
  const question = page.getByRole('alertdialog', { name: 'Discard what you have entered?' });
  await question.getByRole('button', { name: 'Keep editing' }).click();
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Half');
  await page.keyboard.press('Escape');
  await question.getByRole('button', { name: 'Discard' }).click();
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  // An untouched form closes at once.
  await press('New key')(page);
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
});

test('Escape and a press outside keep a secret that is shown once', async () => {
  await page.goto(`${product.url}/webhooks`);
  await press('New subscription')(page);
  await page.getByRole('dialog').getByLabel('Clinic').selectOption({ index: 1 });
  await page.getByLabel('URL', { exact: true }).fill(`${product.service.receiver.url}/kept`);
  await press('Create')(page);
  const secret = page.getByLabel('Secret', { exact: true });
  expect(await secret.inputValue()).toMatch(/^whsec_/);
  expect(await page.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true);
  await page.keyboard.press('Escape');
  await page.getByRole('alert').getByText('This does not close the dialog.').waitFor();
  await page.mouse.click(5, 5);
  expect(await secret.isVisible()).toBe(true);
  await page.getByLabel('I have kept it').check();
  await press('Done')(page);
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
});

test('three keys lead to the first row of a list, and none leads to a list that is absent', async () => {
  await page.goto(`${product.url}/webhooks`);
  await page.locator('.row-link').first().waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'Skip to the list' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.row-link').first().and(page.locator(':focus')).waitFor();
  await page.goto(`${product.url}/account`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  expect(await page.locator(':focus').textContent()).not.toContain('Skip');
});

test('the first press of Tab reaches the link to the content', async () => {
  await page.goto(`${product.url}/keys`);
  await page.getByRole('button', { name: `Edit ${keyName}` }).waitFor();
  await page.keyboard.press('Tab');
  await page.getByRole('link', { name: 'Skip to content' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'New key' }).and(page.locator(':focus')).waitFor();
});
