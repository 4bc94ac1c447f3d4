import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { basic, createKey } from '@chairside/test-support';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  chooseAction,
  keep,
  type Product,
  signIn,
  signOut,
  startProduct,
  type WatchedPage,
} from './product.ts';

const run = promisify(execFile);

let product: Product;
beforeAll(async () => {
  product = await startProduct();
});
afterAll(() => product.close());

const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const administrator = () => product.service.practice.administrator;
const done = async (page: WatchedPage, expected: readonly RegExp[] = []): Promise<void> => {
  const errors = page.errors.filter((fault) => !expected.some((pattern) => pattern.test(fault)));
  expect(errors).toEqual([]);
  await page.context().close();
};
const REFUSED = (status: number) => new RegExp(`responded with a status of ${status}`);

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

test('an open redirect after signing in stays on the own origin', async () => {
  for (const next of ['//evil.example/x', '/\\evil.example', 'https://evil.example', 'javascript:alert(1)']) {
    const page = await product.open(`/sign-in?next=${encodeURIComponent(next)}`);
    await signIn(page, administrator());
    expect(new URL(page.url()).origin).toBe(product.url);
    await done(page);
  }
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
    'Events',
    'Records',
    'Patients',
    'Appointments',
    'Clinics',
    'Invoices',
    'Payments',
    'Treatments',
    'Schedule',
    'Access tokens',
  ]);
  await done(page);
});

test('the session ends while a form is filled in, and no input is lost', async () => {
  const page = await product.open('/keys');
  await page.clock.install();
  await page.reload();
  await signIn(page, administrator());
  await heading(page, 'API keys');
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
    await dialog.getByRole('button', { name: 'Sign in' }).click();
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

test('a sign-in over a page that cannot be continued says so', async () => {
  const page = await product.openAs(administrator(), '/keys');
  await heading(page, 'API keys');
  await page.context().clearCookies();
  await page.evaluate(() => new BroadcastChannel('signed out').postMessage('signed out'));
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.waitFor();
  await page.route('**/session', (route) =>
    route.request().method() === 'GET' ? route.abort() : route.fallback(),
  );
  const enter = async () => {
    await dialog.getByLabel('Password', { exact: true }).fill(administrator().password);
    await button(page, 'Sign in').click();
  };
  await enter();
  await dialog.getByRole('alert').getByText('The service is unreachable.').waitFor();
  await page.unrouteAll({ behavior: 'wait' });
  await enter();
  await dialog.waitFor({ state: 'detached' });
  await done(page, [REFUSED(401), /net::ERR_FAILED/]);
});

test('another operator who signs in over a page gets a new page, and nothing of this one', async () => {
  const page = await product.openAs(administrator(), '/keys');
  await button(page, 'New key').click();
  await page.getByLabel('Name').fill('Not kept');
  await button(page, 'Create').click();
  await page.getByText('This is the secret of “Not kept”').waitFor();
  const questions: string[] = [];
  page.on('dialog', (question) => {
    questions.push(question.type());
    return question.dismiss();
  });
  await page.context().clearCookies();
  await page.evaluate(() => new BroadcastChannel('signed out').postMessage('signed out'));
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  const { staff } = product.service.practice;
  await dialog.getByLabel('E-mail').fill(staff.email);
  await dialog.getByLabel('Password').fill(staff.password);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText(staff.email).first().waitFor();
  expect(new URL(page.url()).pathname).not.toBe('/keys');
  expect(await page.getByText('Not kept').count()).toBe(0);
  expect(questions).toEqual([]);
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

test('an old confirmation asks for the password, then repeats the request', async () => {
  const page = await product.openAs(administrator(), '/keys');
  await product.service.database
    .collection('sessions')
    .updateMany({ operatorId: administrator()._id }, { $set: { confirmedTime: new Date(0) } });
  await button(page, 'New key').click();
  await page.getByLabel('Name').fill('After confirmation');
  await button(page, 'Create').click();
  const dialog = page.getByRole('dialog', { name: 'Confirm it’s you' });
  await dialog.getByLabel('Password').fill(administrator().password);
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('This is the secret of “After confirmation”').waitFor();
  await done(page, [REFUSED(403)]);
});

test('too many sign-ins count down', async () => {
  const { practice } = product.service;
  const page = await product.open('/sign-in');
  await page.route('**/session', (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({
          status: 429,
          headers: { 'Retry-After': '2' },
          json: { name: 'TooManyRequests', details: {} },
        })
      : route.continue(),
  );
  await page.getByLabel('E-mail').fill(practice.staff.email);
  await page.getByLabel('Password').fill('wrong');
  await button(page, 'Sign in').click();
  await page.getByText(/Too many sign-ins. Try again in [12] seconds?\./).waitFor();
  expect(await button(page, 'Sign in').isDisabled()).toBe(true);
  await page.getByText('Try again now.').waitFor();
  expect(await button(page, 'Sign in').isDisabled()).toBe(false);
  await done(page, [REFUSED(429)]);
});

test('a first sign-in with a password that somebody else set requires another one', async () => {
  const { store } = product.service.practice;
  const email = `new.${Date.now()}@example.com`;
  await store.operators.create(
    { email, password: 'chosen by somebody', role: 'staff', passwordChangeRequired: true },
    new Date(),
  );
  const page = await product.open('/schedule?tab=blocks');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill('chosen by nobody');
  await button(page, 'Sign in').click();
  await page.getByRole('alert').getByText('Wrong e-mail or password').waitFor();
  // A refusal is not worth a report.
  expect(await page.getByText('Request').count()).toBe(0);
  await page.getByLabel('Password').fill('chosen by somebody');
  await button(page, 'Sign in').click();
  await heading(page, 'Choose a password');
  await page.getByLabel('Current password').fill('chosen by somebody');
  await page.getByLabel('New password').fill('only I know this one');
  await button(page, 'Change password').click();
  await heading(page, 'Schedule');
  expect(new URL(page.url()).search).toBe('?tab=blocks');
  await done(page, [REFUSED(401), REFUSED(403)]);
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
