import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { basic } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  button,
  done,
  heading,
  keep,
  type Product,
  REFUSED,
  signIn,
  signOut,
  startProduct,
} from './product.ts';

const run = promisify(execFile);

let product: Product;
beforeAll(async () => {
  product = await startProduct();
});
afterAll(() => product.close());

const administrator = () => product.service.practice.administrator;

test('leads to the sign-in page and back, and leaves nothing in the address', async () => {
  const page = await product.open('/keys');
  await heading(page, 'Sign in');
  expect(new URL(page.url()).search).toBe('?next=%2Fkeys');
  await page.getByLabel('E-mail').fill(administrator().email);
  await page.getByLabel('Password').fill('not the password');
  await button(page, 'Sign in').click();
  await expect.poll(() => page.getByRole('alert').textContent()).toContain('Wrong e-mail or password');
  await page.getByLabel('Password').fill(administrator().password);
  await button(page, 'Sign in').click();
  await heading(page, 'API keys');
  expect(new URL(page.url()).pathname).toBe('/keys');
  expect(await page.title()).toBe('API keys · Chairside');

  // The token is in no storage and no cookie that scripts can read.
  const visible = await page.evaluate(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
  );
  expect(JSON.parse(String(visible))).toEqual([{ appearance: 'system' }, {}, '']);
  // Without a connection the cookie stays, so the page does not claim that the session has ended.
  await page.getByRole('button', { name: /^Account menu/ }).click();
  const leave = page.getByRole('menuitem', { name: 'Sign out' });
  await leave.waitFor();
  await page.context().setOffline(true);
  await leave.click();
  await page.getByRole('alert').getByText('The service is unreachable').waitFor();
  await heading(page, 'API keys');
  await page.context().setOffline(false);
  await signOut(page);
  await heading(page, 'Sign in');
  await page.goBack();
  await heading(page, 'Sign in');
  await done(page, [REFUSED(401), /ERR_INTERNET_DISCONNECTED/]);
});

test('a new key of a clinic makes its first call, is revealed by the right password only, widened, rotated and deleted', async () => {
  const page = await product.openAs(administrator(), '/keys');
  await button(page, 'New key').click();
  await page.getByLabel('Name').fill('Recall <img src=x onerror=alert(1)>');
  await page.getByText('This key can do nothing yet.').waitFor();
  for (const choice of ['Read clinics', 'Read patients', 'North'])
    await page.getByRole('dialog').getByText(choice, { exact: true }).click();
  let creations = 0;
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/api/apikeys')) creations += 1;
  });
  await page
    .getByRole('dialog')
    .locator('form')
    .evaluate((form: HTMLFormElement) => {
      // Submit the form as a double click does, or Enter twice.
      form.requestSubmit();
      form.requestSubmit();
    });
  const secret = await page.getByLabel('Secret', { exact: true }).inputValue();
  const snippet = page.getByRole('figure', { name: 'A first call' }).locator('pre');
  const firstCall = (await snippet.textContent()) ?? '';
  const { stdout } = await run('sh', ['-c', firstCall], {
    env: { PATH: process.env.PATH, CHAIRSIDE_API_KEY: secret, CHAIRSIDE_URL: product.service.address },
  });
  expect(JSON.parse(stdout)).toMatchObject([{ name: 'North' }]);
  expect(creations).toBe(1);
  await keep(page);
  // The dialog closes before the page removes its content.
  await expect.poll(() => page.content()).not.toContain(secret);

  const row = page.getByRole('row').filter({ hasText: 'Recall' });
  await row.getByText('<img src=x onerror=alert(1)>').waitFor();
  await row.getByRole('button', { name: 'Reveal' }).click();
  await page.getByLabel('Password').fill('not the password');
  await button(page, 'Reveal').click();
  await page.getByRole('alert').getByText('Wrong password').waitFor();
  // The field itself says it, and has the focus.
  await page
    .getByRole('textbox', { name: 'Password', description: 'Wrong password.' })
    .and(page.locator(':focus'))
    .waitFor();
  await page.getByLabel('Password').fill(administrator().password);
  await button(page, 'Reveal').click();
  await expect.poll(() => page.getByLabel('Secret', { exact: true }).inputValue()).toBe(secret);
  await page.keyboard.press('Escape');
  await expect.poll(() => page.content()).not.toContain(secret);
  // The focus returns to the button that opened the dialog.
  await row.getByRole('button', { name: 'Reveal' }).and(page.locator(':focus')).waitFor();

  await row.getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('dialog').getByText('Write patients').click();
  await page.getByText('After saving, everyone with this key can also:').waitFor();
  await button(page, 'Save').click();
  await row.getByText('Patients read + write').waitFor();

  await row.getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('dialog').getByText('South', { exact: true }).click();
  await page.getByRole('status').getByText('Clinic South').waitFor();
  await page.getByLabel('Ends').fill('2040-01-01T10:00');
  await button(page, 'Save').click();
  await row.getByText('North, South').waitFor();

  await row.getByRole('button', { name: 'Rotate' }).click();
  await button(page, 'Rotate').click();
  const next = await page.getByLabel('Secret', { exact: true }).inputValue();
  expect(next).not.toBe(secret);
  await keep(page);
  for (const each of [secret, next])
    expect((await product.service.call('GET', '/api/clinics', undefined, basic(each))).json).toHaveLength(2);

  await row.getByRole('button', { name: 'Delete' }).click();
  expect(await button(page, 'Delete').isDisabled()).toBe(true);
  await page.getByLabel('Type Recall').fill('Recall <img src=x onerror=alert(1)>');
  await button(page, 'Delete').click();
  await row.waitFor({ state: 'detached' });
  // The button that opened the dialog has disappeared with its row.
  await expect
    .poll(() => page.getByRole('heading', { level: 1 }).evaluate((node) => node === document.activeElement))
    .toBe(true);
  await done(page, [REFUSED(403)]);
});

