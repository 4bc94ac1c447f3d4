import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { loadedBytes } from './loaded-bytes.ts';
import { addFilter, expectFaultless, keep, type Product, startProduct, type WatchedPage } from './product.ts';
import { openFailingReceivers } from './receivers.ts';

let product: Product;
let failing: Awaited<ReturnType<typeof openFailingReceivers>>;
/** The ids of the subscriptions of the failing receivers, by their URL. */
const subscriptions = new Map<string, string>();
let page: WatchedPage;

beforeAll(async () => {
  [product, failing] = await Promise.all([startProduct(), openFailingReceivers()]);
  const { store, clinicIds } = product.service.practice;
  for (const { url } of failing.all) {
    const fields = { clinicId: clinicIds[0], url, events: [], active: true };
    const made = await store.subscriptions.create(fields, new Date());
    subscriptions.set(url, made?._id ?? '');
  }
  const hostile = { $set: { name: '<img src=x onerror=alert(1)>' } };
  await product.service.database.collection('clinics').updateOne({ _id: clinicIds[1] }, hostile);
  page = await product.openAs(product.service.practice.administrator, '/deliveries');
  // On pages that are opened from here on, the tests can advance the clock.
  await page.clock.install();
});
afterEach(({ task }) => {
  // The errors of a failed test must not fail the next one.
  if (task.result?.state === 'fail') page.errors.length = 0;
});
afterAll(async () => {
  failing.close();
  await product.close();
});

const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
const button = (name: string) => page.getByRole('button', { name, exact: true });
const open = (path: string) => page.goto(product.url + path);
/**
 * Resolves when a live page shows a value. Before each look, the clock of the page advances by three seconds, after
 * which the page reads its data again.
 */
const shows = async <Value>(look: () => Promise<Value>, value: Value): Promise<void> =>
  expect
    .poll(
      async () => {
        await page.clock.fastForward(3000);
        return look();
      },
      { interval: 200 },
    )
    .toEqual(value);
const isShown = (locator: Locator) => shows(() => locator.isVisible(), true);
/** A subscription as after 20 failures. */
const disabled = { active: false, consecutiveFailures: 20, disabledReason: 'Disabled after 20 failures.' };
const createPatient = async (): Promise<string> => {
  const [clinicId] = product.service.practice.clinicIds;
  const made = await product.service.call('POST', '/api/patients', { clinicId, name: 'Ada Beispiel' });
  return made.requestId;
};

test('new deliveries appear without a reload, each with its cause and its remedy', async () => {
  await open('/deliveries');
  await heading('Deliveries');
  await createPatient();
  const rows = page.getByRole('row');
  // The table has a header row, a row of the receiver that works, and ten rows of receivers that fail.
  await shows(() => rows.count(), 12);
  await shows(() => page.getByRole('cell', { name: 'Failed', exact: true }).count(), 10);

  for (const { name, url, cause, hint } of failing.all) {
    const subscriptionId = subscriptions.get(url);
    const delivery = await product.service.database.collection('deliveries').findOne({ subscriptionId });
    await open(`/deliveries/${delivery?._id}`);
    const outcome = page.getByRole('region', { name: 'Outcome' });
    await outcome.getByText('Failed', { exact: true }).waitFor();
    const message = await outcome.textContent();
    expect({ name, message }).toEqual({ name, message: expect.stringContaining(cause) });
    expect({ name, message }).toEqual({ name, message: expect.stringContaining(hint) });
    // A phase is called after the first byte only if a response has come.
    const phases = await page.locator('.waterfall tbody th').allTextContents();
    const firstBytes = phases.filter((phase) => phase === 'First byte').length;
    expect({ name, firstBytes }).toEqual({ name, firstBytes: delivery?.statusCode === undefined ? 0 : 1 });
  }
  expectFaultless(page);
});

test('the response of a receiver is text and does nothing', async () => {
  const url = failing.all.find(({ name }) => name === 'hostile')?.url ?? '';
  await open(`/deliveries?webhookSubscriptionId=${subscriptions.get(url)}`);
  await page.getByRole('row').nth(1).getByRole('link').click();
  await page.getByText('<img src=x onerror="alert(1)">').waitFor();
  expect(await page.locator('pre img, pre script').count()).toBe(0);
  expectFaultless(page);
});

