/**
 * Refreshes the pictures of docs/dashboard.md from the data of a running demo: npm run picture. It creates two
 * subscriptions whose receivers fail and some patients, takes the pictures, and deletes the subscriptions and patients
 * again.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Chairside } from '@chairside/client';
import { findBrowser } from '@chairside/local-services';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const FAILING = ['http://127.0.0.1:1/webhooks', 'https://receiver.invalid/webhooks'];
/** The number of patients whose deliveries fail. */
const PATIENTS = 5;

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
const browser = await findBrowser({ onProgress: console.log });
const opened = await chromium.launch({
  executablePath: browser.binary,
  args: [...browser.arguments],
  env: browser.environment as Record<string, string>,
});
try {
  const page = await opened.newPage({
    viewport: { width: 1200, height: 760 },
    colorScheme: 'light',
    locale: 'en-GB',
  });
  await page.goto(dashboard);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  for (const url of FAILING) {
    await page
      .getByRole('listitem')
      .filter({ hasText: `${url} fails: ${PATIENTS} failures` })
      .waitFor();
  }
  await page.reload();
  await page.locator('svg.chart').waitFor();
  await page.screenshot({ path: `${root}docs/dashboard.png` });
  mkdirSync(`${root}docs/pictures`, { recursive: true });
  const take = async (name: string): Promise<void> => {
    // The pointer is moved away, so that it highlights nothing.
    await page.mouse.move(1199, 1);
    await page.screenshot({ path: `${root}docs/pictures/${name}.png` });
  };
  const [refused = ''] = FAILING;
  await page.getByRole('link', { name: refused }).click();
  await page.getByRole('row').nth(PATIENTS).waitFor();
  await take('deliveries');
  await page.getByRole('row').nth(1).getByRole('link').click();
  await page.getByText('What was sent').waitFor();
  await take('delivery');
  const [subscription] = subscriptions;
  await page.goto(`${dashboard}/webhooks/${subscription?._id}`);
  await page.getByRole('row').nth(PATIENTS).waitFor();
  await take('webhook');
  await page.goto(`${dashboard}/keys`);
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Accounting');
  await take('key');
  await page.goto(`${dashboard}/audit`);
  await page.getByRole('row').nth(1).waitFor();
  await take('audit');
  console.log('the pictures of docs/dashboard.md are refreshed');
} finally {
  await opened.close();
  await Promise.all(subscriptions.map(({ _id }) => administrator.webhookSubscriptions.delete(_id)));
  await Promise.all(patients.map(({ _id }) => program.patients.delete(_id)));
}
