// Measures how the dashboard's pages react in Chromium: how far the layout shifts, how long a change of pages takes on
// a slow network, how soon a page reacts to a press on a slow processor, and what a load without a cache needs. Usage: pnpm --filter @chairside/bench
// pages [--write "what else ran on the machine"]
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findBrowser, startEngines } from '@chairside/local-services';
import { freePort } from '@chairside/processes';
import { type CDPSession, chromium, type Page } from 'playwright-core';
import { startApp } from '../apps.ts';
import { startReceiver } from '../receiver.ts';
import { machine, optionOf, today } from '../report.ts';
import { openService } from '../service.ts';
import { quantile, spread } from '../statistics.ts';

const ROUNDS = 5;
const EVENTS = 200;
/** The latency that is added to each request in the measurement of route changes. */
const LATENCY_MS = 300;
/** How long the pointer is on a link before the link is pressed. */
const AIM_MS = 150;
/** How many times slower the processor is in the measurement of interactions. */
const SLOWDOWN = 6;
/** How many times slower the processor is in the measurement of loads. */
const LOAD_SLOWDOWN = 4;

/** A list with its rows, and not the grey bars that have their places before. */
const list = (name: string): string => `table[aria-label="${name}"][aria-busy="false"]`;

/**
 * The pages of the navigation. Each has the text of its link, and the selector of an element that exists only when the page
 * shows its data. `Connected apps` has no app here, so it must not follow another page that is empty.
 */
const PAGES: readonly { link: string; filled: string }[] = [
  { link: 'Webhooks', filled: list('Table of subscriptions') },
  { link: 'Deliveries', filled: list('Table of deliveries') },
  { link: 'Events', filled: list('Table of events') },
  { link: 'Records', filled: '.empty' },
  { link: 'Today', filled: '.day-grid .hours-axis' },
  { link: 'Schedule', filled: 'form.hours' },
  { link: 'API keys', filled: list('Table of API keys') },
  { link: 'Access tokens', filled: list('Table of sessions') },
  { link: 'Operators', filled: list('Table of operators') },
  { link: 'Connected apps', filled: '.empty' },
  { link: 'Audit log', filled: list('Table of audit entries') },
  { link: 'Overview', filled: 'svg.chart' },
];

type Entries = { shift: number; interaction: number; task: number };

/** The entries since the last call. */
const take = (page: Page): Promise<Entries> => page.evaluate('takeEntries()');

const filled = async (page: Page, selector: string): Promise<void> => {
  await page.locator(selector).first().waitFor();
  await page.locator('main', { hasText: 'Loading' }).waitFor({ state: 'detached' });
};

/** Changes to a page by its link. Returns the milliseconds from the press until its content is there. */
const change = async (page: Page, { link, filled: selector }: (typeof PAGES)[number]): Promise<number> => {
  const target = page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: link, exact: true });
  await target.hover();
  await page.waitForTimeout(AIM_MS);
  // The page itself measures the time, because pressing and looking from outside take up to 100 ms more.
  const shown = page.evaluate<number>(`untilShown(${JSON.stringify(selector)})`);
  await target.click();
  return await shown;
};

type Measured = {
  loads: number[];
  shifts: number[];
  changes: number[];
  interactions: number[];
  tasks: number[];
  files: number[];
  kilobytes: number[];
};
const nothing = (): Measured => ({
  loads: [],
  shifts: [],
  changes: [],
  interactions: [],
  tasks: [],
  files: [],
  kilobytes: [],
});

/** The files of the document that the browser shows, and all that was transferred for it, in bytes. */
const weigh = (page: Page): Promise<{ files: number; bytes: number }> => page.evaluate('weigh()');

const measureRound = async (
  page: Page,
  devtools: CDPSession,
  results: Map<string, Measured>,
): Promise<void> => {
  for (const target of PAGES) {
    const result = results.get(target.link) ?? nothing();
    results.set(target.link, result);
    await page.mouse.move(640, 5);
    await take(page);
    const latency = { offline: false, latency: LATENCY_MS, downloadThroughput: -1, uploadThroughput: -1 };
    await devtools.send('Network.emulateNetworkConditions', latency);
    result.changes.push((await change(page, target)) / LATENCY_MS);
    result.shifts.push((await take(page)).shift);
    await devtools.send('Network.emulateNetworkConditions', { ...latency, latency: 0 });
    // Press the first control of the page: a button, a select, a field or a summary.
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
    const control = page.locator('main').locator('button, select, input, summary').first();
    if ((await control.count()) > 0) {
      await control.focus();
      await page.keyboard.press('Enter');
      await page.waitForTimeout(500);
      await page.keyboard.press('Escape');
      await page.waitForTimeout(500);
    }
    result.interactions.push((await take(page)).interaction);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: 1 });
    await page.reload();
    await filled(page, target.filled);
    result.loads.push((await take(page)).shift);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: LOAD_SLOWDOWN });
    await devtools.send('Network.setCacheDisabled', { cacheDisabled: true });
    await page.reload();
    await filled(page, target.filled);
    result.tasks.push((await take(page)).task);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: 1 });
    await devtools.send('Network.setCacheDisabled', { cacheDisabled: false });
    const { files, bytes } = await weigh(page);
    result.files.push(files);
    result.kilobytes.push(bytes / 1000);
  }
};

