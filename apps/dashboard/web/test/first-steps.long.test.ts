import { createPractice, type Practice } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findingsOf } from './axe.ts';
import { begin, HANDS } from './hands.ts';
import { button, done, heading, type Product, REFUSED, signIn, startProduct } from './product.ts';

let product: Product;
beforeAll(async () => {
  product = await startProduct();
});
afterAll(() => product.close());

/** A practice without anything but its administrator. */
const emptyPractice = async (): Promise<Practice> => {
  const practice = await createPractice(product.service.store);
  const { store, clinicIds, staff } = practice;
  for (const _id of clinicIds) await product.service.database.collection('clinics').deleteOne({ _id });
  for (const { _id } of await store.apiKeys.list()) await store.apiKeys.delete(_id);
  await product.service.database.collection('operators').deleteOne({ _id: staff._id });
  return practice;
};

/** The pages with lists, and who fills them, by their paths. */
const EMPTY: Readonly<Record<string, string>> = {
  '/webhooks': 'The operator of the service adds your first one',
  '/deliveries': 'There is no subscription yet',
  '/events': 'The program of your practice writes them with an API key',
  '/records/payments': 'The program of your practice writes them with an API key',
  '/records/invoices': 'The program of your practice writes them with an API key',
  '/records/clinics': 'The operator of the service adds clinics',
  '/schedule': 'The operator of the service creates clinics',
  '/keys': 'give its secret to the developer',
  '/connections': 'Add this address in an AI assistant',
};

test('no list of an empty practice is a dead end, and none asks for a shell', async () => {
  const { administrator } = await emptyPractice();
  const page = await product.openAs(administrator, '/');
  for (const [path, text] of Object.entries(EMPTY)) {
    await page.goto(product.url + path);
    await page.getByText(text).waitFor();
    expect({
      path,
      code: await page
        .locator('#content')
        .getByText(/chairside-admin|npm |curl /)
        .count(),
    }).toEqual({
      path,
      code: 0,
    });
  }
  expect(await button(page, 'New subscription').count()).toBe(0);
  await done(page);
});

test.each(HANDS)(
  'five steps tick themselves until the first webhook arrives, with the $name',
  async (hands) => {
    const { administrator, store } = await emptyPractice();
    const call = async (method: string, path: string, body?: object): Promise<any> => {
      const { status, json } = await product.service.call(method, path, body, `Token ${administrator.token}`);
      expect({ path, status }).toEqual({ path, status: 200 });
      return json;
    };
    const page = await begin(product, hands, administrator);
    const steps = page.getByRole('region', { name: 'First steps' });
    const step = (name: string) => steps.getByRole('listitem').filter({ hasText: name });
    const progress = async (count: number) => {
      await page.goto(product.url);
      await steps.getByText(`${count} of 5 done`).waitFor();
    };
    await steps.getByText('0 of 5 done').waitFor();
    await step('Clinic').getByText('Service operator').waitFor();
    // Without a clinic, there is nothing to set hours for.
    expect(await step('Opening hours').getByRole('link').count()).toBe(0);
    expect(await step('People').getAttribute('aria-current')).toBe('step');
    expect(await steps.locator('.primary').count()).toBe(1);
    expect(await findingsOf(page)).toEqual([]);

    const clinicId = `${administrator._id.slice(0, -1)}C`;
    const clinic = { _id: clinicId, name: 'Mitte', currency: 'EUR', timezone: 'Europe/Berlin' };
    await store.clinics.create({ ...clinic, lastEditTime: new Date().toISOString() });
    await progress(1);
    await step('Clinic').getByText('Mitte, times of Europe/Berlin.').waitFor();
    await hands.press(step('Opening hours').getByRole('link', { name: 'Set hours' }));
    await heading(page, 'Schedule');
    await call('PUT', `/api/clinics/${clinicId}/openinghours`, {
      weekdays: { monday: [{ opens: '08:00', closes: '12:00' }] },
    });
    await progress(2);
    await step('Opening hours').getByText('Mon 08:00–12:00. Free slots follow from them.').waitFor();
    if (hands.name !== 'phone')
      await step('Opening hours')
        .getByText(/^You, /)
        .waitFor();
    await hands.press(step('People').getByRole('link', { name: 'Add a person' }));
    await page.getByRole('dialog', { name: 'New operator' }).waitFor();
    await call('POST', '/api/operators', {
      email: `${clinicId}@example.com`,
      name: 'Dana Probst',
      role: 'staff',
    });
    await progress(3);
    await step('People').getByText('Dana Probst, besides you.').waitFor();
    await hands.press(step('API key').getByRole('link', { name: 'Create key' }));
    await page.getByRole('dialog', { name: 'New key' }).waitFor();
    await call('POST', '/api/apikeys', { name: 'Recall', scopes: [] });
    await progress(4);
    await hands.press(step('First webhook').getByRole('link', { name: 'New subscription' }));
    await page.getByRole('dialog', { name: 'New subscription' }).waitFor();
    // The page of the clinic has what belongs to it.
    await page.goto(`${product.url}/records/clinics/${clinicId}`);
    const parts = page.getByRole('region', { name: 'Hours and people' });
    await parts.getByText('Mon 08:00–12:00').waitFor();
    expect(await parts.getByText('None yet').count()).toBe(2);
    expect(await findingsOf(page)).toEqual([]);
    const { _id } = await call('POST', '/api/webhooksubscriptions', {
      clinicId,
      url: product.service.receiver.url,
    });
    await progress(4);
    await step('First webhook').getByText('Nothing has arrived yet').waitFor();
    expect(await findingsOf(page)).toEqual([]);
    await call('POST', `/api/webhooksubscriptions/${_id}/test`);
    // The page follows the state of the subscription.
    await page.getByRole('heading', { name: 'Deliveries', exact: true }).waitFor();
    expect(await steps.count()).toBe(0);
    await done(page);
  },
);

test('the steps are hidden and shown again, and one that cannot be read says so', async () => {
  const { administrator } = await emptyPractice();
  const page = await product.open('/');
  await signIn(page, administrator);
  const steps = page.getByRole('region', { name: 'First steps' });
  await button(page, 'Hide').click();
  await page.getByRole('heading', { name: 'Deliveries', exact: true }).waitFor();
  await page.getByRole('heading', { level: 1 }).and(page.locator(':focus')).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Deliveries', exact: true }).waitFor();
  expect(await steps.count()).toBe(0);
  await page.getByRole('button', { name: /^Account menu/ }).click();
  await page.getByRole('menuitem', { name: 'Show first steps' }).click();
  await steps.waitFor();

  await page.route('**/api/apikeys*', (route) =>
    route.fulfill({ status: 500, json: { name: 'InternalServerError' } }),
  );
  await page.reload();
  await steps.getByText('This step could not be checked.').waitFor();
  await page.unrouteAll();
  await button(page, 'Check again: API key').click();
  await steps.getByRole('link', { name: 'Create key' }).waitFor();
  expect(await steps.getByText('could not be checked').count()).toBe(0);
  await done(page, [REFUSED(500)]);
});
