import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { plantConnection } from '@chairside/test-support';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { findingsOf } from './axe.ts';
import {
  addFilter,
  chooseAction,
  expectFaultless,
  heading,
  keep,
  type Product,
  signIn,
  startProduct,
  type WatchedPage,
} from './product.ts';

let product: Product;
/** The page of the administrator, for all tests. */
let page: WatchedPage;
beforeAll(async () => {
  product = await startProduct();
  page = await product.openAs(product.service.practice.administrator, '/operators');
});
afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  // A failed test may leave errors and an open dialog, which must not fail the next test.
  await open('/operators');
  page.errors.length = 0;
});
afterAll(() => product.close());

const button = (name: string, on: Page = page) => on.getByRole('button', { name, exact: true });
const open = (path: string) => page.goto(product.url + path);
const inDialog = (name: string, on: Page = page) => on.getByRole('dialog').getByRole('button', { name });
const closed = () => expect.poll(() => page.getByRole('dialog').count()).toBe(0);
const rowOf = (email: string) =>
  page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: email, exact: true }) });
const createOperator = async (role: 'administrator' | 'staff', name: string) => {
  const operator = { email: `${name}.${Date.now()}@example.com`, password: `${name} has a password`, role };
  const made = await product.service.practice.store.operators.create(operator, new Date());
  if (typeof made === 'string') throw new Error('the new e-mail address is taken');
  return { ...operator, _id: made._id, token: '' };
};

test('without mail, the page of notices and the overview say that nobody is notified of anything', async () => {
  await open('/account/notices');
  await page.getByText('This service sends no mail, so nobody is notified of anything.').waitFor();
  await open('/');
  await page.getByText('This service sends no mail, so nobody is notified when').waitFor();
  expect(await findingsOf(page)).toEqual([]);
  await open('/operators');
  expectFaultless(page);
});

test('without mail, an operator is invited with a link that is shown once, and disabled while at work', async () => {
  const { email: taken } = product.service.practice.staff;
  const email = `new.${Date.now()}@example.com`;
  await button('New operator').click();
  await page.getByText('This service sends no mail').waitFor();
  await page.getByLabel('E-mail').fill(taken);
  await button('Invite').click();
  await page.getByText('E-mail already belongs to another operator; use another address.').waitFor();
  await page.getByText('One field needs a change.').waitFor();
  await page.getByLabel('E-mail').fill(email);
  await button('Invite').click();
  const link = await page.getByLabel('Link', { exact: true }).inputValue();
  expect(link).toContain(`${product.url}/invitation#`);
  await keep(page);
  // The dialog closes before the page removes its content.
  await expect.poll(() => page.content()).not.toContain(link);
  await rowOf(email).getByText('Invited').waitFor();

  const theirs = await product.open(link.slice(product.url.length));
  await theirs.getByLabel('Password', { exact: true }).fill('only I know this one');
  await button('Accept', theirs).click();
  await signIn(theirs, { email, password: 'only I know this one' });
  await open('/operators');
  await chooseAction(page, email, 'Disable');
  await inDialog('Disable').click();
  await rowOf(email).getByText('Disabled').waitFor();
  await theirs.reload();
  await heading(theirs, 'Sign in');
  await theirs.getByText('An administrator of your practice can set a new one.').waitFor();
  await theirs.goto(`${product.url}/password-reset`);
  await theirs.getByText('This service sends no mail. Ask an administrator').waitFor();
  expectFaultless(theirs, 401);

  // The operator has forgotten the password, so an administrator sets a new one.
  await chooseAction(page, email, 'Enable');
  await inDialog('Enable').click();
  await rowOf(email).getByText('Active').waitFor();
  await chooseAction(page, email, 'Reset password');
  await inDialog('Reset password').click();
  const password = await page.getByLabel('Password', { exact: true }).inputValue();
  expect(password).toMatch(/^[a-z2-9]{4}(-[a-z2-9]{4}){5}$/);
  await keep(page);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await rowOf(email).getByText('Must choose a password').waitFor();
  const enter = async () => {
    await theirs.goto(`${product.url}/sign-in`);
    await theirs.getByLabel('E-mail').fill(email);
    await theirs.getByLabel('Password').fill(password);
    await button('Sign in', theirs).click();
    await heading(theirs, 'Choose a password');
  };
  await enter();
  await button('Sign out', theirs).click();
  await heading(theirs, 'Sign in');
  await enter();
  await theirs.getByLabel('Current password').fill(password);
  await theirs.getByLabel('New password').fill('only I know the next one');
  await button('Change password', theirs).click();
  await theirs.locator('#content').waitFor();
  expectFaultless(theirs, 403);
  await theirs.context().close();

  await chooseAction(page, email, 'Delete');
  expect(await inDialog('Delete').isDisabled()).toBe(true);
  await page.getByLabel(`Type ${email} to confirm`).fill(email);
  await inDialog('Delete').click();
  await rowOf(email).waitFor({ state: 'detached' });
  expectFaultless(page, 400);
});

