import { createPractice, type Practice } from '@chairside/test-support';
import { TOTP } from 'otpauth';
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { findingsOf } from './axe.ts';
import { begin, HANDS } from './hands.ts';
import {
  button,
  done,
  heading,
  keep,
  type Product,
  REFUSED,
  signOut,
  startProduct,
  type WatchedPage,
} from './product.ts';

let product: Product;
let practice: Practice;
beforeAll(async () => {
  product = await startProduct({}, 'localhost');
});
beforeEach(async () => {
  practice = await createPractice(product.service.store);
});
afterAll(() => product.close());

/** Gives a page an authenticator that verifies its person (the WebAuthn domain of the DevTools protocol). */
const withAuthenticator = async (page: Page): Promise<{ cdp: CDPSession; authenticatorId: string }> => {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { cdp, authenticatorId };
};

/** The code that an app shows some periods of 30 s from now. Each code works once, and later ones only. */
const codeOf = (secret: string, periods = 0): string =>
  new TOTP({ secret }).generate({ timestamp: Date.now() + periods * 30_000 });
const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name });

/** Confirms the password for a change of the factors. */
const confirm = async (page: Page, { password }: { password: string }): Promise<void> => {
  const asked = dialog(page, 'Confirm it’s you');
  await asked.getByLabel('Password').fill(password);
  await button(asked, 'Confirm').click();
};

/** Adds an app for codes on the page Account. @returns the secret, and the recovery codes */
const addApp = async (page: WatchedPage, of: { password: string }) => {
  await button(page, 'Add an app for codes').click();
  await confirm(page, of);
  const adding = dialog(page, 'Add an app for codes');
  await adding.getByRole('img', { name: 'QR code of the secret' }).waitFor();
  const secret = (await adding.getByText(/^[A-Z2-7]{32}$/).textContent()) ?? '';
  expect(await findingsOf(page)).toEqual([]);
  await adding.getByLabel('The code that the app shows').fill(codeOf(secret));
  await button(adding, 'Add').click();
  const shown = dialog(page, 'Keep your recovery codes');
  await shown.waitFor();
  expect(await findingsOf(page)).toEqual([]);
  const recoveryCodes = ((await shown.textContent()) ?? '').match(/[a-z2-7]{4}(-[a-z2-7]{4}){3}/g) ?? [];
  expect(recoveryCodes).toHaveLength(10);
  await keep(page);
  await page.getByText('App for codes', { exact: true }).waitFor();
  return { secret, recoveryCodes };
};

const addPasskey = async (page: WatchedPage, of: { password: string }): Promise<void> => {
  await button(page, 'Add a passkey').click();
  await dialog(page, 'Add a passkey').getByLabel('Name').fill('Phone');
  await button(page, 'Create passkey').click();
  await confirm(page, of);
};

const answer = async (page: Page, label: string, text: string): Promise<void> => {
  const asked = dialog(page, 'One more step');
  await asked.getByLabel(label).fill(text);
  await button(asked, 'Continue').click();
};
const enterPassword = async (page: Page, of: { email: string; password: string }): Promise<void> => {
  await page.getByLabel('E-mail').fill(of.email);
  await page.getByLabel('Password', { exact: true }).fill(of.password);
  await button(page, 'Sign in').click();
};

test('enrols an app, signs in by code, confirms by recovery code, and is not signed out by a wrong one', async () => {
  const { administrator } = practice;
  const page = await product.openAs(administrator, '/');
  await page.getByRole('region', { name: 'Second factor' }).getByRole('link').click();
  const { secret, recoveryCodes } = await addApp(page, administrator);
  await signOut(page);
  await enterPassword(page, administrator);
  await dialog(page, 'One more step').waitFor();
  expect(await findingsOf(page)).toEqual([]);
  await answer(page, 'Code of your app', '000000');
  await page.getByRole('alert').getByText('Wrong code').waitFor();
  await answer(page, 'Code of your app', codeOf(secret, 1));
  await page.locator('#content').waitFor();

  await product.service.database
    .collection('sessions')
    .updateMany({ operatorId: administrator._id }, { $set: { confirmedTime: new Date(0) } });
  await page.goto(`${product.url}/keys`);
  await button(page, 'New key').click();
  await page.getByLabel('Name').fill('With a factor');
  await button(page, 'Create').click();
  await confirm(page, administrator);
  await button(page, 'Use a recovery code').click();
  await answer(page, 'Recovery code', 'aaaa-aaaa-aaaa-aaaa');
  await page.getByRole('alert').getByText('Wrong code').waitFor();
  await answer(page, 'Recovery code', (recoveryCodes[0] ?? '').toUpperCase().replaceAll('-', ' '));
  await page.getByText('This is the secret of “With a factor”').waitFor();
  await done(page, [REFUSED(401), REFUSED(403)]);
});

