import { createKey } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { button, chooseAction, done, heading, keep, type Product, REFUSED, startProduct } from './product.ts';

let product: Product;
beforeAll(async () => {
  product = await startProduct();
});
afterAll(() => product.close());

const administrator = () => product.service.practice.administrator;

test('two administrators edit one key: the second sees both versions', async () => {
  const { store } = product.service.practice;
  const made = await createKey(store, { name: 'Shared', scopes: [], rateLimit: 600 }, new Date());
  const page = await product.openAs(administrator(), '/keys');
  await page.getByRole('button', { name: 'Edit Shared' }).click();
  await page.getByLabel('Requests per minute').fill('500');
  await store.apiKeys.update(made._id, { name: 'Shared by Ada' }, new Date(Date.now() + 1000));
  await button(page, 'Save').click();
  const alert = page.getByRole('alert');
  await alert.getByText('Somebody else has changed this key').waitFor();
  await alert.getByText('Name: Shared by Ada').waitFor();
  await button(page, 'Save').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const row = page
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name: 'Shared', exact: true }) });
  await row.getByRole('cell', { name: '500' }).waitFor();
  await done(page);
});

test('an access token is shown once, works for a program, and is revoked', async () => {
  const userAgent = '<img src=x onerror=alert(1)>';
  const page = await product.openAs(product.service.practice.staff, '/tokens', { userAgent });
  await page.getByRole('rowheader', { name: `${userAgent} (this browser)` }).waitFor();
  await button(page, 'New access token').click();
  await page.getByLabel('Password').fill(product.service.practice.staff.password);
  await button(page, 'Create').click();
  const token = await page.getByLabel('Access token', { exact: true }).inputValue();
  const as = `Token ${token}`;
  expect((await product.service.call('GET', '/api/sessions/current', undefined, as)).status).toBe(200);
  await keep(page);
  await expect.poll(() => page.content()).not.toContain(token);
  expect(await page.getByText('(this browser)').count()).toBe(1);
  const limits = page.getByRole('row').last().locator('time');
  expect((await limits.allTextContents()).slice(-2).join(', ')).toMatch(/^in (59 min|1 hr), in 1[12] hr$/);
  await page.getByRole('row').last().getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect((await product.service.call('GET', '/api/sessions/current', undefined, as)).status).toBe(401);
  await done(page);
});

test('a program token is shown once, works for its clinic, needs attention before it ends, and is ended', async () => {
  const { service } = product;
  const [clinicId] = service.practice.clinicIds;
  const page = await product.openAs(service.practice.administrator, '/tokens');
  await page.getByText('It can read patient data in events.').waitFor();
  await button(page, 'New program token').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('can read patient data in events').waitFor();
  await dialog.getByLabel('Name').fill('Onboarding');
  await dialog.getByLabel('Days until it ends').fill('366');
  await button(page, 'Create').click();
  await page.getByText('Days until it ends must be at most 365.').waitFor();
  await dialog.getByLabel('Days until it ends').fill('6');
  await dialog.getByText('North').click();
  await button(page, 'Create').click();
  const token = await page.getByLabel('Program token', { exact: true }).inputValue();
  await keep(page);
  await expect.poll(() => page.content()).not.toContain(token);
  const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.cookie]));
  expect(stored).not.toContain(token);

  const subscribe = (clinic: string) =>
    service.call(
      'POST',
      '/api/webhooksubscriptions',
      { clinicId: clinic, url: 'https://onboarded.example.com/' },
      `Token ${token}`,
    );
  expect((await subscribe(service.practice.clinicIds[1])).status).toBe(400);
  expect((await subscribe(clinicId)).status).toBe(200);

  await page.goto(product.url);
  await page.getByText('This program token ends').waitFor();
  await page.getByText('first used from this network the program token').waitFor();
  const changes = page.getByRole('region', { name: 'Security changes' }).getByRole('row');
  const marked = changes.filter({ hasText: 'host that is new to the organization' });
  // The refused creation is no change.
  expect((await marked.allTextContents()).map((text) => text.includes('the values were not valid'))).toEqual([
    false,
    true,
  ]);
  await page.getByRole('main').getByRole('link', { name: 'Onboarding' }).first().click();
  const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'Onboarding' }) });
  await row.getByRole('cell', { name: 'North' }).waitFor();
  await row.getByRole('button', { name: 'End' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect((await subscribe(clinicId)).status).toBe(401);
  await done(page, [REFUSED(400)]);
});

test('staff see which role a page needs', async () => {
  const page = await product.openAs(product.service.practice.staff, '/keys');
  await heading(page, 'Not allowed');
  await page.getByText('This page needs the role administrator').waitFor();
  expect(await page.getByRole('navigation', { name: 'Main' }).getByRole('link').allTextContents()).toEqual([
    'Today',
    'Patients',
    'Appointments',
    'Schedule',
    'Invoices',
    'Payments',
    'Treatments',
    'Clinics',
    'Events',
    'Access tokens',
  ]);
  await done(page);
});

test('a change that arrives while another one is being saved is shown, and not overwritten', async () => {
  const { store, clinicIds } = product.service.practice;
  const url = `${product.service.receiver.url}/raced`;
  const key = await createKey(store, { name: 'Raced', scopes: [], rateLimit: 600 }, new Date());
  const fields = { email: 'raced@example.com', password: 'a password of somebody', role: 'staff' } as const;
  const operator = await store.operators.create(fields, new Date());
  const created = { clinicId: clinicIds[0], url, events: [], active: true };
  const subscription = await store.subscriptions.create(created, new Date());
  if (typeof operator === 'string') throw new Error('the e-mail address is taken');
  const page = await product.openAs(administrator(), '/keys');
  /** Saves, while somebody else makes a change between the reading of the page and its request. */
  const saveDuring = async (change: () => Promise<unknown>): Promise<void> => {
    let isChanged = false;
    await page.route('**/api/**', async (route) => {
      if (!isChanged && route.request().method() === 'PUT') {
        isChanged = true;
        await change();
      }
      await route.continue();
    });
    await button(page, 'Save').click();
    await page.getByRole('alert').getByText('Somebody else has changed this').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
  };

  await page.getByRole('button', { name: 'Edit Raced' }).click();
  await page.getByLabel('Requests per minute').fill('500');
  await saveDuring(() => store.apiKeys.update(key._id, { rateLimit: 300 }, new Date()));
  await page.getByRole('alert').getByText('Requests per minute: 300').waitFor();
  await button(page, 'Cancel').click();

  await page.goto(`${product.url}/operators`);
  await chooseAction(page, fields.email, 'Edit');
  await page.getByLabel('Role').selectOption('administrator');
  await saveDuring(() => store.operators.update(operator._id, { email: 'raced.b@example.com' }, new Date()));
  await page.getByRole('alert').getByText('E-mail: raced.b@example.com').waitFor();
  await button(page, 'Cancel').click();

  await page.goto(`${product.url}/webhooks/${subscription?._id}?tab=settings`);
  await page.getByLabel('URL', { exact: true }).fill(`${url}/mine`);
  await saveDuring(() =>
    store.subscriptions.update(String(subscription?._id), { url: `${url}/theirs` }, new Date()),
  );
  await page.getByText(`URL: ${url}/theirs`).waitFor();
  // The operator has seen the conflict, and decides.
  await button(page, 'Save').click();
  await page.getByText('Saved').waitFor();
  expect((await store.subscriptions.find(String(subscription?._id)))?.url).toBe(`${url}/mine`);
  await done(page, [REFUSED(412)]);
});
