import { afterAll, beforeAll, expect, test } from 'vitest';
import { button, done, heading, holdBack, type Product, REFUSED, signIn, startProduct } from './product.ts';

let product: Product;
beforeAll(async () => {
  product = await startProduct();
});
afterAll(() => product.close());

const administrator = () => product.service.practice.administrator;

test('an open redirect after signing in stays on the own origin', async () => {
  for (const next of ['//evil.example/x', '/\\evil.example', 'https://evil.example', 'javascript:alert(1)']) {
    const page = await product.open(`/sign-in?next=${encodeURIComponent(next)}`);
    await signIn(page, administrator());
    expect(new URL(page.url()).origin).toBe(product.url);
    await done(page);
  }
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

test('the live reads of a page end before the session does', async () => {
  const page = await product.openAs(administrator(), '/account');
  await page.clock.install();
  await page.goto(`${product.url}/webhooks`);
  await heading(page, 'Webhooks');
  const list = '**/api/webhooksubscriptions';
  const read = page.waitForRequest(list);
  // This read is under way when the session ends.
  const release = await holdBack(page, list);
  await page.clock.fastForward(3000);
  const isOver = Promise.withResolvers<void>();
  const asked = await read;
  for (const event of ['requestfinished', 'requestfailed'] as const)
    page.on(event as 'requestfinished', (request) => request === asked && isOver.resolve());
  await page.route('**/session', async (route) => {
    if (route.request().method() !== 'DELETE') return route.fallback();
    const response = await route.fetch();
    release();
    await isOver.promise;
    await page.getByRole('link', { name: 'API keys' }).hover({ force: true });
    await page.clock.fastForward(3000);
    await route.fulfill({ response });
  });
  await page
    .getByRole('button', { name: /^Account menu/ })
    .filter({ visible: true })
    .click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await heading(page, 'Sign in');
  await page.unrouteAll({ behavior: 'wait' });
  await done(page);
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
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText(staff.email).first().waitFor();
  expect(new URL(page.url()).pathname).not.toBe('/keys');
  expect(await page.getByText('Not kept').count()).toBe(0);
  expect(questions).toEqual([]);
  await done(page, [REFUSED(401)]);
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
