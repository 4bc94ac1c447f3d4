import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectFaultless, type Product, startProduct } from './product.ts';

let product: Product;
beforeAll(async () => {
  product = await startProduct();
});
afterAll(() => product.close());

test('a page whose file belongs to an earlier build is reloaded once, and goes on', async () => {
  const page = await product.openAs(product.service.practice.administrator, '/account');
  let documents = 0;
  page.on('request', (request) => {
    if (request.resourceType() === 'document') documents += 1;
  });
  await page.route('**/assets/KeysPage-*.js', (route) =>
    documents === 0 ? route.fulfill({ status: 404, json: {} }) : route.fallback(),
  );
  await page.route(`${product.url}/`, (route) =>
    route.request().resourceType() === 'fetch'
      ? route.fulfill({ contentType: 'text/html', body: '<script src="/assets/index-other.js"></script>' })
      : route.fallback(),
  );
  await page.getByRole('link', { name: 'API keys' }).click();
  await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
  expect(documents).toBe(1);
  // The failure page of the earlier build was shown until then.
  expect(page.errors.splice(0)).toEqual([
    expect.stringContaining('a status of 404'),
    expect.stringContaining('A file of this page cannot be loaded.'),
  ]);
  await page.getByRole('link', { name: 'Operators' }).click();
  await page.getByRole('heading', { level: 1, name: 'Operators' }).waitFor();
  expectFaultless(page);
  await page.context().close();
});

test('a file that is missing in the present build leads to no reload, and neither does a lost connection', async () => {
  const page = await product.openAs(product.service.practice.administrator, '/account');
  let documents = 0;
  page.on('request', (request) => {
    if (request.resourceType() === 'document') documents += 1;
  });
  await page.route('**/assets/KeysPage-*.js', (route) => route.fulfill({ status: 404, json: {} }));
  await page.getByRole('link', { name: 'API keys' }).click();
  await page.getByRole('heading', { level: 1, name: 'This page cannot be shown' }).waitFor();
  await page.context().setOffline(true);
  await page.getByRole('link', { name: 'Connected apps' }).click();
  await page.getByRole('heading', { level: 1, name: 'This page cannot be shown' }).waitFor();
  await page.context().setOffline(false);
  await page.unrouteAll({ behavior: 'wait' });
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { level: 1, name: 'Connected apps' }).waitFor();
  expect(documents).toBe(0);
  expect(await page.evaluate(() => ({ ...sessionStorage }))).toEqual({});
  await page.context().close();
});
