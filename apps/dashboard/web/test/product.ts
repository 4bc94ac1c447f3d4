import { randomBytes } from 'node:crypto';
import { findBrowser, type Browser as Program } from '@chairside/local-services';
import { freePort } from '@chairside/processes';
import {
  LONGEST_WAIT_MS,
  type ServiceProcess,
  startProcess,
  startWholeService,
  type TestOperator,
  testEngines,
  type WholeService,
} from '@chairside/test-support';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';
import { expect } from 'vitest';

/**
 * A page that records its faults: errors and warnings of the console, errors of scripts, dialogs, and requests to other
 * origins.
 */
export type WatchedPage = Page & {
  /** The faults so far. The page adds to this array, so a test empties it and never replaces it. */
  readonly errors: string[];
};

/** Api, dispatcher, receiver, dashboard and a browser: the whole product. */
export type Product = {
  service: WholeService;
  dashboard: ServiceProcess;
  /** The address of the dashboard. */
  url: string;
  browser: Browser;
  /** Opens a page of a new browser session. */
  open(path: string, options?: BrowserContextOptions): Promise<WatchedPage>;
  /** Opens a page for an operator who signs in on the way. */
  openAs(operator: TestOperator, path: string, options?: BrowserContextOptions): Promise<WatchedPage>;
  close(): Promise<void>;
};

const launch = ({ binary, arguments: args, environment }: Program): Promise<Browser> =>
  chromium.launch({
    executablePath: binary,
    args: [...args],
    env: Object.fromEntries(
      Object.entries(environment).flatMap(([name, value]) => (value ? [[name, value]] : [])),
    ),
  });

let launched: Promise<Browser> | undefined;

/** The browser that all files of a worker share. It ends with the worker. */
const sharedBrowser = (): Promise<Browser> => {
  launched ??= findBrowser({ onProgress: console.log }).then(launch);
  return launched;
};

const watch = (page: Page, origin: string): WatchedPage => {
  const errors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      errors.push(`${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('dialog', (dialog) => {
    errors.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) errors.push(`request to ${request.url()}`);
  });
  return Object.assign(page, { errors });
};

/**
 * The page Schedule, the focus on its link, and the first steps of a practice request opening hours, which are 404 if they
 * were never set.
 */
const UNSET_HOURS = /a status of 404 .*\/openinghours$/;

/** Expects no faults except responses with these statuses, and empties the list of faults. */
export const expectFaultless = (page: WatchedPage, ...statuses: number[]): void => {
  const isExpected = (fault: string) =>
    UNSET_HOURS.test(fault) || statuses.some((status) => fault.includes(`a status of ${status}`));
  expect(page.errors.filter((fault) => !isExpected(fault))).toEqual([]);
  page.errors.length = 0;
};

/** Sets the opening hours of all clinics. */
export const setHours = async ({ service }: Product, hours: object): Promise<void> => {
  const { administrator, clinicIds } = service.practice;
  for (const clinicId of clinicIds)
    await service.call('PUT', `/api/clinics/${clinicId}/openinghours`, hours, `Token ${administrator.token}`);
};

/** Signs in on the page, and waits for the frame of the pages. */
export const signIn = async (
  page: Page,
  operator: Pick<TestOperator, 'email' | 'password'>,
): Promise<void> => {
  await page.getByLabel('E-mail').fill(operator.email);
  await page.getByLabel('Password', { exact: true }).fill(operator.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.locator('#content').waitFor();
};

/**
 * Holds back the requests of the page to an address.
 *
 * @returns a function that lets them through
 */
export const holdBack = async (page: Page, address: string | RegExp): Promise<() => void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(address, async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
};

/** Signs out with the menu of the person. */
export const signOut = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: /^Account menu/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
};

/** Ticks that a secret that is shown once is kept, and closes its dialog. */
export const keep = async (page: Page): Promise<void> => {
  await page.getByLabel('I have kept it').check();
  await page.getByRole('button', { name: 'Done', exact: true }).click();
};

/** Chooses an action of a row's menu. @param of the name of the row */
export const chooseAction = async (page: Page, of: string, action: string): Promise<void> => {
  await page.getByRole('button', { name: `Actions for ${of}`, exact: true }).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
};

/** Adds a filter to the line of filters. */
export const addFilter = async (page: Page, label: string): Promise<void> => {
  await page.getByRole('button', { name: 'Add filter' }).click();
  await page.getByRole('menuitem', { name: label, exact: true }).click();
};

/** Resolves when the page has this title. */
export const heading = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

export const button = (on: Page | Locator, name: string): Locator =>
  on.getByRole('button', { name, exact: true });

/** A fault of a page: a response with this status. */
export const REFUSED = (status: number): RegExp => new RegExp(`responded with a status of ${status}`);

/** Expects no faults except these, and closes the browser session of the page. */
export const done = async (page: WatchedPage, expected: readonly RegExp[] = []): Promise<void> => {
  const patterns = [UNSET_HOURS, ...expected];
  const errors = page.errors.filter((fault) => !patterns.some((pattern) => pattern.test(fault)));
  expect(errors).toEqual([]);
  await page.context().close();
};

/**
 * @param environment settings of the api and the dispatcher, besides those that they need
 * @param host the host of the dashboard's address; passkeys need a name
 */
export const startProduct = async (
  environment: Record<string, string> = {},
  host: '127.0.0.1' | 'localhost' = '127.0.0.1',
): Promise<Product> => {
  const secret = randomBytes(32).toString('base64url');
  // The api keeps its port when it is started again.
  const [port, apiPort] = [await freePort(), await freePort()];
  const url = `http://${host}:${port}`;
  const [service, browser] = await Promise.all([
    startWholeService(testEngines().redisUrl, {
      environment: { PORT: String(apiPort), PROXY_SECRET: secret, DASHBOARD_URL: url, ...environment },
    }),
    sharedBrowser(),
  ]);
  const dashboard = startProcess('dashboard/server', {
    PORT: String(port),
    METRICS_PORT: '0',
    PUBLIC_URL: url,
    API_URL: service.address,
    PROXY_SECRET: secret,
    MCP_URL: 'https://mcp.example.com/mcp',
    MONGODB_URL: service.url,
    OAUTH_KEYS: `test:${randomBytes(32).toString('base64')}`,
    INTROSPECTION_PORT: '0',
    INTROSPECTION_SECRET: secret,
  });
  await dashboard.logged(({ msg }) => /listening at/.test(msg));

  const contexts: BrowserContext[] = [];
  const product: Product = {
    service,
    dashboard,
    url,
    browser,
    async open(path, options = {}) {
      // The pages are in English, whatever the browser says.
      const context = await browser.newContext({ locale: 'de-DE', timezoneId: 'Europe/Zurich', ...options });
      contexts.push(context);
      context.setDefaultTimeout(LONGEST_WAIT_MS);
      const page = watch(await context.newPage(), url);
      await page.goto(url + path);
      return page;
    },
    async openAs(operator, path, options) {
      const page = await product.open(path, options);
      await signIn(page, operator);
      return page;
    },
    async close() {
      await Promise.all(contexts.map((context) => context.close()));
      await dashboard.end('SIGTERM');
      await service.close();
    },
  };
  return product;
};
