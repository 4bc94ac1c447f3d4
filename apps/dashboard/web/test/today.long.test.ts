import { afterAll, beforeAll, expect, test } from 'vitest';
import { findingsOf } from './axe.ts';
import {
  button,
  done,
  expectFaultless,
  heading,
  type Product,
  REFUSED,
  startProduct,
  type WatchedPage,
} from './product.ts';
import { creator, dayIn, everyDay, zoneAt } from './today-practice.ts';

let product: Product;
let clinicId: string;
let southId: string;
let chosen: WatchedPage;
const zone = zoneAt(10);
const { day, at, dayAfter } = dayIn(zone);
const ids: Record<string, string> = {};

const wordsOf = (day: string, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' })
    .format(Date.parse(`${day}T00:00Z`))
    .replace(',', '');
const title = (of: string): string =>
  wordsOf(of, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    ...(of.slice(0, 4) !== day.slice(0, 4) && { year: 'numeric' }),
  });

beforeAll(async () => {
  product = await startProduct();
  const create = creator(product);
  [clinicId, southId] = product.service.practice.clinicIds as [string, string];
  await create.setZone(zone);
  const hours = {
    weekdays: everyDay([{ opens: '08:00', closes: '17:00' }]),
    exceptions: [{ date: dayAfter(1), intervals: [] }],
    chairs: 10,
    slotMinutes: 15,
  };
  await create.setHours(hours);
  const ada = await create.provider('Dr. Ada Beispiel', [clinicId, southId]);
  const ben = await create.provider('Dr. Ben Muster');
  const cleaning = await create.procedure('Cleaning');
  const book = async (name: string, times: string, fields: object = {}, days = 0) => {
    const [start = '', end] = times.split('-');
    ids[name] = await create.create('/api/appointments', {
      clinicId,
      patientId: await create.patient(name, '+49 30 23125 017'),
      procedures: [{ procedureId: cleaning }],
      startTime: at(start, days),
      ...(end !== undefined && { endTime: at(end, days) }),
      ...fields,
    });
  };
  await book('Hugo Arrived', '08:00-08:30', { providerId: ada, status: 'PATIENT_ARRIVED' });
  await book('Ines Absent', '08:30-09:00', { providerId: ada, status: 'NO_SHOW' });
  await book('Theo Gone', '09:00-10:00', { providerId: ada, status: 'CANCELED' });
  await book('Lena Asked', '13:00-13:30', { providerId: ada, status: 'REQUESTED' });
  await book('Paul Long', '13:15-15:00', { providerId: ada });
  await book('Mara Third', '13:20-13:40', { providerId: ada });
  await book('Otto Open', '08:15', { providerId: ben, status: 'SCHEDULED' });
  await book('Jana Nobody', '11:00-11:30', { status: 'REQUESTED' });
  await book('Nora Later', '11:00-11:30', { providerId: ben, status: 'REQUESTED' }, 2);
  await book('Emil Closed', '10:15-11:00', { providerId: ben }, 1);
  await create.block(at('12:00'), at('13:00'), 'BREAK');
  await create.block(at('15:00'), at('16:00'), 'MEETING', ada, southId);
  await create.create('/api/appointments', {
    clinicId: southId,
    providerId: ada,
    startTime: at('16:00'),
    endTime: at('16:30'),
  });
  chosen = await product.openAs(product.service.practice.staff, '/');
});
afterAll(() => product.close());

const column = (page: WatchedPage, name: string) =>
  page.locator('.day-grid').getByRole('list', { name, exact: true });
const items = async (page: WatchedPage, name: string) =>
  (await column(page, name).locator(':scope > li').allInnerTexts()).map((text) =>
    text.replaceAll(/\s+/g, ' ').trim(),
  );
const here = (page: WatchedPage) => new URL(page.url());