test('from the overview to the cause in two clicks, redelivered after the repair', async () => {
  const url = failing.all.find(({ name }) => name === 'nobody listens')?.url ?? '';
  const id = subscriptions.get(url) ?? '';
  await product.service.database.collection('subscriptions').updateOne({ _id: id }, { $set: disabled });
  await open('/');
  await page
    .getByRole('row')
    .filter({ hasText: new URL(url).host })
    .getByRole('link', { name: 'See failures' })
    .click();
  await heading('Deliveries');
  expect(new URL(page.url()).searchParams.get('outcome')).toBe('failed');
  await page.getByRole('row').nth(1).getByRole('link').click();
  await page
    .getByRole('region', { name: 'Outcome' })
    .getByText('The receiver refused the connection.')
    .waitFor();
  const { store } = product.service.practice;
  const repaired = { url: product.service.receiver.url, active: true };
  await store.subscriptions.update(id, repaired, new Date());
  await button('Redeliver').click();
  await page.getByText('Repeats').waitFor();
  await isShown(page.getByRole('region', { name: 'Outcome' }).getByText('Succeeded'));
  await page.getByText('"patient.created"').waitFor();
  // Nothing is left to do about the delivery that failed.
  await page.getByRole('link', { name: 'an earlier delivery' }).click();
  const outcome = page.getByRole('region', { name: 'Outcome' });
  await isShown(outcome.getByText(/^Redelivered .*, succeeded\.$/));
  expect(await outcome.getByText('Then redeliver.').count()).toBe(0);
  expect(await button('Redeliver').getAttribute('class')).not.toContain('primary');
  await outcome.getByRole('link', { name: /^Redelivered/ }).click();
  await page.getByText('Repeats').waitFor();
  await open(`/deliveries?webhookSubscriptionId=${id}`);
  await page
    .getByRole('row')
    .filter({ hasText: 'Failed' })
    .getByText('Redelivered', { exact: true })
    .waitFor();
  expectFaultless(page);
});

test('the list names the clinics, and its CSV has what the filters show, without patients', async () => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await open('/deliveries?outcome=failed&cause=status');
  const names = page.getByRole('cell', { name: 'North', exact: true });
  await names.first().waitFor();
  const [file] = await Promise.all([page.waitForEvent('download'), button('Download CSV').click()]);
  expect(file.suggestedFilename()).toMatch(/^deliveries-.*\.csv$/);
  const [head, ...rows] = readFileSync(await file.path(), 'utf8')
    .trimEnd()
    .split('\r\n');
  expect(head).toBe(
    'createdTime,attemptTime,event,eventId,deliveryId,kind,subscriptionId,receiverHost,receiverPath,clinicId,clinicName,outcome,attempts,statusCode,cause,durationMs',
  );
  expect(rows).toHaveLength(await names.count());
  for (const row of rows) {
    expect(row).toContain(',failed,1,');
    expect(row).toContain(',status,');
    expect(row).not.toContain('Ada');
  }
  expectFaultless(page);
});

test('a time range is redelivered with progress, and only what is left', async () => {
  const url = failing.all.find(({ name }) => name === 'refuses')?.url ?? '';
  const id = subscriptions.get(url) ?? '';
  const { database, practice, receiver } = product.service;
  await practice.store.subscriptions.update(id, { url: receiver.url }, new Date());
  await database.collection('subscriptions').updateOne({ _id: id }, { $set: disabled });
  await open(`/webhooks/${id}`);
  await button('Redeliver…').click();
  await page.getByText('In this range: 1 failed.').waitFor();
  const stillDisabled = page.getByRole('dialog').getByText('This subscription is still disabled.');
  await stillDisabled.waitFor();
  await page.getByText(/^Times are in your time zone, \S+\.$/).waitFor();
  await button('Redeliver').click();
  await page.getByRole('tab', { name: 'Redeliveries', selected: true }).waitFor();
  await isShown(page.getByRole('cell', { name: 'Done' }));
  await page.getByRole('cell', { name: '1 created, 0 waiting, 1 succeeded, 0 failed' }).waitFor();
  await practice.store.subscriptions.update(id, { active: true }, new Date());
  await button('Redeliver…').click();
  await page.getByText('Nothing is left to send again in this range.').waitFor();
  expect(await button('Redeliver').count()).toBe(0);
  await shows(() => stillDisabled.count(), 0);
  await button('Close').click();
  expectFaultless(page);
});

test('a subscription that failures disabled is activated where the page says so', async () => {
  const url = failing.all.find(({ name }) => name === 'gone')?.url ?? '';
  const id = subscriptions.get(url) ?? '';
  const { database, practice } = product.service;
  await open(`/webhooks/${id}`);
  await page.getByText('Failing: 1 of 20 failures in a row, the last: refused by status').waitFor();
  const disabledTime = new Date('2030-01-31T09:30:00Z');
  await database.collection('subscriptions').updateOne({ _id: id }, { $set: { ...disabled, disabledTime } });
  await isShown(page.getByText('Disabled since Thu, 31 Jan 2030, 10:30:00'));
  await button('Activate').click();
  await expect.poll(() => button('Activate').count()).toBe(0);
  await page.locator('h1:focus').waitFor();
  expect(await practice.store.subscriptions.find(id)).toMatchObject({ active: true, url });
  expectFaultless(page);
});