test('the session ends while a form is filled in, and no input is lost', async () => {
  const page = await product.open('/keys');
  await page.clock.install();
  await page.reload();
  await signIn(page, administrator());
  await heading(page, 'API keys');
  // A response that comes after the leap is a use of the session then.
  await page.waitForLoadState('networkidle');
  await page.clock.fastForward('51:00');
  await page.getByText('It continues when you use this page.').waitFor();
  // A response that came after the sign-out below would make the page believe that the session is alive.
  const renewed = page.waitForResponse(
    (response) =>
      response.url().endsWith('/session') && response.request().headers()['x-background'] === undefined,
  );
  await button(page, 'Stay signed in').click();
  await (await renewed).finished();
  await page.getByText('It continues when you use this page.').waitFor({ state: 'detached' });

  await button(page, 'New key').click();
  await page.getByLabel('Name').fill('Typed before the end');
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  const signInAgain = async () => {
    await dialog.waitFor();
    // While the dialog is open, nothing of the page can be read.
    expect(
      await page.getByRole('table', { name: 'Table of API keys', includeHidden: true }).isVisible(),
    ).toBe(false);
    await dialog.getByLabel('E-mail').fill(administrator().email);
    await dialog.getByLabel('Password').fill(administrator().password);
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
  };
  // Another tab has signed out, and the operator comes back to this one.
  await page.context().clearCookies();
  await page.clock.fastForward('02:00');
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
  await signInAgain();
  // The session ends as the form is sent: any other request would show the dialog before the click.
  await page.route('**/api/apikeys', async (route) => {
    if (route.request().method() === 'POST') await page.context().clearCookies();
    await route.continue();
  });
  await button(page, 'Create').click();
  await dialog.waitFor();
  await page.unroute('**/api/apikeys');
  await signInAgain();
  await page.getByText('This is the secret of “Typed before the end”').waitFor();
  await done(page, [REFUSED(401)]);
});

test('a sign-out in one tab hides the page of the other at once', async () => {
  const page = await product.openAs(administrator(), '/account');
  await heading(page, 'Account');
  const other = await page.context().newPage();
  await other.goto(`${product.url}/records/patients`);
  await heading(other, 'Patients');
  await other.keyboard.press('Control+k');
  await other.getByRole('dialog').waitFor();
  await signOut(page);
  await heading(page, 'Sign in');
  const signInAgain = other.getByRole('dialog', { name: 'Your session has ended' });
  await signInAgain.waitFor();
  // An open dialog is hidden, too.
  await expect.poll(() => other.locator('main, [role="dialog"]').filter({ visible: true }).count()).toBe(1);
  await signInAgain.getByLabel('E-mail').fill('somebody@example.com');
  await other.keyboard.press('Escape');
  await other.getByRole('alertdialog').getByRole('button', { name: 'Keep editing' }).click();
  expect(await signInAgain.isVisible()).toBe(true);
  // A read that is under way at the sign-out is refused.
  await done(page, [REFUSED(401)]);
});

test('another operator who signs in in another tab leaves no page of the one before', async () => {
  const page = await product.openAs(administrator(), '/keys');
  await heading(page, 'API keys');
  const other = await page.context().newPage();
  await other.goto(`${product.url}/sign-in`);
  const { staff } = product.service.practice;
  await signIn(other, staff);
  await page.getByText(staff.email).first().waitFor();
  expect(new URL(page.url()).pathname).not.toBe('/keys');
  // A read that is under way at the sign-in is refused.
  await done(page, [REFUSED(401), REFUSED(403)]);
});