test.each(HANDS)('enrols a passkey and signs in with it alone, with the $name', async (hands) => {
  const { staff } = practice;
  const page = await begin(product, hands, staff);
  const { cdp, authenticatorId } = await withAuthenticator(page);
  await page.goto(`${product.url}/account`);
  await hands.press(button(page, 'Add a passkey'));
  await hands.enter(dialog(page, 'Add a passkey').getByLabel('Name'), 'Phone');
  await hands.press(button(page, 'Create passkey'));
  const asked = dialog(page, 'Confirm it’s you');
  await hands.enter(asked.getByLabel('Password'), staff.password);
  await hands.press(button(asked, 'Confirm'));
  await dialog(page, 'Keep your recovery codes').waitFor();
  await hands.tick(page.locator('body'), 'I have kept it');
  await hands.press(button(page, 'Done'));
  await page.getByText('Phone', { exact: true }).waitFor();
  expect(await findingsOf(page)).toEqual([]);
  const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId });
  expect(credentials).toMatchObject([{ isResidentCredential: true, rpId: 'localhost' }]);
  await page.context().clearCookies();
  await page.goto(`${product.url}/sign-in`);
  expect(await findingsOf(page)).toEqual([]);
  await hands.press(button(page, 'Sign in with a passkey'));
  await page.locator('#content').waitFor();
  await done(page, [REFUSED(403), REFUSED(401)]);
});

test('a lost phone: a recovery code opens, the passkey is removed, and the last factor takes the codes along', async () => {
  const { staff } = practice;
  const page = await product.openAs(staff, '/account');
  await withAuthenticator(page);
  await addPasskey(page, staff);
  const shown = dialog(page, 'Keep your recovery codes');
  await shown.waitFor();
  const [code = ''] = ((await shown.textContent()) ?? '').match(/[a-z2-7]{4}(-[a-z2-7]{4}){3}/) ?? [];
  await keep(page);
  await done(page, [REFUSED(403)]);

  const other = await product.open('/sign-in?next=/account');
  await enterPassword(other, staff);
  await button(other, 'Use a recovery code').click();
  await answer(other, 'Recovery code', code);
  await heading(other, 'Account');
  await other.getByText('9 left').waitFor();
  await button(other, 'Remove').click();
  await button(dialog(other, 'Remove Phone?'), 'Remove').click();
  await confirm(other, staff);
  await button(other, 'Use a recovery code').click();
  await other.getByLabel('Recovery code').waitFor();
  await button(dialog(other, 'One more step'), 'Cancel').click();
  await done(other, [REFUSED(401), REFUSED(403)]);
});

test('a required factor: an administrator sees who has none, and whoever has none adds one after the sign-in', async () => {
  const { administrator, staff } = practice;
  const page = await product.openAs(administrator, '/account');
  await addApp(page, administrator);
  await page.goto(`${product.url}/operators`);
  await page.getByRole('row').filter({ hasText: staff.email }).getByText('None').waitFor();
  await button(page, 'Second factor').click();
  const setting = dialog(page, 'Require a second factor').getByLabel('Who must have a second factor');
  await setting.selectOption('Everybody');
  expect(await findingsOf(page)).toEqual([]);
  await button(page, 'Save').click();
  await dialog(page, 'Require a second factor').waitFor({ state: 'detached' });

  const theirs = await product.open('/sign-in?next=/schedule');
  await withAuthenticator(theirs);
  await enterPassword(theirs, staff);
  await heading(theirs, 'One more way to show that it’s you');
  expect(await findingsOf(theirs)).toEqual([]);
  await addPasskey(theirs, staff);
  await keep(theirs);
  await button(theirs, 'Continue').click();
  await heading(theirs, 'Schedule');
  // The opening hours were never set.
  await done(theirs, [REFUSED(403), REFUSED(404)]);

  await page.goto(`${product.url}/operators`);
  await page.getByRole('row').filter({ hasText: staff.email }).getByText('Passkey').waitFor();
  await done(page, [REFUSED(403)]);
});

test('an address that is a number has no passkeys, and says why', async () => {
  const numbered = await startProduct();
  const page = await numbered.openAs(numbered.service.practice.staff, '/account');
  await page.getByText('the address of these pages is a number').waitFor();
  expect(await button(page, 'Add a passkey').count()).toBe(0);
  await signOut(page);
  await page.getByLabel('E-mail').waitFor();
  expect(await button(page, 'Sign in with a passkey').count()).toBe(0);
  await done(page);
  await numbered.close();
});
