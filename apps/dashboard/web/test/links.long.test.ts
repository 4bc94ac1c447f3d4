import { parseMail, startMailServer, type TestMailServer } from '@chairside/test-support';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { findingsOf } from './axe.ts';
import {
  button,
  chooseAction,
  expectFaultless,
  heading,
  type Product,
  signIn,
  signOut,
  startProduct,
  type WatchedPage,
} from './product.ts';

let mails: TestMailServer;
let product: Product;
/** The page Operators of the administrator, for all tests. */
let page: WatchedPage;
beforeAll(async () => {
  mails = await startMailServer();
  product = await startProduct({ MAIL_URL: mails.url, MAIL_FROM: 'chairside@example.com' });
  page = await product.openAs(product.service.practice.administrator, '/operators');
});
afterAll(async () => {
  await product.close();
  await mails.close();
});
afterEach(() => mails.behave({}));

const PASSWORD = 'correct horse battery';
const rowOf = (email: string) => page.getByRole('row').filter({ hasText: email });
const mailsTo = (email: string) => mails.mails.filter(({ to }) => to.includes(email));
/** The link of the newest mail to an address. @param count how many mails there must be */
const linkTo = async (email: string, count = 1): Promise<string> => {
  await mails.until(() => mailsTo(email).length >= count);
  const { text } = await parseMail(mailsTo(email).at(-1) ?? { raw: '' });
  const [link = ''] = text.match(/http\S+#\S+/) ?? [];
  expect(new URL(link).origin).toBe(product.url);
  return link;
};
/** Opens a link in a browser of its own. */
const openLink = async (link: string): Promise<WatchedPage> => product.open(link.slice(product.url.length));
const invite = async (name: string): Promise<{ email: string; link: string }> => {
  const email = `${name}.${Date.now()}@example.com`;
  await button(page, 'New operator').click();
  await page.getByLabel('E-mail').fill(email);
  await button(page, 'Invite').click();
  await rowOf(email).getByText('Invited').waitFor();
  return { email, link: await linkTo(email) };
};
const accept = async (on: Page, { name = '', password = PASSWORD } = {}): Promise<void> => {
  await on.getByLabel('Name').fill(name);
  await on.getByLabel('Password', { exact: true }).fill(password);
  await button(on, 'Accept').click();
};
const isRefused = (on: Page, message: string) => on.getByRole('alert').getByText(message).waitFor();
const INVITATION_ENDED = 'This invitation has ended or was used.';

test('an invitation is mailed, opened by a scanner, accepted with a strong password, and used only once', async () => {
  const { email, link } = await invite('guest');
  // A program that looks at mailed links uses nothing up.
  const scanned = await fetch(link, { headers: { accept: 'text/html' } });
  expect(scanned.status).toBe(200);
  const theirs = await openLink(link);
  await heading(theirs, 'Accept the invitation');
  expect(await findingsOf(theirs)).toEqual([]);
  await accept(theirs, { name: 'Ada Byron', password: 'password1234' });
  await theirs.getByText('One field needs a change.').waitFor();
  await theirs.getByLabel('Password', { exact: true }).and(theirs.locator('[aria-invalid="true"]')).waitFor();
  await accept(theirs, { name: 'Ada Byron' });
  await heading(theirs, 'Sign in');
  await theirs.getByText('You have accepted the invitation.').waitFor();
  expect(await theirs.getByLabel('E-mail').inputValue()).toBe(email);
  expect(theirs.url()).not.toContain('#');
  await signIn(theirs, { email, password: PASSWORD });
  await theirs.getByRole('button', { name: /^Account menu: .*Test practice.*Ada Byron/ }).waitFor();
  // Going back does not lead to the used link.
  await theirs.goBack();
  expect(theirs.url()).not.toContain('#');
  expectFaultless(theirs, 400, 401);

  await page.reload();
  await rowOf(email).getByText('Ada Byron').waitFor();
  await rowOf(email).getByText('Active').waitFor();
  const late = await openLink(link);
  await accept(late);
  await isRefused(late, INVITATION_ENDED);
  expectFaultless(late, 400);
  // Nothing of the link is in the storage of the browser.
  const stored = await late.evaluate(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
  );
  expect(String(stored)).not.toContain(new URL(link).hash.slice(1));
});

test('an invitation is sent again, and the earlier link dies; a withdrawn one and one that has ended are refused', async () => {
  const { email, link } = await invite('again');
  await chooseAction(page, email, 'Send again');
  await button(page, 'Send again').click();
  const second = await linkTo(email, 2);
  expect(second).not.toBe(link);
  for (const [url, message] of [
    [link, INVITATION_ENDED],
    [`${product.url}/invitation`, 'This link is not complete.'],
  ] as const) {
    const theirs = await openLink(url);
    if (url === link) await accept(theirs);
    await isRefused(theirs, message);
    expectFaultless(theirs, 400);
  }
  // The page is open while its invitation ends.
  const theirs = await openLink(second);
  const { database } = product.service;
  await database
    .collection('operators')
    .updateOne({ email }, { $set: { 'invitation.expiryTime': new Date(0) } });
  await accept(theirs);
  await isRefused(theirs, INVITATION_ENDED);
  await page.reload();
  await rowOf(email).getByText('Invitation ended').waitFor();
  // Nobody is mailed again and again.
  await chooseAction(page, email, 'Send again');
  await button(page, 'Send again').click();
  await isRefused(page, 'Try again in');
  await button(page, 'Cancel').click();

  const withdrawn = await invite('withdrawn');
  const late = await openLink(withdrawn.link);
  await chooseAction(page, withdrawn.email, 'Withdraw');
  await button(page, 'Withdraw').click();
  await rowOf(withdrawn.email).waitFor({ state: 'detached' });
  await accept(late);
  await isRefused(late, INVITATION_ENDED);
  expectFaultless(page, 429);
});

test('an invitation that the mail server refuses is shown to the administrator', async () => {
  await mails.behave({ refuse: { at: 'recipient', code: 550 } });
  const email = `refused.${Date.now()}@example.com`;
  await button(page, 'New operator').click();
  await page.getByLabel('E-mail').fill(email);
  await button(page, 'Invite').click();
  await expect
    .poll(async () => {
      await page.reload();
      await rowOf(email).waitFor();
      return rowOf(email).getByText('Invitation not delivered').count();
    })
    .toBe(1);
  expectFaultless(page);
});

test('a forgotten password is replaced with a link, which ends everything else, in one of two browsers', async () => {
  const { email, link } = await invite('forgot');
  const old = await openLink(link);
  await accept(old);
  await signIn(old, { email, password: PASSWORD });
  const theirs = await product.open('/sign-in');
  await theirs.getByRole('link', { name: 'Forgot your password?' }).click();
  await heading(theirs, 'Forgot your password?');
  expect(await findingsOf(theirs)).toEqual([]);
  // The response is the same for an address without an operator.
  for (const address of ['nobody@example.com', email]) {
    await theirs.getByLabel('E-mail').fill(address);
    await button(theirs, 'Mail me a link').click();
    await theirs.getByRole('status').getByText('a mail with a link is on its way').waitFor();
  }
  const reset = await linkTo(email, 2);
  expect(mailsTo('nobody@example.com')).toEqual([]);
  const [one, two] = [await openLink(reset), await openLink(reset)];
  await heading(one, 'Choose a new password');
  await one.getByText('This ends all your sessions').waitFor();
  expect(await findingsOf(one)).toEqual([]);
  const chosen = [one, two].map((on, index) => ({ on, password: `${PASSWORD} number ${index}` }));
  for (const { on, password } of chosen) await on.getByLabel('New password').fill(password);
  await Promise.all(chosen.map(({ on }) => button(on, 'Set password').click()));
  await Promise.all(
    chosen.map(({ on }) =>
      Promise.race([heading(on, 'Sign in'), isRefused(on, 'This link has ended or was used.')]),
    ),
  );
  const isWinner = await Promise.all(chosen.map(({ on }) => on.getByRole('alert').count()));
  expect(isWinner.toSorted()).toEqual([0, 1]);
  for (const { on, password } of chosen) {
    if (await on.getByRole('alert').count()) continue;
    await on.getByText('Your password is changed.').waitFor();
    await signIn(on, { email, password });
    await signOut(on);
    await heading(on, 'Sign in');
  }
  // The other session of the operator has ended.
  await old.reload();
  await heading(old, 'Sign in');
  for (const on of [one, two, old, theirs]) expectFaultless(on, 400, 401);
});

test('Caps Lock is told while a password is typed', async () => {
  const theirs = await product.open('/sign-in');
  const field = theirs.getByLabel('Password', { exact: true });
  await field.dispatchEvent('keydown', { key: 'A', modifierCapsLock: true });
  await theirs.getByText('Caps Lock is on.').waitFor();
  await field.dispatchEvent('keyup', { key: 'a' });
  await theirs.getByText('Caps Lock is on.').waitFor({ state: 'detached' });
  expectFaultless(theirs);
});
