import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findingsOf } from './axe.ts';
import {
  expectFaultless,
  heading,
  holdBack,
  type Product,
  startProduct,
  type WatchedPage,
} from './product.ts';

let product: Product;
/** A page of staff, for all tests. */
let page: WatchedPage;
let ids: Record<'genevieve' | 'other' | 'imported', string>;

const GENEVIEVE = {
  name: 'Geneviève Müller-Beispiel',
  phone: '+49 30 23125 041',
  email: 'genevieve.patient@example.com',
};
/** What no address, storage or log may contain. A short name would be in a random key of the router one day. */
const SEARCHED = /genevi|theodora|m(ü|u|%C3%BC)ller|beispiel|probe|23125|125041|patient%40|patient@/i;

beforeAll(async () => {
  product = await startProduct();
  const { clinicIds, store, staff } = product.service.practice;
  const create = async (fields: object, clinicId = clinicIds[0]) => {
    const { status, json } = await product.service.call('POST', '/api/patients', { clinicId, ...fields });
    expect(status).toBe(200);
    return String(json._id);
  };
  await store.patients.create({
    _id: '20300131',
    clinicId: clinicIds[1],
    name: 'Jonas Probe',
    createdTime: '2030-01-31T09:30:00.000Z',
    lastEditTime: '2030-01-31T09:30:00.000Z',
  });
  ids = {
    genevieve: await create(GENEVIEVE),
    other: await create({ name: 'Genevieve Vorlage', phone: '+49 30 23125 042' }, clinicIds[1]),
    imported: '20300131',
  };
  page = await product.openAs(staff, '/records/patients');
});
afterAll(() => product.close());

const field = (on: Page = page) => on.getByLabel('Name, phone, e-mail or id', { exact: true });
const search = async (text: string, on: Page = page): Promise<void> => {
  await field(on).fill(text);
  await on.keyboard.press('Enter');
};
const names = () => page.getByRole('rowheader').allTextContents();
const button = (name: string) => page.getByRole('button', { name, exact: true });
const open = async (): Promise<void> => {
  await page.goto(`${product.url}/records/patients`);
  await page.getByText('Search for a patient').waitFor();
};
const isFocused = (on: Page = page) => field(on).evaluate((node) => node === document.activeElement);

/** Everything about the page that a browser keeps or shows. */
const kept = (on: Page): Promise<string> =>
  on.evaluate(async () =>
    JSON.stringify([
      location.href,
      document.title,
      history.state,
      { ...localStorage },
      { ...sessionStorage },
      document.cookie,
      (await indexedDB.databases()).map(({ name }) => name),
      await caches.keys(),
      performance.getEntriesByType('resource').map(({ name }) => name),
    ]),
  );

test('finds patients by the beginnings of their names, without case, accents and hyphens', async () => {
  await open();
  for (const text of ['Geneviève Müller', 'genevieve MUELLER', 'beispiel genevieve', 'müll']) {
    await search('probe');
    await expect.poll(names).toEqual(['Jonas Probe']);
    await search(text);
    await expect.poll(names).toEqual([GENEVIEVE.name]);
    await page.getByText('1 found', { exact: true }).waitFor();
    expect(await isFocused()).toBe(true);
  }
  await search('genevieve');
  await expect.poll(names).toEqual(expect.arrayContaining([GENEVIEVE.name, 'Genevieve Vorlage']));
  await page.getByText('2 found', { exact: true }).waitFor();
  expect(await findingsOf(page)).toEqual([]);
  await button('Clear').click();
  await page.getByText('Search for a patient').waitFor();
  expect(await field().inputValue()).toBe('');
  expect(await isFocused()).toBe(true);
  expectFaultless(page);
});

test('finds patients by the end of a number, by e-mail address and by id', async () => {
  await open();
  for (const text of [
    '125041',
    '23125-041',
    '(+49) 30 231 250 41',
    '030/23125041',
    GENEVIEVE.email,
    'GENEVIEVE.Patient@example.com',
  ]) {
    await search('probe');
    await expect.poll(names).toEqual(['Jonas Probe']);
    await search(text);
    await expect.poll(names).toEqual([GENEVIEVE.name]);
  }
  // An imported id may look like a number.
  await search(ids.imported);
  await expect.poll(names).toEqual(['Jonas Probe']);
  await search('unknown1234');
  await page.getByRole('alert').getByText('No patient has this id.').waitFor();
  expect(page.url()).not.toContain('unknown1234');
  await search(ids.other);
  await heading(page, 'Genevieve Vorlage');
  expect(new URL(page.url()).pathname).toBe(`/records/patients/${ids.other}`);
  expectFaultless(page);
});

