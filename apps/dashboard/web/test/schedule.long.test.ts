import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { findingsOf } from './axe.ts';
import { expectFaultless, holdBack, type Product, startProduct, type WatchedPage } from './product.ts';

let product: Product;
/** The page of the administrator, for all tests. */
let page: WatchedPage;
let clinicId: string;
/** A year in which all days are in the future. */
const YEAR = new Date().getFullYear() + 1;

beforeAll(async () => {
  product = await startProduct();
  const { practice, database } = product.service;
  [clinicId] = practice.clinicIds;
  await database
    .collection<{ _id: string }>('clinics')
    .updateOne({ _id: clinicId }, { $set: { name: 'North', timezone: 'Europe/Zurich' } });
  page = await product.openAs(practice.administrator, `/schedule?clinicId=${clinicId}`);
});
afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  // A failed test may leave errors, an open dialog and hours that are not saved, which must not fail the next test.
  await page.goto('about:blank');
  await open('hours');
  page.errors.length = 0;
});
afterAll(() => product.close());

const button = (name: string, on: Page = page) => on.getByRole('button', { name, exact: true });
const inDialog = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });
const closed = () => expect.poll(() => page.getByRole('dialog').count()).toBe(0);
const open = async (tab: string, on: Page = page) => {
  await on.goto(`${product.url}/schedule?tab=${tab}&clinicId=${clinicId}`);
  await on.getByRole('heading', { level: 1, name: 'Schedule' }).waitFor();
};
const call = (method: string, path: string, body?: object) =>
  product.service.call(method, path, body, `Token ${product.service.practice.administrator.token}`);
const hoursPath = () => `/api/clinics/${clinicId}/openinghours`;
const storedHours = async () => (await call('GET', hoursPath())).json;
const day = (name: string) => page.getByRole('group', { name, exact: true });
const save = async () => {
  await button('Save').click();
  await page.getByText('Saved', { exact: true }).waitFor();
};

test('a week is typed, previewed with its change of the clocks, and saved', async () => {
  await page.getByText('were never set').waitFor();
  await page.getByText('All times are local times of Europe/Zurich.').waitFor();
  await button('Add hours to Monday').click();
  await page.getByLabel('Monday opens').and(page.locator(':focus')).waitFor();
  await page.keyboard.type('8');
  await page.getByLabel('Monday closes').fill('7');
  await button('Save').click();
  // The refusal is beside the day, and the field that is wrong has the focus.
  await day('Monday').getByText('The end must be later.').waitFor();
  await page.getByLabel('Monday closes').and(page.locator(':focus')).waitFor();
  expect(await page.getByLabel('Monday opens').inputValue()).toBe('08:00');
  await page.getByLabel('Monday closes').fill('1200');
  await button('Add hours to Monday').click();
  await page.getByLabel('Monday opens').nth(1).fill('11:30');
  await page.getByLabel('Monday closes').nth(1).fill('17');
  await button('Save').click();
  await day('Monday').getByText('This overlaps').waitFor();
  await page.getByLabel('Monday opens').nth(1).fill('13');
  await button('Copy Monday to other days').click();
  await page.getByRole('menuitem', { name: 'Monday to Friday' }).click();
  expect(await page.getByLabel('Friday opens').nth(1).inputValue()).toBe('13:00');
  await button('Remove 13:00–17:00 from Friday').click();
  await button('Add hours to Sunday').click();
  await page.getByLabel('Sunday opens').fill('1');
  await page.getByLabel('Sunday closes').fill('4');
  await page.getByLabel('Minutes between slots').fill('30');

  const patient = await product.service.call('POST', '/api/patients', { clinicId });
  const changes = page.getByRole('region', { name: 'Changes of the clocks' });
  await changes
    .getByText(/2[35] hours: 01:00–04:00/)
    .first()
    .waitFor();
  await changes
    .getByText(/do not exist|exist twice/)
    .first()
    .waitFor();
  await changes.getByRole('button').first().click();
  const from = await page.getByLabel('First day').inputValue();
  const to = new Date(Date.parse(from) + 6 * 86_400_000).toISOString().slice(0, 10);
  const monday = new Date(Date.parse(from) + 86_400_000).toISOString().slice(0, 10);
  // The free time of this Monday depends on an appointment.
  const times = { startTime: `${monday}T08:00:00Z`, endTime: `${monday}T09:00:00Z` };
  const booked = { clinicId, patientId: patient.json._id, ...times };
  expect((await product.service.call('POST', '/api/appointments', booked)).status).toBe(200);
  await inDialog('Close').click();
  await closed();
  await changes.getByRole('button').first().click();
  const dialog = page.getByRole('dialog', { name: 'Free slots after saving' });
  const rows = dialog.getByRole('listitem');
  await rows
    .first()
    .getByText(/2[35] hours/)
    .waitFor();
  for (const summary of await dialog.getByText('Starts after saving').all()) await summary.click();
  const previewed = await rows.evaluateAll((items) =>
    items.map((item) => ({
      count: Number(/([\d,]+) after saving/.exec(item.textContent ?? '')?.[1]),
      starts: (item.querySelector('.starts')?.textContent ?? '').match(/\d\d:\d\d(?!\))/g) ?? [],
    })),
  );
  expect(await findingsOf(page)).toEqual([]);
  expect((await call('GET', hoursPath())).status).toBe(404);
  await inDialog('Close').click();
  await save();

  const query = new URLSearchParams({ clinicId, from, to, durationMinutes: '30' });
  const { json } = await call('GET', `/api/availability?${query}`);
  const days = Array.from({ length: 7 }, (_, index) =>
    new Date(Date.parse(from) + index * 86_400_000).toISOString().slice(0, 10),
  );
  const expected = days.map((each) => {
    const starts = json.slots
      .map(({ start }: { start: string }) => start)
      .filter((start: string) => start.startsWith(each))
      .map((start: string) => start.slice(11, 16));
    return { count: starts.length, starts };
  });
  expect(previewed).toEqual(expected);
  // Three hours on the clocks are two or four hours on this Sunday.
  expect([4, 8]).toContain(expected[0]?.count);
  expect(expected[1]?.count).toBe(14);
  expectFaultless(page, 404);
});

