import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findingsOf } from './axe.ts';
import { loadedBytes } from './loaded-bytes.ts';
import { holdBack, type Product, setHours, startProduct } from './product.ts';

declare global {
  /** A variable of the page: the elements that have had the focus. */
  var reached: Set<EventTarget | null>;
}

/** Opening hours with a closed day that is shown in every year of the tests. */
const OPEN = {
  weekdays: { monday: [{ opens: '08:00', closes: '12:00' }] },
  exceptions: [{ date: '2099-12-24', intervals: [] }],
};

let product: Product;
beforeAll(async () => {
  product = await startProduct();
  const { store, clinicIds } = product.service.practice;
  await store.subscriptions.create(
    { clinicId: clinicIds[0], url: 'http://receiver.invalid/', events: [], active: true },
    new Date(),
  );
  await product.service.call('POST', '/api/patients', { clinicId: clinicIds[0], name: 'Ada Beispiel' });
  await setHours(product, OPEN);
});
afterAll(() => product.close());

/** The addresses of the pages that the tests open. */
const paths = async (): Promise<string[]> => {
  const deliveries = product.service.database.collection('deliveries');
  await expect.poll(() => deliveries.findOne({ status: 'failed' })).not.toBeNull();
  const delivery = await deliveries.findOne({ status: 'failed' });
  const patient = await product.service.database.collection('patients').findOne({});
  return [
    '/',
    '/webhooks',
    `/webhooks/${delivery?.subscriptionId}`,
    `/webhooks/${delivery?.subscriptionId}?tab=statistics`,
    `/webhooks/${delivery?.subscriptionId}?tab=settings`,
    `/webhooks/${delivery?.subscriptionId}?tab=redeliveries`,
    '/deliveries',
    `/deliveries/${delivery?._id}`,
    '/events',
    `/events/${delivery?.eventId}`,
    '/records/patients',
    '/records/patients?view=list',
    '/records/appointments',
    '/today',
    `/today?clinicId=${product.service.practice.clinicIds[0]}&day=2099-12-21`,
    `/today?clinicId=${product.service.practice.clinicIds[0]}&day=2099-12-22`,
    '/records/treatments',
    `/records/patients/${patient?._id}`,
    `/records/clinics/${product.service.practice.clinicIds[0]}`,
    '/schedule',
    `/schedule?clinicId=${product.service.practice.clinicIds[0]}`,
    `/schedule?tab=closed&clinicId=${product.service.practice.clinicIds[0]}`,
    '/schedule?tab=providers',
    '/schedule?tab=procedures',
    '/schedule?tab=blocks',
    '/keys',
    '/tokens',
    '/operators',
    '/audit',
    '/connections',
    '/account',
    '/account/notices',
    '/nothing',
  ];
};

/** The names of the controls of a dialog that are wider than it. */
const controlsOutside = (on: Page): Promise<(string | null)[]> =>
  on.getByRole('dialog').evaluate((dialog) => {
    const { left, right } = dialog.getBoundingClientRect();
    return [...dialog.querySelectorAll('input, select, textarea, button')]
      .filter((each) => {
        const box = each.getBoundingClientRect();
        return box.width > 1 && (box.left < left || box.right > right);
      })
      .map((each) => each.getAttribute('name') ?? each.textContent);
  });

const cases = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [360, 1280].map((width) => ({ colorScheme, width })),
);