test('the page of a patient calls the number and writes to the address', async () => {
  await open();
  await search(GENEVIEVE.name);
  await page.getByRole('link', { name: GENEVIEVE.name }).click();
  const address = async (text: string) =>
    page.getByRole('link', { name: text, exact: true }).getAttribute('href');
  expect(await address(GENEVIEVE.phone)).toBe('tel:+493023125041');
  expect(await address(GENEVIEVE.email)).toBe(`mailto:${GENEVIEVE.email}`);
  await button('Copy the phone number').waitFor();
});

test('says what to enter instead of a text that is too short, and what to try without a result', async () => {
  await open();
  let requests = 0;
  page.on('request', (request) => {
    if (request.url().includes('/api/patients')) requests += 1;
  });
  for (const [text, hint] of [
    ['?!', 'at least one letter'],
    // Another system may have given this id, so it is looked up first.
    ['12504', 'at least the last six digits'],
  ] as const) {
    requests = 0;
    await search(text);
    await page.getByRole('alert').getByText(hint).waitFor();
    expect(await page.getByText('Search for a patient').count()).toBe(1);
    await field().press('Backspace');
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    expect(requests).toBe(text === '12504' ? 2 : 0);
  }
  for (const [text, advice] of [
    ['Nobody', 'Enter fewer letters'],
    ['Zu', 'finds only the same complete word'],
    ['999 999', 'Enter only the last six digits'],
    ['nobody@example.com', 'must be complete'],
  ] as const) {
    await search(text);
    await page.getByText(advice).waitFor();
    await page.getByText('No patient found.', { exact: true }).waitFor();
  }
  expect(await findingsOf(page)).toEqual([]);
  expect(await page.getByText('match the filters').count()).toBe(0);
  await search('Genevieve Vorlage');
  await expect.poll(names).toEqual(['Genevieve Vorlage']);
  await page.getByLabel('Clinic', { exact: true }).selectOption(product.service.practice.clinicIds[0]);
  await page.getByText('match the filters').waitFor();
  await search('Genevieve');
  await expect.poll(names).toEqual([GENEVIEVE.name]);
  expectFaultless(page);
});

test('no result stays under a text that is not searched for', async () => {
  await open();
  await search('Genevieve Vorlage');
  await expect.poll(names).toEqual(['Genevieve Vorlage']);
  for (const text of ['!!', '01JB0000000000000000N0B0DY']) {
    await search(text);
    await page.getByRole('alert').waitFor();
    await page.getByText('Nothing was searched.').waitFor();
    expect(await names()).toEqual([]);
    expect(await page.getByText('found', { exact: false }).count()).toBe(0);
  }
  await button('Clear').click();
  await page.getByText('Search for a patient').waitFor();
  expectFaultless(page, 404);
});

test('nobody is listed unasked, and the way back keeps the search', async () => {
  const { database, practice } = product.service;
  const listed = () =>
    database.collection('auditEntries').countDocuments({
      action: 'listed',
      kind: 'patient',
      'principal.id': practice.staff._id,
    });
  await open();
  const before = await listed();
  await page.reload();
  await page.getByText('Search for a patient').waitFor();
  expect(await findingsOf(page)).toEqual([]);
  expect(await listed()).toBe(before);
  await page.getByRole('link', { name: 'List all patients' }).click();
  await page.getByRole('rowheader', { name: 'Jonas Probe' }).waitFor();
  await expect.poll(listed).toBe(before + 1);
  await page.goBack();
  await page.getByText('Search for a patient').waitFor();

  await search('Genevieve');
  await expect.poll(names).toEqual([GENEVIEVE.name, 'Genevieve Vorlage']);
  await page.getByRole('link', { name: 'Genevieve Vorlage' }).click();
  await heading(page, 'Genevieve Vorlage');
  await page.goBack();
  await expect.poll(names).toEqual([GENEVIEVE.name, 'Genevieve Vorlage']);
  expect(await field().inputValue()).toBe('Genevieve');
  expect(await kept(page)).not.toMatch(SEARCHED);
  // Another visit begins anew.
  await page.getByRole('link', { name: 'Appointments', exact: true }).click();
  await heading(page, 'Appointments');
  await page.getByRole('link', { name: 'Patients', exact: true }).click();
  await page.getByText('Search for a patient').waitFor();
  expect(await field().inputValue()).toBe('');
  expectFaultless(page);
});