test('a refusal of the api is shown at its day, and what was typed stays', async () => {
  await page.getByLabel('Tuesday closes').nth(1).fill('18:00');
  const message = '13:00–18:00 overlaps 08:00–12:00: join the two, or change their times';
  const refusal = {
    name: 'ValidationError',
    message,
    details: { issues: [{ path: 'weekdays.tuesday.1', message }] },
  };
  await page.route(`**${hoursPath()}`, (route) =>
    route.request().method() === 'PUT' ? route.fulfill({ status: 400, json: refusal }) : route.fallback(),
  );
  await button('Save').click();
  await day('Tuesday').getByText(message).waitFor();
  await page.getByLabel('Tuesday opens').nth(1).and(page.locator(':focus')).waitFor();
  expect(await page.getByLabel('Tuesday closes').nth(1).inputValue()).toBe('18:00');
  await page.unrouteAll({ behavior: 'wait' });
  await save();
  expect((await storedHours()).weekdays.tuesday[1].closes).toBe('18:00');
  expectFaultless(page, 400);
});

test('two people change the hours of a clinic: both versions are shown', async () => {
  await page.getByLabel('Chairs').fill('3');
  const theirs = { ...(await storedHours()), chairs: 5, slotMinutes: 20 };
  expect((await call('PUT', hoursPath(), theirs)).status).toBe(200);
  await button('Save').click();
  const alert = page.getByRole('alert');
  await alert.getByText('Somebody else has changed this schedule').waitFor();
  await alert.getByText('Chairs: 3').waitFor();
  await alert.getByText('Chairs: 5').waitFor();
  expect((await storedHours()).chairs).toBe(5);
  await save();
  // What only the other person has changed stays.
  expect(await storedHours()).toMatchObject({ chairs: 3, slotMinutes: 20 });
  expect(await alert.count()).toBe(0);
  expectFaultless(page, 412);
});