const engines = await startEngines({ ephemeral: true });
const service = await openService(engines.mongodb.url, engines.redis.url);
const receiver = await startReceiver();
const { clinicId } = await service.createClinic([receiver.url]);
const operator = { email: 'bench@example.com', password: randomBytes(12).toString('base64url') };
await service.organization.operators.create({ ...operator, role: 'administrator' }, new Date());
const secret = randomBytes(32).toString('base64url');
const port = String(await freePort());
const url = `http://127.0.0.1:${port}`;
const api = await startApp('api', { ...service.environment, PROXY_SECRET: secret });
const dispatcher = await service.startDispatcher();
const dashboard = await startApp('dashboard', {
  PORT: port,
  PUBLIC_URL: url,
  API_URL: api.url,
  PROXY_SECRET: secret,
});
service.publish(await service.write(clinicId, EVENTS));
await service.untilDone();

const program = await findBrowser({ onProgress: console.log });
const environment = Object.entries(program.environment).flatMap(([name, value]) =>
  value ? [[name, value]] : [],
);
const browser = await chromium.launch({
  executablePath: program.binary,
  args: [...program.arguments],
  env: Object.fromEntries(environment),
});
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
await page.addInitScript({ path: join(import.meta.dirname, 'entries.js') });
await page.goto(url);
await page.getByLabel('E-mail').fill(operator.email);
await page.getByLabel('Password', { exact: true }).fill(operator.password);
await page.getByRole('button', { name: 'Sign in' }).click();
await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
const devtools = await page.context().newCDPSession(page);
await devtools.send('Network.enable');

const links = await page
  .locator('nav[aria-label=Main] a:not([href^="/records/"])')
  .evaluateAll((all) => all.map(({ textContent }) => textContent));
const missing = links.filter((link) => PAGES.every((target) => target.link !== link));
if (missing.length > 0)
  throw new Error(`The pages ${missing.join(', ')} are not measured: add them to PAGES.`);

const results = new Map<string, Measured>();
for (let round = 0; round < ROUNDS; round++) {
  await measureRound(page, devtools, results);
  await page.goto(url);
  await filled(page, 'svg.chart');
}
const table = [
  '| page | layout shift of a load (goal: 0.01) | of a change | change, in round trips (goal: 1) | interaction, ms (goal: 100) | files of a load (goal: below 20) | kB (goal: below 250) | longest task, ms (goal: 100) |',
  '|---|---|---|---|---|---|---|---|',
  ...[...results].map(
    ([name, { loads, shifts, changes, interactions, tasks, files, kilobytes }]) =>
      `| ${name} | ${spread(loads, 3)} | ${spread(shifts, 3)} | ${spread(changes, 2)} | ${spread(interactions, 0)} | ${spread(files, 0)} | ${spread(kilobytes, 0)} | ${spread(tasks, 0)} |`,
  ),
].join('\n');
const worst = (key: keyof Measured): number =>
  quantile(
    [...results.values()].flatMap((each) => each[key]),
    1,
  );
const summary = `Highest: layout shift ${Math.max(worst('loads'), worst('shifts')).toFixed(3)}, change ${worst('changes').toFixed(2)} round trips, interaction ${worst('interactions').toFixed(0)} ms, ${worst('files').toFixed(0)} files, ${worst('kilobytes').toFixed(0)} kB, task ${worst('tasks').toFixed(0)} ms.`;
console.log(`${table}\n\n${summary}`);
await browser.close();
await dashboard.stop();
await dispatcher.stop();
await api.stop();
receiver.stop();
await service.close();
await engines.stop();

const remark = optionOf('--write');
if (remark !== undefined)
  writeFileSync(
    join(import.meta.dirname, 'pages.md'),
    `# The pages of the dashboard

- Command: \`pnpm --filter @chairside/bench pages\`
- Date: ${today()}
- Machine: ${machine()}; everything on it: engines, api, dispatcher, dashboard, browser; ${remark}
- ${browser.version()} of Chromium, 1280 × 800; Node ${process.versions.node}; ${engines.mongodb.source}, without fsync; ${engines.redis.source}
- ${EVENTS} events with their deliveries; ${ROUNDS} rounds, each with a new document. Every figure is the median (lowest to highest).

*Layout shift* is the sum of the entries \`layout-shift\`. *Change* is the time from the press of its
link until the frame with its content, as the page itself measures it, with ${LATENCY_MS} ms added to each request and after the link was pointed at for ${AIM_MS} ms, as a multiple of these ${LATENCY_MS} ms; the work of the
machine is part of it. *Interaction* is the longest entry \`event\` when the first control of the page is pressed, with a
processor ${SLOWDOWN} times slower; the browser reports multiples of 8 ms, and nothing below 16 ms. *Files*, *kB* and *longest task* are
those of a load without a cache, with a processor ${LOAD_SLOWDOWN} times slower: kB of everything that was transferred, over http with gzip, and the longest entry \`longtask\`,
which the browser reports from 50 ms on.

Events and records are requested when their link is pressed, not when it is pointed at, because each read leaves an
audit entry. So their change takes a whole round trip.

${table}

${summary}
`,
  );