test('a search enters no address, no history, no storage and no log', async () => {
  const own = await product.openAs(product.service.practice.staff, '/account');
  const addresses: string[] = [];
  own.on('request', (request) => addresses.push(request.url()));
  await own.getByRole('link', { name: 'Patients' }).click();
  await heading(own, 'Patients');
  const seen: string[] = [];
  for (const text of ['Geneviève Müller', '+49 30 23125041', GENEVIEVE.email]) {
    await search('probe', own);
    await own.getByText('1 found').waitFor();
    await own.getByRole('link', { name: 'Jonas Probe' }).waitFor();
    await search(text, own);
    await own.getByRole('link', { name: GENEVIEVE.name }).waitFor();
    seen.push(await kept(own));
    await own.getByRole('link', { name: GENEVIEVE.name }).click();
    await heading(own, GENEVIEVE.name);
    await own.goBack();
    await heading(own, 'Patients');
    expect(await field(own).inputValue()).toBe(text);
    seen.push(await kept(own));
  }
  await search('Geneviève', own);
  await own.getByText('2 found').waitFor();
  await own.reload();
  await own.getByText('Search for a patient').waitFor();
  expect(await field(own).inputValue()).toBe('');
  await own.keyboard.press('Control+k');
  await own.getByRole('dialog').locator('input:focus').waitFor();
  await own.keyboard.type('23125041');
  await own.getByRole('menuitem', { name: GENEVIEVE.name }).waitFor();
  await own.keyboard.press('Enter');
  await heading(own, GENEVIEVE.name);
  seen.push(await kept(own));
  // The title of a patient's page is its kind.
  expect(seen.join('\n')).not.toMatch(SEARCHED);
  expect(addresses.join('\n')).not.toMatch(SEARCHED);
  const logs = [...product.dashboard.lines, ...product.service.api.lines].map((line) => JSON.stringify(line));
  expect(logs.some((line) => line.includes('/api/patients/search'))).toBe(true);
  expect(logs.join('\n')).not.toMatch(SEARCHED);
  expectFaultless(own);
  await own.context().close();
});

test('pages without rows are followed up to a limit; the search can be stopped and continued', async () => {
  await open();
  const bodies: { cursor?: string; limit: number }[] = [];
  const held = Promise.withResolvers<void>();
  let heldFrom = Number.POSITIVE_INFINITY;
  await page.route('**/api/patients/search', async (route) => {
    bodies.push(route.request().postDataJSON());
    if (bodies.length >= heldFrom) await held.promise;
    const data = bodies.length === 3 ? [{ _id: 'found1', name: 'Genevieve Erste' }] : [];
    const headers = { 'X-Next-Cursor': `c${bodies.length}` };
    await route.fulfill({ json: data, headers }).catch(() => {});
  });
  await search('Genevieve');
  await expect.poll(names).toEqual(['Genevieve Erste']);
  expect(bodies).toHaveLength(10);
  expect(bodies.map(({ cursor }) => cursor).slice(0, 3)).toEqual([undefined, 'c1', 'c2']);
  expect(bodies.map(({ limit }) => limit).slice(0, 4)).toEqual([50, 50, 50, 49]);
  await page.getByText('“Next page” continues the search').waitFor();

  await button('Next page').click();
  await page.getByText('No patient found so far.').waitFor();
  expect(bodies).toHaveLength(20);
  expect(bodies[10]?.cursor).toBe('c10');

  bodies.length = 0;
  heldFrom = 5;
  await search('Genevieve Vorlage');
  await page.getByText('Searching… 1 so far').waitFor();
  await expect.poll(() => bodies.length).toBe(5);
  expect(await findingsOf(page)).toEqual([]);
  await button('Stop').click();
  await expect.poll(names).toEqual(['Genevieve Erste']);
  expect(await button('Stop').count()).toBe(0);
  expect(await isFocused()).toBe(true);
  heldFrom = Number.POSITIVE_INFINITY;
  held.resolve();
  await button('Next page').click();
  await page.getByText('No patient found so far.').waitFor();
  expect(bodies).toHaveLength(15);
  expect(bodies[5]?.cursor).toBe('c4');
  await page.unrouteAll({ behavior: 'wait' });
  expectFaultless(page);
});