test('two people set the hours of a clinic for the first time: the second one sees those of the first', async () => {
  const [, other] = product.service.practice.clinicIds;
  await product.service.database
    .collection<{ _id: string }>('clinics')
    .updateOne({ _id: other }, { $set: { timezone: 'Europe/Zurich' } });
  const path = `/api/clinics/${other}/openinghours`;
  const weekdays = { tuesday: [{ opens: '07:00', closes: '09:00' }] };
  await page.goto(`${product.url}/schedule?clinicId=${other}`);
  await page.getByText('were never set').waitFor();
  await page.getByLabel('Chairs').fill('3');
  // The other one is faster by less than the time between the last look and the change.
  let theirs: number | undefined;
  await page.route(`**${path}`, async (route) => {
    if (route.request().method() === 'PUT')
      theirs ??= (await call('PUT', path, { weekdays, chairs: 7 })).status;
    await route.fallback();
  });
  await button('Save').click();
  await page.getByRole('alert').getByText('Chairs: 7').waitFor();
  expect(theirs).toBe(200);
  expect((await call('GET', path)).json.chairs).toBe(7);
  await save();
  await page.unrouteAll({ behavior: 'wait' });
  expect((await call('GET', path)).json).toMatchObject({ chairs: 3, weekdays });
  expectFaultless(page, 404, 412);
});

test('the closed days of a year are added at once, and leaving asks before they are lost', async () => {
  const there = { date: `${YEAR}-12-24`, intervals: [{ opens: '08:00', closes: '10:00' }] };
  const known = { date: `${YEAR}-12-25`, intervals: [] };
  expect(
    (await call('PUT', hoursPath(), { ...(await storedHours()), exceptions: [there, known] })).status,
  ).toBe(200);
  await open('closed');
  await page.getByRole('row').filter({ hasText: '08:00–10:00' }).waitFor();
  await button('Add days').click();
  const lines = page.getByLabel('Dates, one on each line');
  await lines.and(page.locator(':focus')).waitFor();
  await lines.fill(`${YEAR}-07-01..${YEAR}-07-14\n${YEAR}-02-30\n${YEAR}-12-24\n${YEAR}-12-25`);
  const found = page.getByRole('list', { name: 'What will be added' });
  await found.getByText(`Line 2: “${YEAR}-02-30” is not a date`).waitFor();
  await found.getByText('New: 14 days').waitFor();
  await found.getByText('Already there:').waitFor();
  await found.getByText(/Replaced: .*now 08:00–10:00/).waitFor();
  await inDialog('Add days').click();
  await page.getByRole('dialog').getByText('Correct the lines that are named below.').waitFor();
  await lines.fill(`${YEAR}-07-01..${YEAR}-07-14\n${YEAR}-12-24`);
  await page.keyboard.press('Escape');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Keep editing' }).click();
  await page.getByLabel('From', { exact: true }).fill(`${YEAR}-01-02`);
  await button('Add to the list').click();
  expect(await lines.inputValue()).toContain(`\n${YEAR}-01-02`);
  await inDialog('Add days').click();
  await closed();
  expect(await page.getByText('Not saved', { exact: true }).count()).toBe(16);

  // The other tab of the same hours keeps what was added, and another page asks.
  await page.getByRole('link', { name: 'Opening hours' }).click();
  await day('Monday').waitFor();
  await page.getByRole('link', { name: 'Records' }).click();
  const question = page.getByRole('alertdialog', { name: 'Discard what you have entered?' });
  await question.getByRole('button', { name: 'Keep editing' }).click();
  await page.getByRole('link', { name: 'Closed days' }).click();
  await save();
  const { exceptions } = await storedHours();
  expect(exceptions).toHaveLength(17);
  expect(exceptions.every(({ intervals }: { intervals: unknown[] }) => intervals.length === 0)).toBe(true);

  await page.getByRole('row').filter({ hasText: '2 Jan' }).getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByText('The usual hours of the weekday apply').waitFor();
  await inDialog('Remove').click();
  await closed();
  await page.getByLabel('Days', { exact: true }).selectOption(String(YEAR));
  await page.waitForURL(`**year=${YEAR}**`);
  await save();
  expect((await storedHours()).exceptions).toHaveLength(16);
  expectFaultless(page);
});