test('two people change one operator, who loses the pages of an administrator at once', async () => {
  const second = await createOperator('administrator', 'second');
  const theirs = await product.openAs(second, '/keys');
  await open('/operators');
  await chooseAction(page, second.email, 'Edit');
  await page.getByLabel('Role').selectOption('staff');
  await page.getByText('A new role ends all sessions').waitFor();
  const { store } = product.service.practice;
  const email = `renamed.${second.email}`;
  await store.operators.update(second._id, { email }, new Date());
  // The confirmation of the password is older than ten minutes.
  await product.service.database
    .collection('sessions')
    .updateMany({ email: { $exists: false } }, { $set: { confirmedTime: new Date(0) } });
  await button('Save').click();
  const alert = page.getByRole('alert');
  await alert.getByText('Somebody else has changed this operator').waitFor();
  await alert.getByText(`E-mail: ${email}`).waitFor();
  await page.getByRole('dialog').getByLabel('E-mail').fill(email);
  await button('Save').click();
  const confirm = page.getByRole('dialog', { name: 'Confirm it’s you' });
  await confirm.getByLabel('Password').fill(product.service.practice.administrator.password);
  await confirm.getByRole('button', { name: 'Confirm' }).click();
  await closed();
  await rowOf(email).getByRole('cell', { name: 'Staff' }).waitFor();
  expectFaultless(page, 403);

  await theirs.getByRole('link', { name: 'Webhooks' }).click();
  await theirs.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
  await theirs.getByLabel('E-mail').fill(email);
  await theirs.getByLabel('Password').fill(second.password);
  await button('Sign in', theirs).click();
  await heading(theirs, 'Not allowed');
  expect(await theirs.getByRole('link', { name: 'Operators' }).count()).toBe(0);
  await theirs.goto(`${product.url}/operators`);
  await heading(theirs, 'Not allowed');
  await chooseAction(page, email, 'End sessions');
  await inDialog('End sessions').click();
  await closed();
  await theirs.getByRole('link', { name: 'Access tokens' }).click();
  await theirs.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
  expectFaultless(theirs, 401, 403);
  await theirs.context().close();
});

test('an administrator who becomes staff reads why to sign in again', async () => {
  const own = await createOperator('administrator', 'own');
  const theirs = await product.openAs(own, '/operators');
  await chooseAction(theirs, own.email, 'Edit');
  await theirs.getByLabel('Role').selectOption('staff');
  await button('Save', theirs).click();
  const dialog = theirs.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.getByText('Your role is now Staff').waitFor();
  expect(await dialog.getByLabel('E-mail').inputValue()).toBe(own.email);
  await dialog.getByLabel('Password').and(theirs.locator(':focus')).fill(own.password);
  await button('Sign in', theirs).click();
  await heading(theirs, 'Not allowed');
  // The list of operators is read again after the sign-in, and staff may not read it.
  expectFaultless(theirs, 401, 403);
  await theirs.context().close();
});

test('the last administrator stays', async () => {
  const { email } = product.service.practice.administrator;
  await chooseAction(page, email, 'Disable');
  await inDialog('Disable').click();
  await page.getByRole('alert').getByText('This is the last administrator who can sign in').waitFor();
  await page.keyboard.press('Escape');
  await closed();
  await button(`Actions for ${email}`).click();
  await page.getByRole('menuitem', { name: 'End sessions' }).waitFor();
  expect(await page.getByRole('menuitem', { name: 'Reset password' }).count()).toBe(0);
  await page.keyboard.press('Escape');
  expectFaultless(page, 409);
});