test('what failed is recovered for all subscriptions, with the number before and the result after', async () => {
  // The subscription of this delivery was deleted, so the delivery cannot be sent again.
  const deliveries = product.service.database.collection('deliveries');
  // What is sealed belongs to the one delivery.
  const one = await deliveries.findOne({ status: 'failed', kind: 'event' }, { projection: { sealed: 0 } });
  const orphan = { ...one, _id: `${one?.eventId}-gone`, subscriptionId: 'gone' };
  await deliveries.insertOne(orphan);
  const hostile = failing.all.find(({ name }) => name === 'hostile')?.url ?? '';
  await product.service.database
    .collection('subscriptions')
    .updateOne({ _id: subscriptions.get(hostile) ?? '' }, { $set: disabled });
  await open('/deliveries');
  await button('Recover…').click();
  await page.getByLabel('From').fill('2020-01-31T09:30');
  await page.getByLabel('Until').fill('2020-01-31T10:30');
  await page.getByText('Nothing is left to send again in this range.').waitFor();
  expect(await button('Recover').count()).toBe(0);
  await button('Close').click();
  await button('Recover…').click();
  // Two were redelivered with success before, and only the first deliveries of events count.
  const counted = page.getByRole('status').filter({ hasText: 'In this range' });
  const words = (await counted.textContent()) ?? '';
  const [, failed, of] = words.match(/^In this range: (\d+) failed, of (\d+) subscriptions\.$/) ?? [];
  expect({ words, failed: Number(failed), of: Number(of) }).toEqual({ words, failed: 8, of: 8 });
  await page.getByRole('dialog').getByText('is still disabled.').waitFor();
  await button('Recover').click();
  await page.getByRole('dialog', { name: /^Recover(ing|ed)/ }).waitFor();
  const dialog = page.getByRole('dialog', { name: 'Recovered 0 of 8 deliveries' });
  await expect.poll(() => dialog.getByRole('listitem').count()).toBe(8);
  // A result is green only if everything succeeded.
  const finals = dialog
    .getByRole('listitem')
    .filter({ hasText: '1 created, 0 waiting, 0 succeeded, 1 failed' });
  expect(await finals.count()).toBe(8);
  expect(await dialog.getByText('Done', { exact: true }).count()).toBe(0);
  expect(await dialog.getByText('It is still disabled.').count()).toBe(1);
  await dialog.getByRole('link', { name: new URL(hostile).pathname }).click();
  await heading(hostile);
  await deliveries.deleteOne({ subscriptionId: 'gone' });
  await product.service.practice.store.subscriptions.update(
    subscriptions.get(hostile) ?? '',
    { active: true },
    new Date(),
  );
  expectFaultless(page);
});

test('one field finds a delivery, an event or a request', async () => {
  const requestId = await createPatient();
  const deliveries = product.service.database.collection('deliveries');
  await expect.poll(() => deliveries.countDocuments({ requestId })).toBe(11);
  const delivery = await deliveries.findOne({ requestId });
  const field = page.getByLabel('Id of a delivery, an event or a request');
  // This time is outside the 24 hours that the api searches by default.
  const old = new Date(Date.now() - 3 * 24 * 60 * 60_000);
  await deliveries.updateMany({ requestId }, { $set: { createdTime: old } });
  await open('/deliveries');
  await field.fill('ada@example.com');
  await button('Find').click();
  await page.getByRole('alert').getByText('Enter an id').waitFor();
  expect(page.url()).not.toContain('ada');
  for (const [id, expected] of [
    [delivery?._id, /\/deliveries\/[\w-]+$/],
    [delivery?.eventId, new RegExp(`eventId=${delivery?.eventId}`)],
    [requestId, new RegExp(`requestId=${requestId}`)],
  ] as const) {
    await open('/deliveries');
    await field.fill(String(id));
    await button('Find').click();
    await page.waitForURL(expected);
    if (id !== delivery?._id) await expect.poll(() => page.getByRole('row').count()).toBe(12);
  }
  await addFilter(page, 'Event');
  await page.getByRole('combobox', { name: /^Event/ }).selectOption('patient.deleted');
  await page.getByText('No delivery matches.').waitFor();
  await button('Clear filters').click();
  await page.waitForURL(/\/deliveries$/);
  await button('Time: last 24 hours').waitFor();
  await button('Add filter').and(page.locator(':focus')).waitFor();
  // The search first requests a delivery with the id, which returns 404 for other ids.
  expectFaultless(page, 404);
});