test('staff begin with the day, choose their clinic once, and see who comes and where is room', async () => {
  const page = chosen;
  await page.getByText('This browser remembers the clinic that you choose.').waitFor();
  expect(here(page).pathname).toBe('/today');
  expect(await page.locator('.day-grid').count()).toBe(0);
  await button(page, 'North').click();
  await heading(page, title(day));
  await page.getByText('Hugo Arrived').waitFor();
  await page.getByRole('link', { name: 'Today 2 requests to confirm' }).waitFor();
  await expect
    .poll(() => items(page, 'Dr. Ada Beispiel'))
    .toEqual([
      'Hugo Arrived Arrived Cleaning',
      'Ines Absent No-show Cleaning',
      '3 h free Theo Gone canceled',
      'Break',
      'Lena Asked Requested Cleaning',
      'Paul Long Scheduled Cleaning 13:15 to 15:00 +1 more at this time',
      'Block: meeting',
      'At South',
      '30 min free',
    ]);
  expect(await items(page, 'Dr. Ben Muster')).toEqual([
    '15 min free',
    'Otto Open Scheduled',
    '3 h 30 min free',
    'Break',
    '4 h free',
  ]);
  expect(await items(page, 'No provider')).toEqual(['Jana Nobody Requested Cleaning', 'Break']);
  expect(
    await page.getByRole('list', { name: 'Appointments of the day' }).locator('li').allTextContents(),
  ).toEqual(['1 arrived', '3 scheduled', '2 requested', '1 no-show']);
  const desk = page.getByRole('complementary', { name: 'At the desk' });
  expect(
    (await desk.getByRole('listitem').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ')),
  ).toEqual([
    expect.stringMatching(/^Jana Nobody .* Today 11:00, Cleaning No provider yet$/),
    expect.stringMatching(/^Lena Asked .* Today 13:00, Cleaning Overlaps Paul Long$/),
    expect.stringMatching(/^1\d:\d\d, .* Dr\. (Ada Beispiel|Ben Muster)$/),
    expect.stringMatching(/^1\d:\d\d, .* Dr\. (Ada Beispiel|Ben Muster)$/),
    expect.stringMatching(/^1\d:\d\d, .* Dr\. (Ada Beispiel|Ben Muster)$/),
  ]);
  await page
    .locator('.now-line')
    .getByText(/^1\d:\d\d$/)
    .waitFor();
  expect(await findingsOf(page)).toEqual([]);
  // What has no place in the grid is in the list.
  await page.getByRole('link', { name: '+1 more at this time' }).click();
  await heading(page, 'Appointments');
  for (const name of ['Paul Long', 'Mara Third', 'Lena Asked'])
    await page.getByRole('row').filter({ hasText: name }).waitFor();
  await page.getByRole('link', { name: 'Today' }).click();
  await desk.getByRole('link', { name: '1 more on later days' }).click();
  await page.getByRole('row').filter({ hasText: 'Nora Later' }).waitFor();
  expect(await page.getByRole('row').count()).toBe(2);
  // A new document knows the clinic, and no text of a patient.
  await page.goto(product.url);
  await page.getByText('Hugo Arrived').waitFor();
  const stored = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.title]),
  );
  expect(stored).toContain(clinicId);
  expect(stored).not.toMatch(/Hugo|Arrived|\+49/);
  expectFaultless(page);
});

