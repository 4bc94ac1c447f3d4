import { afterAll, beforeAll, expect, test } from 'vitest';
import { begin, HANDS, type Hands } from './hands.ts';
import {
  button,
  done,
  expectFaultless,
  heading,
  type Product,
  startProduct,
  type WatchedPage,
} from './product.ts';
import { creator, dayIn, everyDay, zoneAt } from './today-practice.ts';

/* A day of a practice with twelve clinics: the desk with a mouse, an administrator with the keyboard, somebody's phone. */

const CLINICS = 12;
const PHONE = '+49 30 23125 041';
const zone = zoneAt(10);
const { at, dayAfter } = dayIn(zone);
const [mouse, keyboard, phone] = HANDS as [Hands, Hands, Hands];

let product: Product;
let clinicIds: string[];
beforeAll(async () => {
  product = await startProduct();
  const create = creator(product);
  const { practice } = product.service;
  const fields = { currency: 'EUR', timezone: zone, lastEditTime: new Date().toISOString() };
  clinicIds = [...practice.clinicIds];
  for (let number = clinicIds.length + 1; number <= CLINICS; number++) {
    const _id = `01JB000000000000000CHN1C${String(number).padStart(2, '0')}`;
    await practice.store.clinics.create({ _id, name: `Praxis ${number}`, ...fields });
    clinicIds.push(_id);
  }
  for (const clinicId of clinicIds) await create.setZone(zone, clinicId);
  const hours = { weekdays: everyDay([{ opens: '08:00', closes: '17:00' }]), chairs: 10, slotMinutes: 15 };
  for (const clinicId of clinicIds) await create.setHours(hours, clinicId);
  const providerId = await create.provider('Dr. Ada Beispiel');
  const book = async (name: string, start: string, end: string, more: object = {}, days = 0) =>
    create.create('/api/appointments', {
      ...{ clinicId: create.clinicId, providerId, patientId: await create.patient(name, PHONE) },
      ...{ startTime: at(start, days), endTime: at(end, days), ...more },
    });
  await book('Hugo Vorlage', '08:00', '08:30');
  await book('Lena Fiktiv', '13:00', '13:30', { status: 'REQUESTED' });
  await book('Emil Attrappe', '10:15', '11:00', {}, 3);
});
afterAll(() => product.close());

const call = (method: string, path: string, body?: object) =>
  product.service.call(method, path, body, `Token ${product.service.practice.administrator.token}`);
const hoursOf = async (clinicId: string | undefined) =>
  (await call('GET', `/api/clinics/${clinicId}/openinghours`)).json;
const closedDaysOf = async (clinicId: string | undefined): Promise<string[]> =>
  ((await hoursOf(clinicId)).exceptions ?? []).map(({ date }: { date: string }) => date);
const inDialog = (page: WatchedPage, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true });
const noDialog = (page: WatchedPage) => expect.poll(() => page.getByRole('dialog').count()).toBe(0);

/** The way of the desk through a day. */
const dayAtTheDesk = async (hands: Hands): Promise<WatchedPage> => {
  const page = await begin(product, hands, product.service.practice.staff);
  await hands.press(button(page, 'North'));
  await page.getByText('Hugo Vorlage').waitFor();
  const desk = page.getByRole('complementary', { name: 'At the desk' });
  if (hands.name === 'phone') await hands.press(button(page, '1 request to confirm'));
  await hands.press(desk.getByRole('link', { name: 'Lena Fiktiv' }));
  await heading(page, 'Appointment');
  await page.goBack();
  await page.getByText('Hugo Vorlage').waitFor();
  await hands.go(page, 'Patients');
  await hands.enter(page.getByLabel('Name, phone, e-mail or id', { exact: true }), 'emil');
  await page.keyboard.press('Enter');
  await hands.press(page.getByRole('link', { name: 'Emil Attrappe' }));
  await heading(page, 'Emil Attrappe');
  const number = page.getByRole('link', { name: PHONE, exact: true });
  expect(await number.getAttribute('href')).toBe('tel:+493023125041');
  // The way back keeps the search.
  await page.goBack();
  await page.getByRole('rowheader', { name: 'Emil Attrappe' }).waitFor();
  expect(await page.getByLabel('Name, phone, e-mail or id', { exact: true }).inputValue()).toBe('emil');
  return page;
};