const entry = (name: string | RegExp) => page.getByRole('dialog').getByRole('menuitem', { name });
const find = async (text: string): Promise<void> => {
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Find or do' }).locator('input:focus').waitFor();
  await page.keyboard.type(text, { delay: 20 });
};
const dialogClosed = () => expect.poll(() => page.getByRole('dialog').count()).toBe(0);

test('Ctrl-K opens a patient by name or number, with one request for a text', async () => {
  await page.goto(`${product.url}/account`);
  await heading(page, 'Account');
  const bodies: { name?: string; phone?: string }[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/api/patients/search')) bodies.push(request.postDataJSON());
  });
  await find('genevieve mull');
  await entry(`${GENEVIEVE.name} ${GENEVIEVE.email}, North`).and(page.locator('[data-focused]')).waitFor();
  expect(await findingsOf(page)).toEqual([]);
  expect(bodies.map(({ name }) => name)).toEqual(['genevieve mull']);
  await page.keyboard.press('Enter');
  await heading(page, GENEVIEVE.name);
  await dialogClosed();

  await find('genevieve');
  await entry(GENEVIEVE.name).waitFor();
  await entry(/^Genevieve Vorlage \+49 30 23125 042, /).waitFor();
  // What belongs to the text before is not offered.
  await page.keyboard.type(' vor');
  await entry(GENEVIEVE.name).waitFor({ state: 'detached' });
  await entry('Genevieve Vorlage').and(page.locator('[data-focused]')).waitFor();
  expect(await page.getByRole('menuitem').count()).toBe(1);
  await page.keyboard.press('Enter');
  await heading(page, 'Genevieve Vorlage');
  await dialogClosed();

  await find('23125 041');
  await entry(GENEVIEVE.name).waitFor();
  await page.keyboard.press('Enter');
  await heading(page, GENEVIEVE.name);
  await dialogClosed();
  await find('nobody');
  await page.getByText('Nothing matches.').waitFor();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('zu');
  await page.getByText('finds only the same complete word').waitFor();
  await page.keyboard.press('Escape');
  await dialogClosed();
  expectFaultless(page);
});

test('Ctrl-K shows up to eight patients, and leads to all of them', async () => {
  const { clinicIds } = product.service.practice;
  for (let count = 1; count <= 9; count++)
    await product.service.call('POST', '/api/patients', {
      clinicId: clinicIds[0],
      name: `Theodora Test ${count}`,
    });
  await page.goto(`${product.url}/account`);
  await heading(page, 'Account');
  await find('theodora');
  await entry('All patients with this name').waitFor();
  expect(await page.getByRole('menuitem').count()).toBe(9);
  await page.keyboard.press('ArrowUp');
  await entry('All patients with this name').and(page.locator('[data-focused]')).waitFor();
  await page.keyboard.press('Enter');
  await heading(page, 'Patients');
  await page.getByText('9 found', { exact: true }).waitFor();
  expect(await field().inputValue()).toBe('theodora');
  expect(await kept(page)).not.toMatch(SEARCHED);
  expectFaultless(page);
});

test('Enter in Ctrl-K before a result leads to the page Patients with the search', async () => {
  const release = await holdBack(page, '**/api/patients/search');
  await page.goto(`${product.url}/account`);
  await heading(page, 'Account');
  await find('genevieve');
  await page.keyboard.press('Enter');
  await heading(page, 'Patients');
  await dialogClosed();
  release();
  await expect.poll(names).toEqual([GENEVIEVE.name, 'Genevieve Vorlage']);
  expect(await field().inputValue()).toBe('genevieve');
  expect(await kept(page)).not.toMatch(SEARCHED);
  await page.unrouteAll({ behavior: 'wait' });
  expectFaultless(page);
});

