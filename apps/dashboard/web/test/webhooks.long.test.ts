import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findingsOf } from './axe.ts';
import { begin, HANDS } from './hands.ts';
import { expectFaultless, type Product, startProduct } from './product.ts';

const DAY = 24 * 60 * 60_000;
const LETTERS = 'https://letters.example.com/incoming';
const RECALL = 'https://recall.example.com/hooks';
const CLINICS = ['Alster', 'Billwerder', 'Hafen', 'Musterstadt Gesundheitszentrum Mitte'];

let product: Product;
/** The ids of the subscriptions, by their name in the tests. */
const ids = new Map<string, string>();
let made = 0;
const newId = (): string => String(++made).padStart(26, '0');
const idOf = (name: string): string => ids.get(name) ?? '';

/** Stores an attempt of a subscription, as the dispatcher does. */
const attempted = async (name: string, clinicId: string, change: object, age = 0): Promise<void> => {
  const time = new Date(Date.now() - age);
  const { organizationId } = product.service.practice;
  await product.service.database.collection<{ _id: string }>('deliveries').insertOne({
    ...{ _id: newId(), organizationId, clinicId, subscriptionId: idOf(name), eventId: newId() },
    ...{ event: 'patient.created', kind: 'event', status: 'succeeded', statusCode: 204, duration: 20 },
    ...{ createdTime: time, attemptTime: time, finalTime: time },
    ...{ expireAt: new Date(time.getTime() + 30 * DAY), ...change },
  });
};

beforeAll(async () => {
  product = await startProduct();
  const { database, practice } = product.service;
  const { store, clinicIds } = practice;
  const added = CLINICS.map((name) => ({ _id: newId(), name, currency: 'EUR', timezone: 'UTC' }));
  for (const clinic of added)
    await store.clinics.create({ ...clinic, lastEditTime: new Date().toISOString() });
  const all = [...clinicIds, ...added.map(({ _id }) => _id)];
  const subscribe = async (name: string, clinicId: string, url: string) => {
    const created = await store.subscriptions.create({ clinicId, url, events: [], active: true }, new Date());
    ids.set(name, created?._id ?? '');
  };
  for (const [index, clinicId] of all.entries()) {
    await subscribe(`letters ${index}`, clinicId, LETTERS);
    await attempted(`letters ${index}`, clinicId, index === 2 ? { status: 'failed', statusCode: 500 } : {});
    // The one that failed works again.
    if (index === 2) await attempted(`letters ${index}`, clinicId, {});
  }
  const disabledTime = new Date();
  const disabled = { active: false, disabledTime, disabledReason: 'Disabled after 20 failures.' };
  for (const [index, clinicId] of all.slice(0, 3).entries())
    await subscribe(`recall ${index}`, clinicId, RECALL);
  await attempted('recall 0', all[0] ?? '', {});
  await attempted('recall 1', all[1] ?? '', { status: 'failed', cause: 'redirect', statusCode: 301 });
  const subscriptions = database.collection<{ _id: string }>('subscriptions');
  const change = (name: string, set: object) => subscriptions.updateOne({ _id: idOf(name) }, { $set: set });
  await change('recall 1', { ...disabled, consecutiveFailures: 20 });
  await change('recall 2', { consecutiveFailures: 2 });
  await attempted('recall 2', all[2] ?? '', { status: 'failed', cause: 'timeout', statusCode: undefined });
});
afterAll(() => product.close());

const rowsOf = async (page: Page): Promise<string[]> =>
  (await page.getByRole('table').locator('tbody tr').allInnerTexts()).map((text) =>
    text.replace(/\s+/g, ' ').trim(),
  );
const groupOf = (page: Page) =>
  page.getByRole('button', { name: `${LETTERS}, 6 clinics, all healthy`, exact: true });

