/**
 * Refreshes the pictures of docs/dashboard.md from the data of a running demo: npm run picture. It creates two
 * subscriptions whose receivers fail and some patients, takes the pictures, and deletes the subscriptions and patients
 * again.
 */
import { mkdirSync } from 'node:fs';
import { FAILING, openDemo, PATIENTS, root } from './demo.ts';

const demo = await openDemo();
try {
  const page = await demo.open({ viewport: { width: 1200, height: 760 }, colorScheme: 'light' });
  for (const url of FAILING) {
    await page
      .getByRole('row')
      .filter({ hasText: new URL(url).host })
      .filter({ hasText: `${PATIENTS} failures in a row` })
      .waitFor();
  }
  await page.reload();
  await page.locator('svg.chart').first().waitFor();
  // The cause of a failure is read after the subscription.
  for (const cause of ['No connection', 'Name lookup failed']) await page.getByText(cause).first().waitFor();
  await page.screenshot({ path: `${root}docs/dashboard.png` });
  mkdirSync(`${root}docs/pictures`, { recursive: true });
  const take = async (name: string): Promise<void> => {
    // The pointer is moved away, so that it highlights nothing.
    await page.mouse.move(1199, 1);
    await page.screenshot({ path: `${root}docs/pictures/${name}.png` });
  };
  const [refused = ''] = FAILING;
  await page
    .getByRole('row')
    .filter({ hasText: new URL(refused).host })
    .getByRole('link', { name: 'See failures' })
    .click();
  // The page before has rows, too.
  await page.getByRole('heading', { level: 1, name: 'Deliveries' }).waitFor();
  await page.getByRole('row').nth(PATIENTS).waitFor();
  await take('deliveries');
  await page.getByRole('row').nth(1).getByRole('link').first().click();
  await page.getByText('What was sent').waitFor();
  await take('delivery');
  await page.goto(`${demo.url}/webhooks/${demo.subscriptionIds[0]}`);
  await page.getByRole('row').nth(PATIENTS).waitFor();
  await take('webhook');
  await page.goto(`${demo.url}/keys`);
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Accounting');
  await take('key');
  await page.goto(`${demo.url}/audit`);
  await page.getByRole('row').nth(1).waitFor();
  await take('audit');
  console.log('the pictures of docs/dashboard.md are refreshed');
} finally {
  await demo.close();
}