test('the audit log is filtered by ids, and its CSV has no formula', async () => {
  const { administrator, store } = product.service.practice;
  const author = { principal: { kind: 'operator', id: administrator._id }, requestId: 'r1' } as const;
  for (const id of ['=1+1', '<img src=x onerror=alert(1)>', 'a\n@SUM(1)'])
    await store.audit.add({ ...author, action: 'read', kind: 'patient', ids: [id], result: '@SUM(1)' });
  await page.getByRole('link', { name: 'Audit log' }).click();
  await heading(page, 'Audit log');
  await page.getByLabel('Operator, key or token').selectOption(administrator.email);
  await addFilter(page, 'Kind');
  await page.getByRole('combobox', { name: 'Kind' }).selectOption('Patient');
  await page.waitForURL(`**/audit?principalId=${administrator._id}&kind=patient`);
  await expect.poll(() => page.getByRole('row').count()).toBe(4);
  // The end of the id <img src=x onerror=alert(1)>.
  await page.getByRole('link', { name: '…(1)>' }).waitFor();
  const [file] = await Promise.all([page.waitForEvent('download'), button('Download CSV').click()]);
  expect(file.suggestedFilename()).toMatch(/^audit-log-.*\.csv$/);
  const csv = readFileSync(await file.path(), 'utf8');
  expect(csv.match(/,ok,|@SUM/g)).toHaveLength(4);
  // A line inside of quotation marks is no cell.
  expect(csv).toContain('"a\n@SUM(1)"');
  expect(csv.replace('"a\n@SUM(1)"', '')).not.toMatch(/(^|[,\r\n])"?[=+\-@\t]/);

  // An e-mail address in the field for an id does not get into the address.
  await page.getByLabel('Record id').fill(administrator.email);
  await button('Find').click();
  await page.getByText('Enter an id').first().waitFor();
  expect(page.url()).not.toContain('@');
  await page.getByLabel('Record id').fill('01JB000');
  await button('Find').click();
  await page.getByText('No entry matches').waitFor();
  await page.goBack();
  await expect.poll(() => page.getByRole('row').count()).toBe(4);
  await button('Time: any').click();
  await page.getByLabel('Until').fill('2020-01-31T09:30');
  await button('Apply').click();
  await page.getByText('No entry matches').waitFor();
  expect(new URL(page.url()).searchParams.get('until')).toBe('2020-01-31T08:30:00.000Z');
  await button('Remove the filter Time').click();
  await expect.poll(() => page.getByRole('row').count()).toBe(4);
  expectFaultless(page);
});

test('an event leads to its deliveries, and hostile values stay text', async () => {
  const [clinicId] = product.service.practice.clinicIds;
  const name = `<img src=x onerror=alert(1)>${'x'.repeat(400)}`;
  const made = await product.service.call('POST', '/api/patients', { clinicId, name });
  const { _id } = made.json as { _id: string };
  const events = product.service.database.collection('events');
  await expect.poll(() => events.countDocuments({ about: _id })).toBe(1);
  await page.getByRole('link', { name: 'Events' }).click();
  await heading(page, 'Events');
  await page.getByLabel('Record id').fill(_id);
  await button('Find').click();
  await page.waitForURL(`**/events?recordId=${_id}`);
  // The log shows an event about two seconds after the write.
  await expect
    .poll(async () => {
      await button('Refresh').click();
      return page.getByRole('row').count();
    })
    .toBe(2);
  await page.getByRole('row').nth(1).getByRole('link', { name: 'patient.created' }).click();
  await heading(page, 'Event');
  await page.getByText('<img src=x onerror=alert(1)>').waitFor();
  await page.getByRole('cell', { name: 'Succeeded' }).waitFor();
  await page.getByRole('region', { name: 'Deliveries' }).getByRole('row').nth(1).getByRole('link').click();
  await heading(page, 'Delivery');
  await page.getByRole('link', { name: String((await events.findOne({ about: _id }))?._id) }).click();
  await heading(page, 'Event');
  expectFaultless(page);
});

test('staff find a patient by e-mail, and the e-mail is in no address, title or storage', async () => {
  const [clinicId] = product.service.practice.clinicIds;
  const email = `hidden.${Date.now()}@example.com`;
  const name = '=HYPERLINK("http://evil.example")';
  const patient = await product.service.call('POST', '/api/patients', { clinicId, email, name });
  const times = { startTime: '2030-01-31T09:30:00Z', endTime: '2030-01-31T10:00:00Z' };
  const patientId = patient.json._id;
  await product.service.call('POST', '/api/appointments', { clinicId, patientId, ...times });
  // The log shows an event some seconds after it happened.
  const logged = () => product.service.call('GET', `/api/events?recordId=${patientId}`);
  await expect.poll(async () => (await logged()).json.length).toBe(1);
  const theirs = await product.openAs(product.service.practice.staff, '/records/patients');
  const seen: string[] = [];
  const look = async () =>
    seen.push(
      String(
        await theirs.evaluate(
          'JSON.stringify([location.href, document.title, history.state, { ...localStorage }, { ...sessionStorage }])',
        ),
      ),
    );
  await heading(theirs, 'Patients');
  await theirs.getByLabel('Name, phone, e-mail or id').fill('?!');
  await button('Search', theirs).click();
  await theirs.getByRole('alert').getByText('at least one letter').waitFor();
  await theirs.getByLabel('Name, phone, e-mail or id').fill(patientId);
  await button('Search', theirs).click();
  await heading(theirs, name);
  await theirs.goBack();
  await theirs.getByLabel('Name, phone, e-mail or id').fill(email.toUpperCase());
  await button('Search', theirs).click();
  await expect.poll(() => theirs.getByRole('row').count()).toBe(2);
  await theirs.getByText(name).waitFor();
  await look();
  await theirs.getByRole('link', { name }).click();
  await heading(theirs, name);
  await theirs.getByText(email).waitFor();
  await look();
  await theirs.getByRole('region', { name: 'Events' }).getByRole('row').nth(1).getByRole('link').click();
  await heading(theirs, 'Event');
  await theirs.getByText('"patient.created"').waitFor();
  expect(await theirs.getByRole('region', { name: 'Deliveries' }).count()).toBe(0);
  await look();
  await theirs.getByRole('link', { name: patientId }).click();
  await theirs.getByRole('link', { name: 'All appointments of this patient' }).first().click();
  await heading(theirs, 'Appointments');
  await theirs.getByRole('rowheader', { name: 'Thu, 31 Jan 2030, 09:30', exact: true }).waitFor();
  await theirs.getByText('Times of UTC.', { exact: true }).waitFor();
  await theirs.getByRole('link', { name: 'Clinics', exact: true }).click();
  await heading(theirs, 'Clinics');
  await theirs.getByRole('rowheader', { name: 'North' }).waitFor();
  await theirs.goBack();
  await theirs.goBack();
  await theirs.goBack();
  await heading(theirs, 'Event');
  await theirs.goBack();
  await theirs.goBack();
  await heading(theirs, 'Patients');
  expect(await theirs.getByLabel('Name, phone, e-mail or id').inputValue()).toBe(email.toUpperCase());
  await look();
  expect(seen.join('\n')).not.toMatch(/hidden\.|%40|@/i);
  // An address without a page has the frame of the others.
  for (const path of ['/records/dentists', '/no/such/page', '/sign-in/other']) {
    await theirs.goto(product.url + path);
    await heading(theirs, 'Page not found');
    await theirs.getByRole('navigation', { name: 'Main' }).waitFor();
  }
  expectFaultless(theirs);
  await theirs.context().close();
});

test('a connected app is shown with who granted it, and disconnected', async () => {
  const { practice, database } = product.service;
  const operatorId = practice.administrator._id;
  const _id = await plantConnection(database, { organizationId: practice.organizationId, operatorId });
  const hostile = '<img src=x onerror=alert(1)>';
  await database.collection('connections').updateOne({ _id }, { $set: { clientName: hostile } });
  await open('/connections');
  const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: hostile }) });
  await row.getByText('assistant.example.com').waitFor();
  await row.getByText(practice.administrator.email).waitFor();
  await row.getByText('Find availability').waitFor();
  await row.getByRole('button', { name: 'Disconnect' }).click();
  await inDialog('Disconnect').click();
  await page.getByText('No app is connected').waitFor();
  await page.getByText('https://mcp.example.com/mcp', { exact: true }).waitFor();
  expect(await database.collection('connections').countDocuments({ _id })).toBe(0);
  expectFaultless(page);
});