test.each([mouse, keyboard, phone])(
  'the desk confirms, searches and goes back, with the $name',
  async (hands) => {
    await done(await dayAtTheDesk(hands));
  },
);

test('an administrator closes a day in twelve clinics and takes it back, with the keyboard alone', async () => {
  const page = await begin(product, keyboard, product.service.practice.administrator);
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Find or do' }).locator('input:focus').waitFor();
  await page.keyboard.type('holiday');
  await page
    .getByRole('menuitem', { name: 'Closed days', exact: true })
    .and(page.locator('[data-focused]'))
    .waitFor();
  await page.keyboard.press('Enter');
  // No clinic is chosen by accident.
  await page.getByText('This browser remembers the clinic that you choose.').waitFor();
  await keyboard.press(button(page, 'North'));
  await keyboard.press(button(page, 'Add days'));
  await page.getByLabel('Dates, one on each line').and(page.locator(':focus')).waitFor();
  await page.keyboard.type(dayAfter(3));
  await keyboard.press(inDialog(page, 'Add days'));
  await noDialog(page);
  await keyboard.press(button(page, 'Save'));
  const question = page.getByRole('alertdialog', { name: /^Close .* at North\?$/ });
  await question.getByRole('link', { name: 'Emil Attrappe' }).waitFor();
  await keyboard.press(question.getByRole('button', { name: 'Close anyway' }));
  await page.getByText('Saved', { exact: true }).waitFor();
  await keyboard.press(button(page, 'Apply to clinics…'));
  await expect
    .poll(() => page.getByRole('dialog').getByText('1 day added', { exact: true }).count())
    .toBe(CLINICS - 1);
  await keyboard.press(inDialog(page, `Apply to ${CLINICS - 1} clinics`));
  await noDialog(page);
  const offer = page.getByRole('region', { name: 'Last change' });
  await offer.getByText(`Applied to ${CLINICS - 1} clinics`).waitFor();
  for (const clinicId of clinicIds) expect(await closedDaysOf(clinicId)).toEqual([dayAfter(3)]);
  await page.keyboard.press('Control+z');
  await offer.getByText('as they were before').waitFor();
  const [north, ...others] = clinicIds;
  for (const clinicId of others) expect(await closedDaysOf(clinicId)).toEqual([]);
  expect(await closedDaysOf(north)).toEqual([dayAfter(3)]);
  await done(page);
});

test('two browsers change the same day: neither change is lost, and the desk sees the day that was saved', async () => {
  const { administrator, staff } = product.service.practice;
  const date = dayAfter(5);
  const [, clinicId] = clinicIds;
  const path = `/schedule?tab=closed&clinicId=${clinicId}`;
  const [one, other] = [await product.openAs(administrator, path), await product.openAs(administrator, path)];
  const desk = await product.openAs(staff, `/today?clinicId=${clinicId}&day=${date}`);
  await desk.locator('.day-grid').waitFor();
  const close = async (page: WatchedPage, days: string) => {
    await button(page, 'Add days').click();
    await page.getByLabel('Dates, one on each line').fill(days);
    await inDialog(page, 'Add days').click();
    await noDialog(page);
  };
  await close(one, date);
  await close(other, `${date}\n${dayAfter(6)}`);
  await button(one, 'Save').click();
  await one.getByText('Saved', { exact: true }).waitFor();
  await button(other, 'Save').click();
  await other.getByRole('alert').getByText('Somebody else has changed this schedule').waitFor();
  expect(await closedDaysOf(clinicId)).not.toContain(dayAfter(6));
  await button(other, 'Save').click();
  await other.getByText('Saved', { exact: true }).waitFor();
  expect(await closedDaysOf(clinicId)).toEqual([date, dayAfter(6)]);
  await desk.reload();
  await desk.locator('.closed-band').waitFor();
  // The first one opens the day again. What the second one has closed stays closed.
  await one.reload();
  const short = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const row = one.getByRole('row').filter({ hasText: short.format(Date.parse(`${date}T00:00Z`)) });
  await row.getByRole('button', { name: 'Remove' }).click();
  await inDialog(one, 'Remove').click();
  await noDialog(one);
  await button(one, 'Save').click();
  await one.getByText('Saved', { exact: true }).waitFor();
  expect(await closedDaysOf(clinicId)).toEqual([dayAfter(6)]);
  await desk.reload();
  await desk.locator('.day-grid').waitFor();
  expectFaultless(other, 412);
  for (const page of [one, other, desk]) await done(page);
});