test('says what still works while the search is off for the organization', async () => {
  const { organizationId } = product.service.practice;
  await product.service.database
    .collection<{ _id: string }>('organizations')
    .updateOne({ _id: organizationId }, { $set: { patientSearch: 'off' } });
  await open();
  await search('Genevieve');
  await page.getByRole('alert').getByText('Find patients by e-mail address or id').waitFor();
  expect(await button('Try again').count()).toBe(0);
  expect(await findingsOf(page)).toEqual([]);
  await search('125041');
  await page.getByRole('alert').getByText('Find patients by e-mail address or id').waitFor();
  await search(GENEVIEVE.email);
  await expect.poll(names).toEqual([GENEVIEVE.name]);
  await search(ids.genevieve);
  await heading(page, GENEVIEVE.name);
  await find('genevieve');
  await page.getByText('Find patients by e-mail address or id').waitFor();
  // The other entries need no search.
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('invoices');
  await entry('Invoices').waitFor();
  expect(await page.getByText('Find patients by e-mail address or id').count()).toBe(0);
  await page.keyboard.press('Escape');
  await dialogClosed();
  await product.service.database
    .collection<{ _id: string }>('organizations')
    .updateOne({ _id: organizationId }, { $unset: { patientSearch: '' } });
  expectFaultless(page, 403);
});

test('the page of a patient shows 200 appointments and the next one, and says when it does not show all', async () => {
  const { clinicIds } = product.service.practice;
  const fields = { clinicId: clinicIds[0], patientId: ids.other };
  const book = async (startTime: Date) =>
    expect(await product.service.call('POST', '/api/appointments', { ...fields, startTime })).toMatchObject({
      status: 200,
    });
  for (let day = 1; day <= 200; day++) await book(new Date(Date.UTC(2020, 0, day, 8)));
  await book(new Date(Date.now() + 86_400_000));
  await page.goto(`${product.url}/records/patients/${ids.other}`);
  const coming = page.getByRole('region', { name: 'Coming appointments 1' });
  await expect.poll(() => coming.getByRole('row').count()).toBe(1 + 1);
  await page.getByRole('region', { name: 'Past appointments 200' }).waitFor();

  // As if the patient had more than 1,000 appointments.
  await page.route('**/api/appointments?*', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { ...response.headers(), 'x-next-cursor': 'more' } });
  });
  await page.reload();
  const note = page.getByText(
    'This patient has more appointments than a page shows, and the latest are not here.',
  );
  await expect.poll(() => note.count()).toBe(2);
  await page.getByRole('region', { name: /^Coming appointments(?! 1)/ }).waitFor();
  await page.unrouteAll({ behavior: 'wait' });
  expectFaultless(page);
});

test('an administrator saves what is stored about a patient, and the browser keeps nothing of it', async () => {
  const { administrator } = product.service.practice;
  await page.goto(`${product.url}/records/patients/${ids.genevieve}`);
  await heading(page, GENEVIEVE.name);
  expect(await button('Export').count()).toBe(0);
  const own = await product.openAs(administrator, `/records/patients/${ids.genevieve}`);
  await heading(own, GENEVIEVE.name);
  const [file] = await Promise.all([
    own.waitForEvent('download'),
    own.getByRole('button', { name: 'Export', exact: true }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(new RegExp(`^patient-${ids.genevieve}-.*\\.json$`));
  const saved = JSON.parse(readFileSync(await file.path(), 'utf8'));
  expect(saved).toMatchObject({ patient: { _id: ids.genevieve, ...GENEVIEVE }, appointments: [] });
  // The parts of the page may have been read after it.
  const exported = { action: 'exported', principal: expect.objectContaining({ id: administrator._id }) };
  expect(saved.reads).toContainEqual(expect.objectContaining(exported));
  expect(await kept(own)).not.toMatch(SEARCHED);
  await own.getByRole('link', { name: 'Who has seen this?' }).click();
  await heading(own, 'Who has seen this?');
  await own.getByText(/^Opened by 2 people/).waitFor();
  const opened = own.getByRole('region', { name: /^Opened/ });
  await opened.getByText(administrator.email).click();
  await opened.getByText('exported the patient').first().waitFor();
  expect(await findingsOf(own)).toEqual([]);
  await own.locator('#content').getByText('Today', { exact: true }).click();
  await own.waitForURL(/since=/);
  await own.setViewportSize({ width: 390, height: 844 });
  expect(await findingsOf(own)).toEqual([]);
  expect(await kept(own)).not.toMatch(SEARCHED);
  expectFaultless(own);
  await own.context().close();
});
