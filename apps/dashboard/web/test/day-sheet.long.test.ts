import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectFaultless, type Product, startProduct, type WatchedPage } from './product.ts';

let product: Product;
/** The page of staff, for all tests. */
let page: WatchedPage;
let clinicId: string;
let appointmentId: string;

const DAY = '2030-01-31';
const at = (time: string) => `${DAY}T${time}:00Z`;

beforeAll(async () => {
  product = await startProduct();
  const { practice, database } = product.service;
  clinicId = practice.clinicIds[0] as string;
  const asAdministrator = `Token ${practice.administrator.token}`;
  const create = async (path: string, fields: object): Promise<string> => {
    const { status, json } = await product.service.call('POST', path, fields, asAdministrator);
    expect(status).toBe(200);
    return String(json._id);
  };
  await database
    .collection<{ _id: string }>('clinics')
    .updateMany({}, { $set: { timezone: 'Europe/Zurich' } });
  const providerId = await create('/api/providers', { name: 'Dr. Ada Beispiel', clinicIds: [clinicId] });
  const procedureId = await create('/api/procedures', {
    name: 'Check-up',
    durationMinutes: 30,
    bookable: true,
  });
  const patientId = await create('/api/patients', { clinicId, name: 'Zoe Probe' });
  const book = (start: string, end: string, fields: object) =>
    create('/api/appointments', { clinicId, patientId, startTime: at(start), endTime: at(end), ...fields });
  appointmentId = await book('08:00', '08:30', { providerId, procedures: [{ procedureId }] });
  await book('09:00', '09:30', { status: 'REQUESTED' });
  await book('11:00', '11:30', { status: 'CANCELED' });
  const block = { clinicId, providerId, startTime: at('10:00'), endTime: at('10:45'), kind: 'MEETING' };
  await create('/api/calendarblocks', block);
  page = await product.openAs(practice.staff, `/records/appointments?day=${DAY}`);
});
afterAll(() => product.close());

const rows = () => page.locator('.day-sheet li').allInnerTexts();
const words = async () => (await rows()).map((row) => row.replaceAll(/\s+/g, ' ').trim());

test('a day has the names of providers and procedures, and its blocks', async () => {
  await page.getByText('Zoe Probe').first().waitFor();
  await page.getByText('Check-up · Dr. Ada Beispiel').waitFor();
  expect(await words()).toEqual([
    '09:00 09:30 Zoe Probe Check-up · Dr. Ada Beispiel Scheduled',
    '10:00 10:30 Zoe Probe Requested',
    '11:00 11:45 Meeting Dr. Ada Beispiel Block',
    '12:00 12:30 Zoe Probe Canceled',
  ]);
  await page.getByText('2 appointments, 1 canceled, times of Europe/Zurich').waitFor();
  expectFaultless(page);
});

test('a printed day is black, has the ends of the appointments, and who printed it when', async () => {
  await page.emulateMedia({ media: 'print' });
  // The width of A4 with margins of 1 cm.
  await page.setViewportSize({ width: 718, height: 1045 });
  await page.getByText(`by ${product.service.practice.staff.email}`).waitFor();
  await page.getByText('Personal data. Shred after use.').waitFor();
  const isInside = await page
    .locator('.day-sheet .chip')
    .evaluateAll((all) =>
      all.every(
        (each) =>
          each.getBoundingClientRect().right <= (each.closest('li')?.getBoundingClientRect().right ?? 0),
      ),
    );
  expect(isInside).toBe(true);
  const colors = await page
    .locator('.day-sheet :is(.row-link, time, .what, .chip)')
    .evaluateAll((all) => [...new Set(all.map((each) => getComputedStyle(each).color))]);
  expect(colors).toEqual(['rgb(0, 0, 0)']);
  expect(await page.locator('.day-sheet time span').first().isVisible()).toBe(true);
  await page.emulateMedia({ media: 'screen' });
  await page.setViewportSize({ width: 1280, height: 720 });
  expectFaultless(page);
});

test('the field of the day shows a typed day only after Enter', async () => {
  const requested: string[] = [];
  page.on('request', (request) => requested.push(new URL(request.url()).pathname));
  const field = page.getByLabel('Go to the day');
  await field.focus();
  // The order of day and month depends on the language of the browser.
  await page.keyboard.type('02022031');
  expect(requested).toEqual([]);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 2, name: 'Sunday, 2 February 2031' }).waitFor();
  expect(requested.filter((path) => path === '/api/appointments')).toHaveLength(1);
  expect(page.url()).toContain('day=2031-02-02');
  await field.fill('2030-01-31');
  await page.getByText('Check-up · Dr. Ada Beispiel').waitFor();
  expectFaultless(page);
});

test('the page of an appointment names its provider and its procedures', async () => {
  await page.goto(`${product.url}/records/appointments/${appointmentId}`);
  await page.getByText('Dr. Ada Beispiel', { exact: true }).waitFor();
  await page.getByText('Check-up', { exact: true }).waitFor();
  expectFaultless(page);
});