test.each(cases)(
  'every page in $colorScheme at $width px: axe finds nothing, nothing is cut off',
  async (look) => {
    const options = { colorScheme: look.colorScheme, viewport: { width: look.width, height: 800 } };
    const page = await product.openAs(product.service.practice.administrator, '/', options);
    for (const path of await paths()) {
      await page.goto(product.url + path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expect.poll(() => page.getByText('Loading').count()).toBe(0);
      expect({ path, findings: await findingsOf(page) }).toEqual({ path, findings: [] });
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect({ path, overflow }).toEqual({ path, overflow: 0 });
    }
    for (const [path, name] of [
      ['/', 'Find or do…'],
      ['/deliveries', 'Recover…'],
      ['/webhooks', 'New subscription'],
      [`/schedule?clinicId=${product.service.practice.clinicIds[0]}`, 'Preview slots'],
      [`/schedule?tab=closed&clinicId=${product.service.practice.clinicIds[0]}`, 'Add days'],
      ['/schedule?tab=providers', 'New provider'],
      ['/schedule?tab=procedures', 'New procedure'],
      ['/schedule?tab=blocks', 'New block'],
      ['/keys', 'New key'],
      ['/tokens', 'New access token'],
      ['/tokens', 'New program token'],
      ['/operators', 'New operator'],
      ['/audit', 'Time: any'],
    ] as const) {
      await page.goto(product.url + path);

      await page.getByRole('button', { name }).click();
      await page.getByRole('dialog').waitFor();
      expect({ name, findings: await findingsOf(page) }).toEqual({ name, findings: [] });
      expect({ name, outside: await controlsOutside(page) }).toEqual({ name, outside: [] });
      await page.keyboard.press('Escape');
    }
    await page.goto(`${product.url}/records/patients`);
    for (const [text, shown] of [
      ['ada beis', '1 found'],
      ['nobody', 'No patient found.'],
      ['12', 'at least the last six digits'],
    ] as const) {
      await page.getByLabel('Name, phone, e-mail or id').fill(text);
      await page.keyboard.press('Enter');
      await page.getByText(shown).waitFor();
      expect({ text, findings: await findingsOf(page) }).toEqual({ text, findings: [] });
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect({ text, overflow }).toEqual({ text, overflow: 0 });
    }
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').locator('input:focus').waitFor();
    await page.keyboard.type('ada beis');
    await page.getByRole('menuitem', { name: 'Ada Beispiel' }).waitFor();
    expect(await findingsOf(page)).toEqual([]);
    expect(page.errors).toEqual([]);
    await page.context().close();
  },
);

/** The number of elements on the page that a keyboard must reach. */
const reachable = (on: Page): Promise<number> =>
  on
    .locator(
      'a[href], button:not(:disabled), input:not(:disabled, [type="radio"]:not(:checked)), select, textarea, summary, [tabindex="0"]',
    )
    .filter({ visible: true })
    .evaluateAll((nodes) => new Set(nodes.filter(({ tabIndex }: any) => tabIndex >= 0)).size);

test('every page is reached by keyboard', async () => {
  const page = await product.openAs(product.service.practice.administrator, '/');
  for (const path of await paths()) {
    await page.goto(product.url + path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(() => page.getByText('Loading').count()).toBe(0);
    // What loads after the heading can be reached, too.
    await page.waitForLoadState('networkidle');
    const expected = await reachable(page);
    await page.evaluate(() => {
      globalThis.reached = new Set();
      document.addEventListener('focusin', ({ target }) => globalThis.reached.add(target));
    });
    // A field for a time or a day has a tab stop for each of its parts.
    const parts =
      6 * (await page.locator('input[type="datetime-local"]').count()) +
      3 * (await page.locator('input[type="date"]').count());
    // Two more steps lead from the end of the page through the browser back to the beginning of the page.
    for (let step = 0; step < expected + parts + 2; step++) await page.keyboard.press('Tab');
    const reached = await page.evaluate(() => globalThis.reached.size);
    expect({ path, reached }).toEqual({ path, reached: expected });
  }
  expect(page.errors).toEqual([]);
  await page.context().close();
});

declare global {
  /** A variable of the page: the sum of its layout shifts. */
  var shifts: number;
}

test('no page needs 20 files or 250 kB of scripts, styles and fonts, or shifts its layout', async () => {
  const page = await product.openAs(product.service.practice.administrator, '/');
  await page.addInitScript(() => {
    globalThis.shifts = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[])
        globalThis.shifts += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
  for (const path of await paths()) {
    await page.goto(product.url + path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(() => page.getByText('Loading').count()).toBe(0);
    const kilobytes = (await loadedBytes(page)) / 1000;
    // The document itself is one more.
    const files =
      1 +
      (await page.evaluate(
        () => performance.getEntriesByType('resource').filter(({ name }) => /\.\w+$/.test(name)).length,
      ));
    const shifts = await page.evaluate(() => globalThis.shifts);
    console.log(`${path}: ${files} files, ${kilobytes.toFixed(1)} kB, layout shift ${shifts.toFixed(4)}`);
    if (process.env.MEASURE === undefined)
      expect({ path, areFew: files < 20, isSmall: kilobytes < 250, isStill: shifts <= 0.01 }).toEqual({
        path,
        areFew: true,
        isSmall: true,
        isStill: true,
      });
  }
  await page.context().close();
});

test('the frame is there before the scripts, and stays until the page is', async () => {
  const page = await product.openAs(product.service.practice.administrator, '/account');
  const release = await holdBack(page, '**/assets/index-*.js');
  await page.goto(`${product.url}/keys`, { waitUntil: 'commit' });
  await page.locator('.shell .brand').first().waitFor();
  expect(await page.getByRole('heading', { level: 1 }).count()).toBe(0);
  release();
  await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
  await page.unrouteAll({ behavior: 'wait' });
  expect(page.errors).toEqual([]);
  await page.context().close();
});