/** A program on the user's machine that wants to be connected. */
const startApp = async () => {
  const responses: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    if (url.startsWith('/callback')) responses.push(url);
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><html lang="en"><title>App</title><h1>Back in the app</h1></html>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const metadata = { client_name: 'Tooth Assistant', redirect_uris: [`http://${host}/callback`] };
  const registered = await fetch(`${product.url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(metadata),
  });
  const { client_id } = (await registered.json()) as { client_id: string };
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: `http://${host}/callback`,
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    state: 'kept',
  });
  return { host, responses, path: `/oauth/authorize?${query}`, close: () => server.close() };
};

test('an administrator signs in on the way, confirms the password, and connects an app; staff can deny only', async () => {
  const app = await startApp();
  const administrator = await createOperator('administrator', 'connects');
  const theirs = await product.openAs(administrator, app.path);
  await heading(theirs, 'Connect Tooth Assistant');
  // Nothing is left of the sign-in page, such as an announcement that was labelled by its button.
  await expect.poll(() => theirs.getByRole('img').count()).toBe(0);
  expect(await findingsOf(theirs)).toEqual([]);
  await theirs.reload();
  await heading(theirs, 'Connect Tooth Assistant');
  await theirs.getByText(app.host).waitFor();
  await theirs.getByText('Any program there can give itself this name').waitFor();
  await theirs.getByText('It wants to read from Test practice.').waitFor();
  await theirs.getByRole('region', { name: 'It cannot' }).getByText('See any patient').waitFor();
  // The page is no page of the dashboard.
  expect(await theirs.getByRole('navigation').count()).toBe(0);
  expect(await theirs.title()).toBe('Connect an app · Chairside');
  expect(await findingsOf(theirs)).toEqual([]);
  const { database, practice } = product.service;
  const owner = { organizationId: practice.organizationId, operatorId: 'full' };
  for (let index = 0; index < 100; index++) await plantConnection(database, owner);
  await button('Allow', theirs).click();
  await theirs.getByRole('alert').getByText('already has 100 connected apps').waitFor();
  await database.collection('connections').deleteMany(owner);
  await database
    .collection('sessions')
    .updateMany({ operatorId: administrator._id }, { $set: { confirmedTime: new Date(0) } });
  await button('Allow', theirs).click();
  const confirm = theirs.getByRole('dialog', { name: 'Confirm it’s you' });
  await confirm.getByLabel('Password').fill(administrator.password);
  await confirm.getByRole('button', { name: 'Confirm' }).click();
  await heading(theirs, 'Back in the app');
  expect(app.responses.pop()).toMatch(/^\/callback\?code=[\w-]+&state=kept&iss=/);
  // The app asks two things, and sends another request, which the administrator denies.
  const tools = { list_clinics: new Date(Date.now() - 600_000), find_availability: new Date() };
  await database.collection('connections').updateOne({ operatorId: administrator._id }, { $set: { tools } });
  theirs.errors.length = 0;
  await theirs.goto(product.url + app.path);
  await heading(theirs, 'Connect Tooth Assistant');
  const asked = theirs.getByRole('region', { name: 'It has asked before' }).getByRole('listitem');
  expect(await asked.allTextContents()).toEqual([
    expect.stringMatching(/^Find availability /),
    expect.stringMatching(/^List clinics /),
  ]);
  expect(await findingsOf(theirs)).toEqual([]);
  await button('Deny', theirs).click();
  await heading(theirs, 'Back in the app');
  expect(app.responses.pop()).toContain('error=access_denied');
  await theirs.context().close();

  const phone = { viewport: { width: 390, height: 844 } };
  const staff = await product.openAs(await createOperator('staff', 'asks'), app.path, phone);
  await heading(staff, 'Connect Tooth Assistant');
  await staff.getByText('Only an administrator can allow this').waitFor();
  expect(await findingsOf(staff)).toEqual([]);
  expect(await button('Allow', staff).count()).toBe(0);
  expectFaultless(staff);
  await staff.goto(`${product.url}/oauth/consent/unknown`);
  await staff.getByText('This request has expired').waitFor();
  await staff.context().close();
  app.close();
});

test('the focus returns to the menu of a row, also after its first use', async () => {
  await open('/operators');
  const menu = button(`Actions for ${product.service.practice.administrator.email}`);
  for (const _ of ['first', 'second']) {
    await menu.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Edit' }).press('Enter');
    await page.getByRole('dialog').locator('input:focus').waitFor();
    await page.keyboard.press('Escape');
    await closed();
    await menu.and(page.locator(':focus')).waitFor();
  }
  expectFaultless(page);
});

test('pointing at a link requests the data of its page, but never a record', async () => {
  await open('/account');
  await heading(page, 'Account');
  const requested: string[] = [];
  page.on('request', (request) => requested.push(new URL(request.url()).pathname));
  const link = (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true });
  for (const name of ['Records', 'Events']) {
    await link(name).hover();
    // If this link requested data, it would do so before the next link requests its data.
    await Promise.all([page.waitForRequest(/\/api\/auditentries\?/), link('Audit log').hover()]);
    expect(requested.filter((path) => /^\/api\/(patients|events)/.test(path))).toEqual([]);
    await open('/account');
    await heading(page, 'Account');
  }
  expectFaultless(page);
});
