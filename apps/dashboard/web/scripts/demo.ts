import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Chairside } from '@chairside/client';
import { findBrowser } from '@chairside/local-services';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** The folder of the repository, with a slash at its end. */
export const root = fileURLToPath(new URL('../../../..', import.meta.url));

/** The URLs of two receivers that fail. */
export const FAILING = ['http://127.0.0.1:1/webhooks', 'https://receiver.invalid/webhooks'] as const;
/** The number of patients whose deliveries fail. */
export const PATIENTS = 5;

type Facts = {
  api: string;
  dashboard: string;
  organizations: {
    clinicIds: string[];
    apiKey: string;
    administrator: Record<'email' | 'password', string>;
  }[];
};

const readFacts = (): Facts => {
  try {
    return JSON.parse(readFileSync(`${root}.data/demo.json`, 'utf8'));
  } catch {
    throw new Error('There is no demo. Run npm start in another terminal first.');
  }
};

/** A running demo in which two subscriptions fail, and a browser for its dashboard. */
export type Demo = {
  /** The address of the dashboard. */
  url: string;
  administrator: Chairside;
  subscriptionIds: string[];
  patientIds: string[];
  /** Opens a page, signed in as an administrator. */
  open(options: BrowserContextOptions): Promise<Page>;
  /** Deletes what was created, and closes the browser. */
  close(): Promise<void>;
};

const launch = async (): Promise<Browser> => {
  const { binary, arguments: args, environment } = await findBrowser({ onProgress: console.log });
  return chromium.launch({
    executablePath: binary,
    args: [...args],
    env: environment as Record<string, string>,
  });
};

/** Creates subscriptions whose receivers fail, and some patients, in the running demo. */
export const openDemo = async (): Promise<Demo> => {
  const { api, dashboard, organizations } = readFacts();
  const [practice] = organizations;
  const clinicId = practice?.clinicIds[0];
  if (practice === undefined || clinicId === undefined) throw new Error('The demo has no practice.');
  const { email, password } = practice.administrator;
  const { token } = await Chairside.signIn({ baseUrl: api, email, password });
  const administrator = new Chairside({ baseUrl: api, accessToken: token });
  const program = new Chairside({ baseUrl: api, apiKey: practice.apiKey });
  const subscriptions = await Promise.all(
    FAILING.map((url) => administrator.webhookSubscriptions.create({ clinicId, url })),
  );
  const patients = await Promise.all(
    Array.from({ length: PATIENTS }, () => program.patients.create({ clinicId, name: 'Ada Beispiel' })),
  );
  const browser = await launch();
  return {
    url: dashboard,
    administrator,
    subscriptionIds: subscriptions.map(({ _id }) => _id),
    patientIds: patients.map(({ _id }) => _id),
    async open(options) {
      const context = await browser.newContext({ locale: 'en-GB', ...options });
      const page = await context.newPage();
      await page.goto(dashboard);
      await page.getByLabel('E-mail').fill(email);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      return page;
    },
    async close() {
      await browser.close();
      await Promise.all(subscriptions.map(({ _id }) => administrator.webhookSubscriptions.delete(_id)));
      await Promise.all(patients.map(({ _id }) => program.patients.delete(_id)));
    },
  };
};
