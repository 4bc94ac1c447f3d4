import { ageFacts, parseMail, startMailServer, type TestMailServer } from '@chairside/test-support';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findingsOf } from './axe.ts';
import { begin, HANDS } from './hands.ts';
import { expectFaultless, type Product, signIn, startProduct } from './product.ts';

let mails: TestMailServer;
let product: Product;
beforeAll(async () => {
  mails = await startMailServer();
  product = await startProduct({ MAIL_URL: mails.url, MAIL_FROM: 'chairside@example.com' });
});
afterAll(async () => {
  await product.close();
  await mails.close();
});

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const call = async (method: string, path: string, body?: object): Promise<any> => {
  const { administrator } = product.service.practice;
  const { status, json } = await product.service.call(method, path, body, `Token ${administrator.token}`);
  expect(status).toBe(200);
  return json;
};
const heading = (on: Page, name: string) =>
  on.getByRole('heading', { level: 1, name, exact: true }).waitFor();
const switchOf = (on: Page, name: RegExp) => on.getByRole('switch', { name });

test.each(HANDS)('an administrator switches notices, with the $name', async (hands) => {
  const page = await begin(product, hands, product.service.practice.administrator);
  await page.goto(`${product.url}/account`);
  await hands.press(page.getByRole('link', { name: 'Choose your notices' }));
  await heading(page, 'Notices');
  await page.getByText('These notices cannot be switched off').waitFor();
  await page.getByText('somebody who has stolen it would switch them off first').waitFor();
  const [failing, connected] = [/^A subscription is failing/, /^An app was connected/];
  const wasOn = await switchOf(page, failing).isChecked();
  expect(await findingsOf(page)).toEqual([]);
  await hands.tick(page.locator('#content'), 'A subscription is failing');
  await hands.tick(page.locator('#content'), 'An app was connected');
  await hands.press(page.getByRole('button', { name: 'Save', exact: true }));
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(await call('GET', '/api/sessions/current/notices')).toMatchObject({
    ...{ subscriptionFailing: !wasOn, appConnected: !wasOn, subscriptionDisabled: true },
  });
  await page.reload();
  await heading(page, 'Notices');
  for (const name of [failing, connected])
    await expect.poll(() => switchOf(page, name).isChecked()).toBe(!wasOn);
  // What was chosen and not saved is not lost silently.
  await hands.tick(page.locator('#content'), 'A subscription is failing');
  await hands.press(page.getByRole('link', { name: 'Account', exact: true }).first());
  await hands.press(page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }));
  await heading(page, 'Account');
  expectFaultless(page);
});

test('a mail leads to the row that it speaks of, and to the page that switches it off; the overview shows it', async () => {
  const { administrator } = product.service.practice;
  const expiryTime = new Date(Date.now() + 3 * DAY).toISOString();
  const { _id } = await call('POST', '/api/apikeys', { name: 'Recall', scopes: [], expiryTime });
  await ageFacts(product.service.database, MINUTE);
  // The browsers of the other tests are a network that is new to the operator, which is told, too.
  const isAboutKeys = ({ raw }: { raw: string }) => raw.includes('/keys#');
  await mails.until(({ mails: taken }) => taken.some(isAboutKeys));
  const { text } = await parseMail(mails.mails.find(isAboutKeys) ?? { raw: '' });
  const links = [...text.matchAll(/^http\S+$/gm)].map(([link]) => link.slice(product.url.length));
  expect(links).toEqual([`/keys#${_id}`, '/account/notices']);
  const theirs = await product.open(links[0] ?? '');
  await signIn(theirs, administrator);
  await heading(theirs, 'API keys');
  await theirs.getByRole('row').filter({ hasText: 'Recall' }).and(theirs.locator(':focus')).waitFor();
  await theirs.goto(product.url + links[1]);
  await heading(theirs, 'Notices');

  await theirs.goto(product.url);
  const told = theirs.getByRole('region', { name: 'Mails of the last 30 days' });
  const row = told.getByRole('row').filter({ hasText: 'A key or a program token ends' });
  await row.getByText(administrator.email).waitFor();
  await row.getByText('Sent', { exact: true }).waitFor();
  expect(await findingsOf(theirs)).toEqual([]);
  await row.getByRole('link', { name: 'A key or a program token ends' }).click();
  await theirs.getByRole('row').filter({ hasText: 'Recall' }).and(theirs.locator(':focus')).waitFor();
  expectFaultless(theirs, 401);
});

test('staff choose for the day on which they become administrators', async () => {
  const theirs = await product.openAs(product.service.practice.staff, '/account/notices');
  await theirs.getByText('Only administrators get these notices.').waitFor();
  expect(await findingsOf(theirs)).toEqual([]);
  expectFaultless(theirs, 401);
});
