import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Product, signIn, startProduct, type WatchedPage } from './product.ts';

let product: Product;
let page: WatchedPage;
beforeAll(async () => {
  product = await startProduct();
  page = await product.open('/account');
  await page.clock.install();
  await page.reload();
  await signIn(page, product.service.practice.administrator);
});
afterAll(() => product.close());

const PATHS = [
  '/',
  '/webhooks',
  '/webhooks/unknown',
  '/deliveries',
  '/deliveries/unknown',
  '/events',
  '/events/unknown',
  '/records/patients?view=list',
  '/records/patients/unknown',
  '/records/appointments',
  '/today',
  '/schedule',
  '/schedule?tab=closed',
  '/schedule?tab=providers',
  '/schedule?tab=procedures',
  '/schedule?tab=blocks',
  '/keys',
  '/tokens',
  '/operators',
  '/audit',
  '/connections',
];

test.each(PATHS)('%s says after 5 s that it waits, and offers after 15 s to try again', async (path) => {
  const asked: string[] = [];
  // The api hangs.
  await page.route('**/api/**', (route) => void asked.push(route.request().url()));
  await page.goto(product.url + path);
  await page.getByRole('status').getByText('Loading').first().waitFor();
  const says = (text: string) => page.getByText(text).first().waitFor();
  expect(await page.getByText('Still waiting').count()).toBe(0);
  await page.clock.fastForward(5000);
  await says('Still waiting for the service');
  await says('It has not responded for 5 seconds.');
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  await page.clock.fastForward(10_000);
  await says('It has not responded for 15 seconds.');
  const before = asked.length;
  await page.getByRole('button', { name: 'Try again' }).first().click();
  await expect.poll(() => asked.length).toBeGreaterThan(before);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('a session that is not read in time is announced, too', async () => {
  await page.route('**/session', () => {});
  await page.goto(`${product.url}/keys`, { waitUntil: 'commit' });
  await page.clock.fastForward(1500);
  await page.getByText('Loading your session').waitFor();
  await page.clock.fastForward(5000);
  await page.getByText('Still waiting for the service').waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('a list that cannot be read says so, and is read again', async () => {
  await page.route('**/api/apikeys*', (route) => route.fulfill({ status: 500, json: {} }));
  await page.goto(`${product.url}/keys`);
  await page.getByRole('alert').waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('No key yet').or(page.getByRole('table')).first().waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
});