/** The first Monday of May: its hours are 08:00–12:00 and 13:00–17:00. */
const MONDAY = Array.from({ length: 7 }, (_, index) => `${YEAR}-05-0${index + 1}`).find(
  (date) => new Date(date).getUTCDay() === 1,
) as string;
const book = async (name: string, from: string, to: string, status?: string) => {
  const patient = await call('POST', '/api/patients', { clinicId, name, phone: '+41 44 668 18 00' });
  const times = { startTime: `${MONDAY}T${from}:00+02:00`, endTime: `${MONDAY}T${to}:00+02:00` };
  const made = await call('POST', '/api/appointments', { clinicId, patientId: patient.json._id, ...times });
  expect(made.status).toBe(200);
  if (status !== undefined) await call('PUT', `/api/appointments/${made.json._id}`, { status });
};

test('a day with patients does not close in silence', async () => {
  await book('Clara Vorlage', '11:30', '12:30');
  await book('Emil Fiktiv', '14:00', '15:00');
  await book('Theo Attrappe', '15:00', '16:00', 'CANCELED');
  await open('closed');
  await button('Add days').click();
  await page.getByLabel('Dates, one on each line').fill(MONDAY);
  await inDialog('Add days').click();
  await closed();
  await button('Preview slots').click();
  await page.getByLabel('First day').fill(MONDAY);
  const preview = page.getByRole('dialog', { name: 'Free slots after saving' });
  await preview.getByText('2 patients are booked in times that close.').waitFor();
  await preview.getByRole('link', { name: 'Clara Vorlage' }).waitFor();
  await inDialog('Close').click();
  await closed();

  // Nothing is saved before it is known who is booked.
  await page.route('**/api/appointments?*', (route) => route.fulfill({ status: 503, json: {} }));
  await button('Save').click();
  await page.getByText('Could not check who is booked, so nothing is saved.').waitFor();
  await page.unrouteAll({ behavior: 'wait' });
  await button('Save').click();
  const question = page.getByRole('alertdialog', { name: /^Close Mon, \d May \d+ at North\?$/ });
  const rows = question.getByRole('list', { name: 'Booked patients' }).getByRole('listitem');
  await expect.poll(() => rows.allInnerTexts()).toHaveLength(2);
  expect(await rows.first().innerText()).toMatch(/11:30\s+Clara Vorlage/);
  const phone = rows.first().getByRole('link', { name: '+41 44 668 18 00' });
  expect(await phone.getAttribute('href')).toBe('tel:+41446681800');
  await question.getByRole('button', { name: 'Keep open' }).and(page.locator(':focus')).waitFor();
  expect(await findingsOf(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect.poll(() => question.count()).toBe(0);
  const isStored = async () =>
    (await storedHours()).exceptions.some(({ date }: { date: string }) => date === MONDAY);
  expect(await isStored()).toBe(false);

  await button('Save').click();
  await rows.first().waitFor();
  await book('Amira Exempel', '16:00', '16:30');
  await question.getByRole('button', { name: 'Close anyway' }).click();
  await question.getByText('Somebody was booked in the meantime').waitFor();
  expect(await rows.allInnerTexts()).toHaveLength(3);
  expect(await isStored()).toBe(false);
  await question.getByRole('button', { name: 'Close anyway' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(await isStored()).toBe(true);
  expectFaultless(page, 503);
});

test('a block over booked patients names them, before it is created', async () => {
  await open('blocks');
  await button('New block').click();
  await page.getByLabel('Start').fill(`${MONDAY}T14:30`);
  await page.getByLabel('End').fill(`${MONDAY}T16:15`);
  await inDialog('Preview slots').click();
  await page.getByText('2 patients are booked in this time:').waitFor();
  await inDialog('Create').click();
  const question = page.getByRole('alertdialog', { name: 'Take this time away at North?' });
  await question.getByRole('link', { name: 'Emil Fiktiv' }).waitFor();
  await question.getByRole('button', { name: 'Keep it open' }).click();
  await expect.poll(() => question.count()).toBe(0);
  expect((await call('GET', '/api/calendarblocks')).json).toEqual([]);
  await inDialog('Create').click();
  await question.getByRole('button', { name: 'Save anyway' }).click();
  await closed();
  const { json } = await call('GET', '/api/calendarblocks');
  expect(json).toHaveLength(1);
  await call('DELETE', `/api/calendarblocks/${json[0]._id}`);
  expectFaultless(page);
});

test('hours and closed days of a clinic are applied to others, and undone at once', async () => {
  const { practice, database } = product.service;
  const [, south] = practice.clinicIds;
  const southPath = `/api/clinics/${south}/openinghours`;
  await database
    .collection<{ _id: string }>('clinics')
    .updateOne({ _id: south }, { $set: { name: 'Clinic of the South', timezone: 'Europe/Lisbon' } });
  const theirs = { ...(await call('GET', southPath)).json, exceptions: [{ date: MONDAY, intervals: [] }] };
  expect((await call('PUT', southPath, theirs)).status).toBe(200);
  const patient = await call('POST', '/api/patients', { clinicId: south, name: 'Selma Probe' });
  const tuesday = new Date(Date.parse(MONDAY) + 86_400_000).toISOString().slice(0, 10);
  const times = { startTime: `${tuesday}T07:30:00+01:00`, endTime: `${tuesday}T08:30:00+01:00` };
  const booked = { clinicId: south, patientId: patient.json._id, ...times };
  expect((await call('POST', '/api/appointments', booked)).status).toBe(200);
  const before = (await call('GET', southPath)).json;

  await open('closed');
  await button('Apply to clinics…').click();
  const row = page.getByRole('dialog').getByRole('listitem').filter({ hasText: 'Clinic of the South' });
  await row.getByText(/^\d+ days added, 1 already there$/).waitFor();
  await page.getByRole('listitem').filter({ hasText: 'The settings come from here' }).waitFor();
  await page.getByRole('checkbox', { name: 'Opening hours' }).check();
  await row.getByText('Opens 1 h later on Tue').waitFor();
  await row.getByText(/^Opens on Mon, Wed and Thu, 08:00 to 12:00, 13:00 to/).waitFor();
  const link = row.getByRole('link', { name: /^1 patient is booked on Tue/ });
  await link.waitFor();
  expect(await findingsOf(page)).toEqual([]);
  await inDialog('Apply to 1 clinic').click();
  await closed();
  const offer = page.getByRole('region', { name: 'Last change' });
  await offer.getByText(/^Applied to 1 clinic: \d+ days added or replaced/).waitFor();
  const source = await storedHours();
  expect((await call('GET', southPath)).json).toMatchObject({
    weekdays: source.weekdays,
    exceptions: source.exceptions,
    chairs: before.chairs,
  });
  await page.keyboard.press('Control+z');
  await offer.getByText('as they were before').waitFor();
  const { lastEditTime: _, ...same } = before;
  expect((await call('GET', southPath)).json).toMatchObject(same);

  // Somebody else changes the hours while the list is open: they stay, and are named.
  await button('Apply to clinics…').click();
  await row.getByText(/days added/).waitFor();
  expect((await call('PUT', southPath, { ...theirs, slotMinutes: 30 })).status).toBe(200);
  await inDialog('Apply to 1 clinic').click();
  await page
    .getByRole('dialog')
    .getByText('Somebody else has changed the hours of Clinic of the South')
    .waitFor();
  expect((await call('GET', southPath)).json).toMatchObject({
    slotMinutes: 30,
    exceptions: theirs.exceptions,
  });
  await inDialog('Cancel').click();
  await closed();
  expectFaultless(page);
});

test('a provider is created, changed by two people, and deleted', async () => {
  await open('providers');
  await page.getByText('No providers match').waitFor();
  await button('Clear filters').click();
  await page.getByText('No providers yet').waitFor();
  await button('New provider').click();
  await page.getByLabel('Display name').fill('Dr. Ines Albers');
  await inDialog('Create').click();
  await page.getByRole('dialog').getByText('must name at least one clinic').first().waitFor();
  expect(await page.getByLabel('Display name').inputValue()).toBe('Dr. Ines Albers');
  await page.getByRole('checkbox', { name: 'North' }).check();
  await inDialog('Create').click();
  await closed();
  await page.getByRole('rowheader', { name: 'Dr. Ines Albers' }).waitFor();

  const { json } = await call('GET', '/api/providers');
  await button('Edit Dr. Ines Albers').click();
  await page.getByLabel('Display name').fill('Dr. Ines Albers-Costa');
  await call('PUT', `/api/providers/${json[0]._id}`, { name: 'Dr. I. Albers' });
  await inDialog('Save').click();
  const alert = page.getByRole('alert');
  await alert.getByText('Name: Dr. Ines Albers-Costa').waitFor();
  await alert.getByText('Name: Dr. I. Albers', { exact: true }).waitFor();
  await inDialog('Save').click();
  await closed();
  await button('Delete Dr. Ines Albers-Costa').waitFor();
  // A version that nobody has seen is not deleted.
  await call('PUT', `/api/providers/${json[0]._id}`, { name: 'Dr. I. Albers' });
  await button('Delete Dr. Ines Albers-Costa').click();
  await page.getByText('then name a provider that no longer exists').waitFor();
  await inDialog('Delete').click();
  await alert.getByText('Somebody else has changed this provider').waitFor();
  await inDialog('Keep it').click();
  await closed();
  await button('Delete Dr. I. Albers').click();
  await inDialog('Delete').click();
  await page.getByText('No providers yet').waitFor();
  expectFaultless(page, 400);
});

test('a procedure is refused beside its field, and shown with price and duration in words', async () => {
  await open('procedures');
  await button('New procedure').click();
  await page.getByLabel('Name', { exact: true }).fill('Crown');
  await page.getByLabel('Duration in minutes').fill('90');
  await page.getByLabel('Price').fill('a lot');
  await inDialog('Create').click();
  await page.getByLabel('Price').and(page.locator(':focus')).waitFor();
  await page.getByLabel('Price').fill('640.50');
  await page.getByLabel('Currency').fill('');
  await inDialog('Create').click();
  await page.getByRole('dialog').getByText('must be given with a price').first().waitFor();
  await page.getByLabel('Currency').and(page.locator(':focus')).waitFor();
  await page.getByLabel('Currency').fill('eur');
  await inDialog('Create').click();
  await closed();
  const row = page.getByRole('row').filter({ hasText: 'Crown' });
  await row.getByText('€640.50').waitFor();
  await row.getByText('90 min').waitFor();
  await row.getByText('All clinics').waitFor();
  await button('Edit Crown').click();
  await page.getByLabel('Price').fill('');
  await page.getByLabel('Currency').fill('');
  await inDialog('Save').click();
  await closed();
  expect((await call('GET', '/api/procedures')).json[0]).not.toHaveProperty('price');
  expectFaultless(page, 400);
});

test('a block has times of the clinic, previews what it takes, and is found by its filters', async () => {
  await open('blocks');
  await button('New block').click();
  await page.getByText('Times are local times of Europe/Zurich.').waitFor();
  const date = `${YEAR}-02-03`;
  await page.getByLabel('Kind').selectOption('Meeting');
  await page.getByLabel('Start').fill(`${date}T09:00`);
  await page.getByLabel('End').fill(`${date}T08:00`);
  await inDialog('Create').click();
  await page.getByRole('dialog').getByText('End must be after Start.').waitFor();
  await page.getByLabel('End').fill(`${date}T10:00`);
  await inDialog('Preview slots').click();
  await page.getByText(/^Takes \d+ of the \d+ slots of 30 minutes/).waitFor();
  await inDialog('Create').click();
  await closed();
  await page.getByRole('row').filter({ hasText: 'Meeting' }).filter({ hasText: '09:00–10:00' }).waitFor();
  const { json } = await call('GET', '/api/calendarblocks');
  expect(json[0]).toMatchObject({
    startTime: `${date}T08:00:00.000Z`,
    endTime: `${date}T09:00:00.000Z`,
    kind: 'MEETING',
  });
  await button('Time: from now on').click();
  await page.getByLabel('From').fill(`${YEAR}-03-01T00:00`);
  await button('Apply').click();
  await page.getByText('No blocks match').waitFor();
  await page.goBack();
  await page.getByRole('row').filter({ hasText: 'Meeting' }).getByRole('button', { name: 'Delete' }).click();
  await page.getByText('This time becomes free again').waitFor();
  await inDialog('Delete').click();
  await closed();
  await expect.poll(async () => (await call('GET', '/api/calendarblocks')).json).toEqual([]);
  expectFaultless(page, 400);
});

test('a new block waits until the clinics are read, because its times are local times of one', async () => {
  const release = await holdBack(page, /\/api\/clinics(\?|$)/);
  await page.goto(`${product.url}/schedule?tab=blocks&clinicId=${clinicId}`);
  await button('New block').and(page.locator(':disabled')).waitFor();
  release();
  await button('New block').click();
  await page.getByText('Times are local times of Europe/Zurich.').waitFor();
  await inDialog('Cancel').click();
  await closed();
  await page.unrouteAll({ behavior: 'wait' });
  expectFaultless(page);
});

test('a new block that the filters leave out is announced, and shown with a press', async () => {
  await page.goto(`${product.url}/schedule?tab=blocks&clinicId=${clinicId}&since=2040-01-01T00:00:00.000Z`);
  await button('New block').click();
  await page.getByLabel('Start').fill(`${YEAR}-02-03T09:00`);
  await page.getByLabel('End').fill(`${YEAR}-02-03T10:00`);
  await inDialog('Create').click();
  await closed();
  await page.getByRole('status').getByText('The block is created').waitFor();
  await button('Show it').click();
  const row = page.getByRole('row').filter({ hasText: '09:00–10:00' });
  await row.waitFor();
  expect(await page.getByText('The block is created').count()).toBe(0);
  await row.getByRole('button', { name: 'Delete' }).click();
  await inDialog('Delete').click();
  await closed();
  expect(await page.getByText('The block is created').count()).toBe(0);
  expectFaultless(page);
});

test('the pages of coming blocks stay readable when another hour begins', async () => {
  const startTime = `${YEAR}-02-03T08:00:00.000Z`;
  const block = { clinicId, startTime, endTime: `${YEAR}-02-03T09:00:00.000Z`, kind: 'MAINTENANCE' };
  const made = [];
  for (let count = 0; count < 51; count++) made.push((await call('POST', '/api/calendarblocks', block)).json);
  await open('blocks');
  await expect.poll(() => page.getByRole('row').count()).toBe(1 + 50);
  await button('Next page').click();
  await expect.poll(() => page.getByRole('row').count()).toBe(1 + 1);
  // The link is opened again two hours later.
  const later = await page.context().newPage();
  await later.clock.setFixedTime(Date.now() + 2 * 3_600_000);
  await later.goto(page.url());
  await later.getByRole('row').filter({ hasText: 'Maintenance' }).waitFor();
  expect(await later.getByRole('alert').count()).toBe(0);
  await button('First page', later).click();
  await expect.poll(() => later.getByRole('row').count()).toBe(1 + 50);
  await later.close();
  for (const { _id } of made) await call('DELETE', `/api/calendarblocks/${_id}`);
  expectFaultless(page);
});

test('staff read the schedule and change nothing', async () => {
  const theirs = await product.openAs(product.service.practice.staff, `/schedule?clinicId=${clinicId}`);
  await theirs.getByText('Administrators of your practice can change it.').waitFor();
  await theirs.getByRole('navigation').getByRole('link', { name: 'Schedule' }).waitFor();
  await theirs.getByText('08:00–12:00, 13:00–17:00').first().waitFor();
  for (const tab of ['Closed days', 'Providers', 'Procedures', 'Blocks']) {
    await theirs.getByRole('link', { name: tab }).click();
    await theirs.locator('.table, .empty').first().waitFor();
    expect(
      await theirs.getByRole('button', { name: /Save|Add|New|Edit|Remove 2|Delete|Actions/ }).count(),
    ).toBe(0);
  }
  expect(await findingsOf(theirs)).toEqual([]);
  expectFaultless(theirs);
  await theirs.context().close();
});

test('a clinic without a time zone, and one that does not exist, are explained', async () => {
  await page.goto(`${product.url}/schedule?clinicId=unknown1`);
  await page.getByText('There is no such clinic').waitFor();
  const [, other] = product.service.practice.clinicIds;
  await product.service.database
    .collection<{ _id: string }>('clinics')
    .updateOne({ _id: other }, { $set: { timezone: 'Mars/Olympus' } });
  await page.goto(`${product.url}/schedule?clinicId=${other}`);
  await page.getByText('This clinic has no time zone that is known').waitFor();
  await button('Save').click();
  await page.getByRole('alert').getByText('time zone').first().waitFor();
  expectFaultless(page, 400, 404);
});