test('a subscription is created, tested, changed and deleted, and shows its secret once', async () => {
  await open('/webhooks');
  await button('New subscription').click();
  await page.getByLabel('URL', { exact: true }).fill('ftp://example.com');
  await button('Create').click();
  // Of several clinics, none is chosen by accident.
  await page.getByRole('dialog').getByLabel('Clinic').and(page.locator(':focus')).waitFor();
  await page.getByRole('dialog').getByLabel('Clinic').selectOption({ index: 1 });
  await button('Create').click();
  await page.getByText('must start with https://').first().waitFor();
  await page.getByLabel('URL', { exact: true }).fill(`${product.service.receiver.url}/new`);
  await page.getByText('Patients: all').click();
  await button('Create').click();
  const secret = await page.getByLabel('Secret', { exact: true }).inputValue();
  expect(secret).toMatch(/^whsec_/);
  await keep(page);
  // The dialog closes before the page removes its content.
  await expect.poll(() => page.content()).not.toContain(secret);
  await page.getByRole('link', { name: `${product.service.receiver.url}/new` }).click();
  // Nothing was measured yet.
  const rate = page.locator('dt', { hasText: 'Success rate, 24 hours' }).locator('+ dd');
  await rate.getByText('–', { exact: true }).waitFor();
  await button('Send test').click();
  await isShown(page.getByRole('region', { name: 'Outcome' }).getByText('Succeeded'));
  // The page of a test sends the next one.
  const first = page.url();
  await button('Send test').click();
  await page.waitForURL((address) => address.pathname.startsWith('/deliveries/') && address.href !== first);
  await page.goBack();
  await page.goBack();
  await page.getByRole('tab', { name: 'Settings' }).click();
  // The input stays when somebody else changes the subscription, and the other fields follow the subscription.
  const typed = `${product.service.receiver.url}/new?typed`;
  await page.getByLabel('URL', { exact: true }).fill(typed);
  const subscriptionId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  const { store } = product.service.practice;
  await store.subscriptions.update(subscriptionId, { events: ['invoice.*'] }, new Date());
  await shows(() => page.getByLabel('Invoices: all').isChecked(), true);
  expect(await page.getByLabel('URL', { exact: true }).inputValue()).toBe(typed);
  await page.getByLabel('URL', { exact: true }).fill(`${product.service.receiver.url}/new`);
  await page.getByRole('switch', { name: 'Active' }).focus();
  await page.keyboard.press('Space');
  await button('Save').click();
  await page.getByText('Saved').waitFor();
  await page.getByText('Off', { exact: true }).waitFor();
  expect((await store.subscriptions.find(subscriptionId))?.events).toEqual(['invoice.*']);
  await button('Delete').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await heading('Webhooks');
  expect(await page.getByRole('link', { name: `${product.service.receiver.url}/new` }).count()).toBe(0);
  expectFaultless(page, 400);
});