test('the keyboard leads through the grid as one stop, to other days, and to an appointment and back', async () => {
  const page = chosen;
  await page.goto(`${product.url}/today`);
  await page.getByText('Hugo Arrived').waitFor();
  const focused = () =>
    page.evaluate(() => document.activeElement?.textContent?.replaceAll(/\s+/g, ' ').trim());
  expect(await page.locator('.day-grid [tabindex="0"]').count()).toBe(1);
  await page.getByRole('button', { name: 'Refresh' }).focus();
  // The strip of days has three buttons and seven days, then comes the grid.
  for (let step = 0; step < 11; step++) await page.keyboard.press('Tab');
  expect(await page.locator('.day-grid :focus').count()).toBe(1);
  await page.keyboard.press('Tab');
  expect(await page.locator('.desk :focus').count()).toBe(1);
  await page.keyboard.press('Shift+Tab');
  for (const key of ['ArrowLeft', 'ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowUp'])
    await page.keyboard.press(key);
  const seen: (string | undefined)[] = [await focused()];
  for (const key of [
    'ArrowDown',
    'ArrowDown',
    'ArrowDown',
    'ArrowDown',
    'ArrowDown',
    'ArrowRight',
    'ArrowRight',
    'ArrowLeft',
    'ArrowLeft',
  ]) {
    await page.keyboard.press(key);
    seen.push(await focused());
  }
  expect(seen).toEqual([
    'Hugo Arrived',
    'Ines Absent',
    'Theo Gone',
    'Lena Asked',
    'Paul Long',
    expect.stringContaining('+1 more at this time'),
    'Otto Open',
    'Jana Nobody',
    'Otto Open',
    'Hugo Arrived',
  ]);
  await page.keyboard.press('Enter');
  await heading(page, 'Appointment');
  expect(here(page).pathname).toBe(`/records/appointments/${ids['Hugo Arrived']}`);
  await page.goBack();
  await page.getByText('Hugo Arrived').waitFor();

  // The days, one by one. The focus stays on the shown day, also in another week.
  const shown = page.getByRole('list', { name: 'Days' }).locator('[aria-current]');
  await shown.focus();
  for (let count = 1; count <= 8; count++) {
    await page.keyboard.press('ArrowRight');
    await heading(page, title(dayAfter(count)));
    await shown.and(page.locator(':focus')).waitFor();
  }
  await page.locator('.day-grid').getByText('free').first().waitFor();
  expect(here(page).searchParams.get('day')).toBe(dayAfter(8));
  await page.keyboard.press('ArrowLeft');
  await heading(page, title(dayAfter(7)));
  await page.keyboard.press('t');
  await heading(page, title(day));
  await page.getByText('Hugo Arrived').waitFor();
  await button(page, 'Go to date').click();
  await page.getByLabel('Day', { exact: true }).fill('2031-02-02');
  await page.keyboard.press('Enter');
  await heading(page, 'Sunday 2 February 2031');
  await page.getByText('No appointments').waitFor();
  expect(await items(page, 'Dr. Ben Muster')).toEqual(['9 h free']);
  expectFaultless(page);
});

test('a closed day has a band, and the patients that are booked with their phone numbers', async () => {
  const page = chosen;
  await page.goto(`${product.url}/today?day=${dayAfter(1)}`);
  const band = page.getByRole('status').filter({ hasText: 'Closed on this day.' });
  await band.getByText('1 patient is still booked').waitFor();
  await band.getByText('Call them, or ask an administrator to open the day.').waitFor();
  const booked = page.getByRole('list', { name: 'Booked on this closed day' });
  await booked.getByText('Emil Closed').waitFor();
  await booked.getByText('Cleaning, Dr. Ben Muster').waitFor();
  const phone = booked.getByRole('link', { name: '+49 30 23125 017' });
  expect(await phone.getAttribute('href')).toBe('tel:+493023125017');
  await button(page, 'Copy the phone number of Emil Closed').waitFor();
  expect(await page.locator('.week [aria-current]').textContent()).toContain('closed');
  expect(await page.locator('.day-grid').count()).toBe(0);
  expect(await findingsOf(page)).toEqual([]);
  await page
    .getByRole('link', {
      name: `${wordsOf(dayAfter(2), { weekday: 'short', day: 'numeric', month: 'short' })}, 08:00`,
    })
    .click();
  await heading(page, title(dayAfter(2)));
  await page.getByText('Nora Later').first().waitFor();
  // Blocks of the whole clinic close a day, too.
  const { block } = creator(product);
  await block(at('00:00', 3), at('24:00', 3), 'HOLIDAY');
  await page.goto(`${product.url}/today?day=${dayAfter(3)}`);
  await page.getByText('Closed: holiday.').waitFor();
  expect(await booked.count()).toBe(0);
  await page.getByRole('link', { name: 'Closed days' }).click();
  await heading(page, 'Schedule');
  expectFaultless(page);
});