test.each(HANDS)(
  'broken subscriptions are first and alone, the others unfold, with the $name',
  async (hands) => {
    const page = await begin(product, hands, product.service.practice.administrator);
    await hands.go(page, 'Webhooks');
    await page.getByText('Timed out, 2 in a row').waitFor();
    const rows = await rowsOf(page);
    expect(rows.slice(0, 3)).toEqual([
      'Need attention 2',
      expect.stringMatching(/^recall\.example\.com \/hooks Disabled Redirected, 20 in a row South/),
      expect.stringMatching(/^recall\.example\.com \/hooks Failing Timed out, 2 in a row Alster/),
    ]);
    // The test's own subscription, the group, and the member of the other group that works.
    expect(rows[3]).toBe('All others 8');
    expect(rows.slice(4).join()).toContain('6 clinics, all healthy Every clinic has one');
    await page.getByRole('link', { name: `${RECALL}, North`, exact: true }).waitFor();

    expect(await groupOf(page).getAttribute('aria-expanded')).toBe('false');
    await hands.press(groupOf(page));
    const member = page.getByRole('link', {
      name: `${LETTERS}, Musterstadt Gesundheitszentrum Mitte`,
      exact: true,
    });
    await member.waitFor();
    expect(await rowsOf(page)).toHaveLength(rows.length + 6);
    expect(await findingsOf(page)).toEqual([]);
    if (hands.name === 'keyboard') {
      await page.keyboard.press('ArrowLeft');
      await member.waitFor({ state: 'detached' });
      await page.keyboard.press('ArrowRight');
      await member.focus();
      await page.keyboard.press('ArrowLeft');
      await groupOf(page).and(page.locator(':focus')).waitFor();
    } else await hands.press(groupOf(page));
    await member.waitFor({ state: 'detached' });

    await hands.enter(page.getByLabel('Find a receiver or a clinic'), 'GESUNDHEIT');
    await page.getByText('1 of 10 subscriptions, 1 clinic').waitFor();
    expect(new URL(page.url()).search).toBe('');
    await hands.press(page.getByRole('link', { name: `${LETTERS}, Musterstadt Gesundheitszentrum Mitte` }));
    await page.getByRole('heading', { level: 1, name: LETTERS }).waitFor();
    expectFaultless(page);
    await page.context().close();
  },
);

test('a column of a folded strip is red if one clinic failed, and the menu of a row sends a test', async () => {
  const page = await product.openAs(product.service.practice.administrator, '/webhooks', {
    viewport: { width: 1600, height: 900 },
  });
  const group = page.getByRole('row').filter({ has: groupOf(page) });
  await group.getByRole('img', { name: '24 hours: 6 succeeded, 1 failed', exact: true }).waitFor();
  expect(await group.locator('rect.failed').count()).toBe(1);
  await page.getByRole('columnheader', { name: 'Events' }).waitFor();
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.getByRole('columnheader', { name: 'Events' }).waitFor({ state: 'hidden' });
  await page.getByRole('columnheader', { name: 'Clinic' }).waitFor();
  const own = product.service.receiver.url;
  await page.getByRole('button', { name: `Actions for ${new URL(own).href}, North`, exact: true }).click();
  await page.getByRole('menuitem', { name: 'Send test' }).click();
  await page.waitForURL((url) => url.pathname.startsWith('/deliveries/'));
  expectFaultless(page);
});

test('a repaired subscription says since when nothing has failed, and not a share of zero', async () => {
  const { clinicIds, store } = product.service.practice;
  const url = 'https://repaired.example.com/';
  const fields = { clinicId: clinicIds[0], url, events: [], active: true };
  ids.set('repaired', (await store.subscriptions.create(fields, new Date()))?._id ?? '');
  const failure = { status: 'failed', cause: 'status', statusCode: 500 };
  await attempted('repaired', clinicIds[0], failure, 60_000);
  await attempted('repaired', clinicIds[0], { kind: 'test', event: 'test.ping' });
  const page = await product.openAs(product.service.practice.administrator, `/webhooks/${idOf('repaired')}`);
  await page.getByText('Healthy', { exact: true }).waitFor();
  await page.getByText('0 of 1 first attempt succeeded').waitFor();
  await page.getByText('No failure since').waitFor();
  await page.getByRole('tab', { name: 'Statistics' }).click();
  await expect.poll(() => page.getByText('No failure since').count()).toBe(2);
  expect(await page.locator('.figures').getByText('0%', { exact: true }).count()).toBe(0);
  expect(await findingsOf(page)).toEqual([]);
  expectFaultless(page);
});