test('a subscription that somebody else deletes is gone on an open page, with what was typed', async () => {
  const { store, clinicIds } = product.service.practice;
  const fields = { clinicId: clinicIds[0], url: product.service.receiver.url, events: [], active: true };
  const _id = (await store.subscriptions.create(fields, new Date()))?._id ?? '';
  await open(`/webhooks/${_id}?tab=settings`);
  await page.getByRole('textbox', { name: 'URL' }).fill('https://typed.example.com/');
  await store.subscriptions.delete(_id);
  await isShown(page.getByRole('alert').getByText('There is no such record.'));
  expect(await button('Save').count()).toBe(0);
  // Nothing is left that could be saved, so nothing asks.
  await page.getByRole('link', { name: 'Webhooks', exact: true }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
  expectFaultless(page, 404);
});

test('a subscription that is deleted after its page was left leads nobody away', async () => {
  const { store, clinicIds } = product.service.practice;
  const fields = { clinicId: clinicIds[0], url: product.service.receiver.url, events: [], active: true };
  const _id = (await store.subscriptions.create(fields, new Date()))?._id ?? '';
  await open(`/webhooks/${_id}?tab=settings`);
  const held = Promise.withResolvers<void>();
  await page.route(`**/api/webhooksubscriptions/${_id}`, async (route) => {
    if (route.request().method() === 'DELETE') await held.promise;
    await route.continue();
  });
  await button('Delete').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await dialog.getByRole('button', { name: 'Keep it' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Schedule' }).click();
  await page.getByRole('list', { name: 'Clinics' }).getByRole('button').first().click();
  await page.getByLabel('Chairs').fill('7');
  const deleted = page.waitForResponse((response) => response.request().method() === 'DELETE');
  held.resolve();
  await deleted;
  // What was typed is still there, so leaving it asks.
  await page.getByRole('link', { name: 'API keys' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click();
  await heading('API keys');
  await page.unrouteAll({ behavior: 'wait' });
  expectFaultless(page, 404);
});

test('the secret of a subscription is replaced: created, tested, switched, and the old one deleted', async () => {
  const { store, clinicIds } = product.service.practice;
  const url = `${product.service.receiver.url}/replaced`;
  const old = await store.subscriptions.create(
    { clinicId: clinicIds[0], url, events: [], active: true },
    new Date(),
  );
  await open('/webhooks');
  await page.getByRole('link', { name: url }).click();
  await page.getByRole('tab', { name: 'Settings' }).click();
  await button('Replace the secret').click();
  await button('Create the secret').click();
  // The page knows of the replacement, and no longer offers to create one. The secret must not go with that.
  await page.getByText('is to replace this one').waitFor({ state: 'attached' });
  await page.getByText('Signing secret').waitFor({ state: 'detached' });
  const field = page.getByLabel('Secret', { exact: true });
  const secret = await field.inputValue();
  await page.goBack();
  await page.goForward();
  expect(await field.inputValue()).toBe(secret);
  expect(secret).toMatch(/^whsec_/);
  expect(secret).not.toBe(old?.secret);
  await keep(page);
  const note = page.getByRole('region', { name: 'Replacement' });
  await isShown(note.getByText('is to replace this one'));
  expect(await button('Replace the secret').count()).toBe(0);
  await note.getByRole('link', { name: 'Continue' }).click();
  await note.getByText('It gets no events yet').waitFor();
  const nextId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  expect(await button('Switch').count()).toBe(0);
  await button('Send test').click();
  await isShown(page.getByRole('region', { name: 'Outcome' }).getByText('Succeeded'));
  // Lists tell the two apart.
  await open('/webhooks');
  await page.locator(`[data-key="${nextId}"]`).getByText('Waiting to replace').waitFor();
  await page.locator(`[data-key="${old?._id}"]`).getByText('New', { exact: true }).waitFor();
  await open(`/deliveries?webhookSubscriptionId=${nextId}`);
  const choices = page.getByRole('combobox', { name: /^Subscription/ }).locator('option');
  await choices
    .filter({ hasText: `${url} (` })
    .nth(1)
    .waitFor({ state: 'attached' });
  expect(new Set(await choices.allTextContents()).size).toBe(await choices.count());
  await open(`/webhooks/${nextId}`);
  await isShown(button('Switch'));
  await button('Switch').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Switch' }).click();
  await page.getByText('Healthy', { exact: true }).waitFor();
  expect(await note.count()).toBe(0);
  expect(await store.subscriptions.find(nextId)).toMatchObject({ active: true, replaces: old?._id });

  await open(`/webhooks/${old?._id}?tab=settings`);
  await page.getByText('Replaced', { exact: true }).waitFor();
  await note.getByText('delete this subscription under Settings').waitFor();
  await button('Delete').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await heading('Webhooks');
  await store.subscriptions.delete(nextId);
  expectFaultless(page);
});

test('a subscription for each clinic is created as a group, and creating it again keeps it', async () => {
  const { clinicIds, store } = product.service.practice;
  const url = `${product.service.receiver.url}/group`;
  const create = async () => {
    await open('/webhooks');
    await button('New subscription').click();
    await page
      .getByRole('dialog')
      .getByLabel('Clinic')
      .selectOption({ label: 'All clinics: one subscription for each' });
    await page.getByLabel('URL', { exact: true }).fill(url);
    await button('Create').click();
    await page.getByRole('heading', { name: 'One subscription for each clinic' }).waitFor();
  };
  await create();
  const shown: Record<string, string> = JSON.parse(
    await page.getByLabel('New secrets by subscription').inputValue(),
  );
  const secrets = Object.values(shown);
  expect(new Set(secrets).size).toBe(clinicIds.length);
  for (const secret of secrets) expect(secret).toMatch(/^whsec_[A-Za-z0-9]{32}$/);
  expect(await page.getByRole('cell', { name: 'Created' }).count()).toBe(clinicIds.length);
  await keep(page);
  await page.getByText(`${clinicIds.length} clinics, all new`).waitFor();
  await expect.poll(() => page.content()).not.toContain(secrets[0]);

  const group = async () => (await store.subscriptions.list()).filter((each) => each.url === url);
  const stored = async () => (await group()).map(({ clinicId }) => clinicId).sort();
  expect(await stored()).toEqual([...clinicIds].sort());
  expect((await group()).map(({ _id }) => _id).sort()).toEqual(Object.keys(shown).sort());
  await create();
  expect(await page.getByRole('cell', { name: 'Kept: the clinic already had it' }).count()).toBe(
    clinicIds.length,
  );
  expect(await page.getByLabel('New secrets by subscription').count()).toBe(0);
  await button('Done').click();
  expect(await stored()).toEqual([...clinicIds].sort());
  // The next tests count the deliveries of these clinics.
  for (const { _id } of await group()) await store.subscriptions.delete(_id);
  expectFaultless(page);
});

test('Back and Forward go through ten filters, and show each list', async () => {
  const read = (action: () => Promise<unknown>) =>
    Promise.all([page.waitForResponse(/\/api\/webhookdeliveries\?/), action()]);
  await read(() => open('/deliveries'));
  await addFilter(page, 'Cause');
  const outcome = page.getByRole('combobox', { name: 'Outcome' });
  const cause = page.getByRole('combobox', { name: 'Cause' });
  const steps: [field: typeof outcome, value: string][] = [
    [outcome, 'failed'],
    ...['dns', 'connect', 'tls', 'timeout', 'reset', 'status', 'redirect', 'protocol'].map(
      (value): [typeof outcome, string] => [cause, value],
    ),
    [outcome, 'succeeded'],
  ];
  const shown = async () => ({
    search: new URL(page.url()).search,
    outcome: await outcome.inputValue(),
    cause: await cause.inputValue(),
    // All rows except the header.
    rows: (await page.getByRole('row').count()) - 1,
  });
  const deliveries = product.service.database.collection('deliveries');
  const recent = { createdTime: { $gt: new Date(Date.now() - 24 * 60 * 60_000) } };
  const states = [{ ...(await shown()), rows: await deliveries.countDocuments(recent) }];
  /** The filters that were chosen so far, by their names in the address. */
  const chosen = { outcome: '', cause: '' };
  for (const [field, value] of steps) {
    await read(() => field.selectOption(value));
    chosen[field === outcome ? 'outcome' : 'cause'] = value;
    const given = Object.entries(chosen).filter(([, each]) => each !== '');
    const { outcome: status, ...rest } = Object.fromEntries(given);
    const rows = await deliveries.countDocuments({ ...recent, status, ...rest });
    states.push({ ...chosen, search: `?${new URLSearchParams(given)}`, rows: rows === 0 ? -1 : rows });
    await expect.poll(shown).toEqual(states.at(-1));
  }
  expect(new Set(states.map(({ search }) => search)).size).toBe(11);
  for (const state of states.toReversed().slice(1)) {
    await page.goBack();
    await expect.poll(shown).toEqual(state);
  }
  for (const state of states.slice(1)) {
    await page.goForward();
    await expect.poll(shown).toEqual(state);
  }
  expectFaultless(page);
});

test('Back returns to the place in a list', async () => {
  const { practice, database } = product.service;
  const entries = Array.from({ length: 50 }, (_, index) => ({
    _id: randomUUID(),
    organizationId: practice.organizationId,
    time: new Date(Date.now() - index * 1000),
    action: 'read',
    principal: { kind: 'operator', id: practice.administrator._id },
    kind: 'treatment',
    ids: [randomUUID()],
    result: 'ok',
    requestId: randomUUID(),
  }));
  await database.collection('auditEntries').insertMany(entries);
  await open('/audit?kind=treatment&action=read');
  await expect.poll(() => page.getByRole('row').count()).toBe(1 + 50);
  const place = await page.evaluate(() => {
    scrollTo(0, document.documentElement.scrollHeight);
    return scrollY;
  });
  expect(place).toBeGreaterThan(1000);
  await page.getByRole('link', { name: 'Events', exact: true }).click();
  await heading('Events');
  await page.goBack();
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(place);
  await database.collection('auditEntries').deleteMany({ _id: { $in: entries.map(({ _id }) => _id) } });
  expectFaultless(page);
});

test('a subscription with ids and a fixed header: created, changed, moved to another host, and what was sent', async () => {
  const { receiver, practice, call } = product.service;
  const url = `${receiver.url}/ids`;
  await open('/webhooks');
  await button('New subscription').click();
  await page.getByRole('dialog').getByLabel('Clinic').selectOption({ index: 1 });
  await page.getByLabel('URL', { exact: true }).fill(url);
  await page.getByLabel('Data', { exact: true }).selectOption('Only ids');
  const headers = page.getByLabel('Headers', { exact: true });
  await headers.fill('no colon');
  await button('Create').click();
  await page.getByText('Write each header as a name, a colon and a value.').waitFor();
  await headers.fill('Host: a\nAuthorization: Bearer of-the-receiver');
  await button('Create').click();
  await page.getByText('Headers must have another name').waitFor();
  await headers.fill('Authorization: Bearer of-the-receiver');
  await button('Create').click();
  await keep(page);
  const made = (await practice.store.subscriptions.list()).find((each) => each.url === url);
  expect(made).toMatchObject({ payload: 'ids', headers: { Authorization: '********' } });
  const patient = await call('POST', '/api/patients', { clinicId: made?.clinicId, name: 'Ada Beispiel' });
  await receiver.until((posts) => posts.some(({ path }) => path.endsWith('/ids')));
  const sent = receiver.posts.find(({ path }) => path.endsWith('/ids'));
  expect(sent?.headers.authorization).toBe('Bearer of-the-receiver');

  const delivery = sent?.headers['x-service-delivery-id'];
  await open(`/deliveries/${delivery}`);
  await page.getByText('only ids').waitFor();
  const body = page.getByRole('region', { name: 'What was sent' }).locator('pre').last();
  await body.waitFor();
  expect(JSON.parse((await body.textContent()) ?? '')).toEqual(sent?.json);
  expect(sent?.json.data).toEqual({
    _id: patient.json._id,
    clinicId: made?.clinicId,
    lastEditTime: patient.json.lastEditTime,
  });

  await open(`/webhooks/${made?._id}?tab=settings`);
  expect(await headers.inputValue()).toBe('Authorization: ********');
  expect(await page.content()).not.toContain('of-the-receiver');
  await page.getByLabel('URL', { exact: true }).fill('https://example.com/ids');
  await page.getByText('Type the values again, or the headers are removed.').waitFor();
  await headers.fill('X-Key: of-another');
  await page.getByLabel('Data', { exact: true }).selectOption('The whole record');
  await button('Save').click();
  await page.getByText('Saved').waitFor();
  expect(await headers.inputValue()).toBe('X-Key: ********');
  expect(await practice.store.subscriptions.find(made?._id ?? '')).toMatchObject({
    payload: 'full',
    headers: { 'X-Key': '********' },
  });
  await practice.store.subscriptions.delete(made?._id ?? '');
  expectFaultless(page, 400);
});

test('a printed delivery has the cause and the body, and no controls', async () => {
  const delivery = await product.service.database.collection('deliveries').findOne({ status: 'failed' });
  await open(`/deliveries/${delivery?._id}`);
  await page.getByText('What was sent').waitFor();
  await page.emulateMedia({ media: 'print' });
  const paper = {
    cause: page.getByRole('region', { name: 'Outcome' }),
    sent: page.getByText('What was sent'),
  };
  for (const part of Object.values(paper)) expect(await part.isVisible()).toBe(true);
  expect(await page.getByRole('navigation', { name: 'Main' }).isVisible()).toBe(false);
  expect(await page.getByRole('button').filter({ visible: true }).count()).toBe(0);
  await page.emulateMedia({ media: 'screen' });
});

test('the chart has its figures as a table, and each clinic has a chart', async () => {
  const { practice, receiver, database } = product.service;
  const [, clinicId] = practice.clinicIds;
  const fields = { clinicId, url: receiver.url, events: [], active: true };
  const created = await practice.store.subscriptions.create(fields, new Date());
  await product.service.call('POST', '/api/patients', { clinicId });
  // Other tests may have sent something for this clinic.
  const delivered = { subscriptionId: created?._id, status: 'succeeded' };
  await expect.poll(() => database.collection('deliveries').countDocuments(delivered)).toBe(1);
  await open('/');
  await page.getByText('Show as a table').click();
  await page.getByRole('columnheader', { name: 'Interrupted' }).waitFor();
  // The name of this clinic is HTML.
  await page.getByRole('link', { name: '<img src=x onerror=alert(1)>' }).click();
  await page.waitForURL(`${product.url}/?clinicId=${clinicId}`);
  expectFaultless(page);
});

test('the sign-in page works with 160 KiB of scripts', async () => {
  const signInPage = await product.open('/sign-in');
  await signInPage.getByLabel('E-mail').waitFor();
  const bytes = await loadedBytes(signInPage, ['.js']);
  expect(bytes).toBeGreaterThan(50 * 1024);
  expect(bytes).toBeLessThan(160 * 1024);
  await signInPage.context().close();
});

test('a page says that the service is unreachable, and continues when it responds again', async () => {
  await open('/deliveries');
  await page.getByRole('row').nth(1).waitFor();
  const before = await page.getByRole('row').count();
  const live = page.getByText('Live', { exact: true });
  await live.waitFor();
  await page.context().setOffline(true);
  // Nothing was changed, so the message does not speak of a change.
  await isShown(page.getByRole('alert').getByText('The service is unreachable.', { exact: true }));
  await page.getByText(/^Not live, since \d\d:\d\d$/).waitFor();
  expect(await live.count()).toBe(0);
  await page.context().setOffline(false);
  await isShown(live);
  const isOther = (fault: string) => !fault.includes('ERR_INTERNET_DISCONNECTED');
  page.errors.splice(0, Number.POSITIVE_INFINITY, ...page.errors.filter(isOther));
  await product.service.api.end('SIGKILL');
  await isShown(page.getByRole('alert').getByText('The service is unreachable'));
  await page.getByText(/^Not live, since/).waitFor();
  await product.service.startApi();
  await createPatient();
  await shows(async () => (await page.getByRole('row').count()) > before, true);
  expect(await page.getByRole('alert').count()).toBe(0);
  expectFaultless(page, 503);
});

test('links to the deliveries of an event, and to those that wait, lead to all that are kept', async () => {
  const { practice, receiver, database } = product.service;
  const fields = { clinicId: practice.clinicIds[0], url: receiver.url, events: [], active: true };
  await practice.store.subscriptions.create(fields, new Date());
  const requestId = await createPatient();
  const deliveries = database.collection('deliveries');
  await expect.poll(() => deliveries.countDocuments({ requestId })).toBeGreaterThan(0);
  const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000);
  await deliveries.updateMany({ requestId }, { $set: { createdTime: twoDaysAgo } });
  const delivery = await deliveries.findOne({ requestId });
  // An event may be delivered before it has its place in the log.
  const inLog = () => product.service.call('GET', `/api/events/${delivery?.eventId}`);
  await expect.poll(async () => (await inLog()).status).toBe(200);
  // As if the event had more deliveries than a page.
  await page.route('**/api/webhookdeliveries?*', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { ...response.headers(), 'x-next-cursor': 'more' } });
  });
  await open(`/events/${delivery?.eventId}`);
  await page.getByRole('link', { name: 'All deliveries of this event' }).click();
  await heading('Deliveries');
  await page.getByRole('rowheader', { name: 'patient.created' }).first().waitFor();
  await page.unrouteAll({ behavior: 'wait' });

  await page.route('**/api/servicestatus', async (route) => {
    const response = await route.fetch();
    const waiting = { oldestAge: 2 * 86_400, deliveriesWaiting: 1 };
    await route.fulfill({ response, json: { ...(await response.json()), ...waiting } });
  });
  await open('/');
  await page.getByRole('link', { name: 'See deliveries' }).click();
  await heading('Deliveries');
  expect(Date.parse(new URL(page.url()).searchParams.get('since') ?? '')).toBeLessThan(Number(twoDaysAgo));
  await page.unrouteAll({ behavior: 'wait' });
  expectFaultless(page);
});

test('the page of an event shows the time that its body has in seconds', async () => {
  const delivery = await product.service.database.collection('deliveries').findOne({ status: 'failed' });
  await open(`/events/${delivery?.eventId}`);
  const { timestamp } = JSON.parse((await page.locator('pre').textContent()) ?? '');
  const happened = page.locator('dt', { hasText: 'Happened' }).locator('+ dd time');
  expect(await happened.getAttribute('datetime')).toBe(new Date(timestamp * 1000).toISOString());
});

test('a subscription whose host is blocked, and its waiting deliveries, say why they wait', async () => {
  const { subscription, receiver, database } = product.service;
  const { host } = new URL(receiver.url);
  const stop = { _id: `host ${host}`, host, by: 'test', time: new Date() };
  await database.collection('stops').insertOne(stop);
  await open(`/webhooks/${subscription._id}`);
  await isShown(page.getByText('The operator of this service has blocked the host of the URL.'));
  await createPatient();
  const queued = { subscriptionId: subscription._id, status: 'queued' };
  await expect.poll(() => database.collection('deliveries').countDocuments(queued)).toBe(1);
  const waiting = await database.collection('deliveries').findOne(queued);
  await open(`/deliveries/${waiting?._id}`);
  await page.getByText('Deliveries wait', { exact: true }).waitFor();
  await database.collection('stops').deleteOne({ _id: stop._id });
  await isShown(page.getByText('Succeeded', { exact: true }).first());
  expect(await page.getByText('Deliveries wait', { exact: true }).count()).toBe(0);
  expectFaultless(page);
});