test('a phone shows one provider, remembers which, and has the requests in one line', async () => {
  const page = await product.openAs(product.service.practice.staff, `/today?clinicId=${clinicId}`, {
    viewport: { width: 390, height: 800 },
    hasTouch: true,
    isMobile: true,
  });
  await page.getByText('Hugo Arrived').waitFor();
  const isInView = (name: string) =>
    column(page, name).evaluate((list) => {
      const { left, right } = list.getBoundingClientRect();
      return left >= 0 && right <= innerWidth + 1;
    });
  expect([await isInView('Dr. Ada Beispiel'), await isInView('Dr. Ben Muster')]).toEqual([true, false]);
  const dots = page.getByRole('group', { name: 'Provider' }).getByRole('button');
  await dots
    .filter({ has: page.locator('xpath=self::*[@aria-pressed="true"]') })
    .and(dots.first())
    .waitFor();
  await button(page, 'Dr. Ben Muster').tap();
  await expect.poll(() => isInView('Dr. Ben Muster')).toBe(true);
  await page.locator('[aria-label="Dr. Ben Muster"][aria-pressed="true"]').waitFor();
  // The head follows.
  await expect
    .poll(() =>
      page
        .getByRole('heading', { name: 'Dr. Ben Muster' })
        .evaluate((head) => head.getBoundingClientRect().left),
    )
    .toBeLessThan(60);
  await page.reload();
  await page.getByText('Hugo Arrived').waitFor();
  await expect.poll(() => isInView('Dr. Ben Muster')).toBe(true);
  const desk = page.getByRole('complementary', { name: 'At the desk' });
  expect(await desk.getByText('Lena Asked').isVisible()).toBe(false);
  await button(page, '2 requests to confirm').tap();
  await desk.getByText('Lena Asked').waitFor();
  await desk.getByText('Next free').waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  expect(await findingsOf(page)).toEqual([]);
  await desk.getByRole('link', { name: 'Lena Asked' }).tap();
  await heading(page, 'Appointment');
  await done(page);
});

test('one clinic is printed on one page, in black, with who printed it', async () => {
  const page = chosen;
  await page.goto(`${product.url}/today`);
  await page.getByText('Hugo Arrived').waitFor();
  await page.emulateMedia({ media: 'print' });
  await page
    .getByText(
      new RegExp(`^North, Test practice. Printed 1\\d:\\d\\d by ${product.service.practice.staff.email}`),
    )
    .waitFor();
  await page.getByText('Personal data. Shred after use.').waitFor();
  await page.getByText('Mara Third, 13:20 to 13:40').waitFor();
  const colors = await page
    .locator('.visit :is(.row-link, .sub, p svg)')
    .evaluateAll((all) => [...new Set(all.map((each) => getComputedStyle(each).color))]);
  expect(colors).toEqual(['rgb(0, 0, 0)']);
  for (const hidden of ['.week', '.desk', '.now-line', 'h1'])
    expect({ hidden, count: await page.locator(hidden).filter({ visible: true }).count() }).toEqual({
      hidden,
      count: 0,
    });
  const pages = async () =>
    (await page.pdf({ preferCSSPageSize: true })).toString('latin1').match(/\/Type\s*\/Page\b/g)?.length;
  expect(await pages()).toBe(1);
  // A day of 24 hours is as high as one of nine.
  const { create } = creator(product);
  const night = { clinicId, startTime: at('22:00', 4), endTime: at('01:00', 5), status: 'SCHEDULED' };
  await create('/api/appointments', night);
  await create('/api/appointments', { ...night, startTime: at('23:00', 3), endTime: at('00:30', 4) });
  await page.goto(`${product.url}/today?day=${dayAfter(4)}`);
  await page.locator('.visit').first().waitFor();
  expect((await items(page, 'No provider')).at(-1)).toMatch(/22:00 to \w{3} 01:00/);
  expect(await pages()).toBe(1);
  await page.emulateMedia({ media: 'screen' });
  expectFaultless(page);
});

test('a failure has the place of the grid, and other days stay within reach', async () => {
  const page = chosen;
  await page.goto(`${product.url}/account`);
  await heading(page, 'Account');
  const held = Promise.withResolvers<void>();
  await page.route('**/api/appointments?*', async (route) => {
    await held.promise;
    await route.fulfill({ status: 400, json: { name: 'BadRequest', message: 'Refused for the test.' } });
  });
  await page.getByRole('link', { name: 'Today' }).click();
  await page.getByRole('status').getByText('Loading appointments').waitFor({ state: 'attached' });
  await column(page, 'Dr. Ada Beispiel').waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'Dr. Ada Beispiel' }).waitFor();
  held.resolve();
  await page.getByRole('alert').waitFor();
  expect(await page.locator('.day-grid').count()).toBe(0);
  await page.unrouteAll({ behavior: 'wait' });
  // A page of two appointments is followed by the next one.
  await page.route(/\/api\/appointments\?.*limit=1000/, (route) =>
    route.continue({ url: route.request().url().replace('limit=1000', 'limit=2') }),
  );
  await page
    .getByRole('list', { name: 'Days' })
    .getByRole('link')
    .and(page.locator('[aria-current]'))
    .click();
  await button(page, 'Refresh').click();
  await page.getByText('Jana Nobody').first().waitFor();
  expect(await page.locator('.visit').count()).toBe(6);
  await page.unrouteAll({ behavior: 'wait' });
  expectFaultless(page, 400);
});

test('clinics without hours, zone, or providers work, and many providers do', async () => {
  const page = await product.openAs(
    product.service.practice.administrator,
    `/records/appointments?day=${dayAfter(2)}&clinicId=${clinicId}`,
  );
  // An address of a day of appointments leads to the page of that day.
  await heading(page, title(dayAfter(2)));
  expect(here(page).pathname).toBe('/today');
  const practice = page.getByRole('region', { name: 'Practice' });
  expect(await practice.getByRole('link').first().textContent()).toBe('Today');
  const create = creator(product);
  const { store } = product.service.practice;
  const lastEditTime = new Date().toISOString();
  for (let count = 1; count <= 10; count++)
    await store.clinics.create({
      _id: `clinic-${count}`,
      name: `Clinic ${count}`,
      currency: 'EUR',
      lastEditTime,
    });
  await page.reload();
  await page.getByRole('button', { name: 'Clinic: North' }).click();
  await expect.poll(() => page.getByRole('menuitemradio').count()).toBe(12);
  await page.getByRole('menuitemradio', { name: 'South' }).click();
  await page.getByText('The opening hours of this clinic were never set').waitFor();
  await page.getByText('Times of UTC.').waitFor();
  await page.getByRole('link', { name: 'Set the opening hours' }).waitFor();
  await page.getByRole('button', { name: 'Clinic: South' }).click();
  await page.getByRole('menuitemradio', { name: 'Clinic 10' }).click();
  await page.getByText('The time zone of this clinic is not known.').waitFor();
  await page.getByRole('heading', { name: 'All appointments' }).waitFor();
  await page.goto(`${product.url}/today?clinicId=unknown`);
  await page.getByText('The clinic of this address does not exist, or was deleted.').waitFor();

  // Days of 23 and 25 hours, and twelve providers.
  for (let count = 1; count <= 12; count++) await create.provider(`Provider ${count}`, ['clinic-1']);
  await create.setZone('Europe/Zurich', 'clinic-1');
  await create.setHours(
    { weekdays: everyDay([{ opens: '00:00', closes: '24:00' }]), chairs: 12 },
    'clinic-1',
  );
  for (const [changed, free] of [
    ['2030-03-31', '23 h free'],
    ['2030-10-27', '25 h free'],
  ]) {
    await page.goto(`${product.url}/today?clinicId=clinic-1&day=${changed}`);
    await expect.poll(() => items(page, 'Provider 1')).toEqual([free]);
  }
  expect(await page.locator('.hours-axis li').allInnerTexts()).toContain('02:00');
  expect(await page.locator('.hours-axis li').count()).toBe(25);
  const isWide = () =>
    page.locator('.body > .columns').evaluate((grid) => ({
      scrolls: grid.scrollWidth > grid.clientWidth,
      column: grid.firstElementChild?.clientWidth,
      page: document.documentElement.scrollWidth - innerWidth,
    }));
  expect(await isWide()).toMatchObject({ scrolls: true, page: 0 });
  await page.locator('.body > .columns').evaluate((grid) => grid.scrollTo({ left: 300 }));
  await expect.poll(() => page.locator('.heads > .columns').evaluate((head) => head.scrollLeft)).toBe(300);
  await page.setViewportSize({ width: 390, height: 800 });
  await page.getByRole('combobox', { name: 'Provider' }).selectOption('Provider 7');
  await expect
    .poll(() => column(page, 'Provider 7').evaluate((list) => Math.round(list.getBoundingClientRect().left)))
    .toBeLessThan(80);
  expect(await findingsOf(page)).toEqual([]);
  // Hours that were never set.
  await done(page, [REFUSED(404)]);
});

test('the page of an appointment names its provider and its procedures', async () => {
  const page = chosen;
  await page.goto(`${product.url}/records/appointments/${ids['Hugo Arrived']}`);
  await page.getByText('Dr. Ada Beispiel', { exact: true }).waitFor();
  await page.getByText('Cleaning', { exact: true }).waitFor();
  expectFaultless(page);
});
