/**
 * Takes a picture of every page and dialog of a running demo, in light and dark, for a phone and for a desk: npm run
 * screens. The pictures are in .data/screens, which is not in the repository. Names of pages limit them: npm run screens
 * -- keys audit
 */
import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { openDemo, root } from './demo.ts';

const FOLDER = `${root}.data/screens`;
const WIDTHS = [375, 1280];
const wanted = process.argv.slice(2);

mkdirSync(FOLDER, { recursive: true });
const demo = await openDemo();

/** The names of the pictures, the paths of the pages, and what is pressed before. */
const list = async (): Promise<[name: string, path: string, press?: string][]> => {
  const [subscriptionId] = demo.subscriptionIds;
  const [patientId] = demo.patientIds;
  const { data } = await demo.administrator.webhookDeliveries
    .list({ outcome: 'failed' }, { pageSize: 1 })
    .page();
  const delivery = data[0];
  const [appointment] = await demo.administrator.appointments.list({}, { pageSize: 1 }).toArray();
  const [clinic] = await demo.administrator.clinics.list().toArray();
  return [
    ['overview', '/'],
    ['find', '/', 'Find or do…'],
    ['webhooks', '/webhooks'],
    ['webhook', `/webhooks/${subscriptionId}`],
    ['webhook-statistics', `/webhooks/${subscriptionId}?tab=statistics`],
    ['webhook-settings', `/webhooks/${subscriptionId}?tab=settings`],
    ['webhook-redeliveries', `/webhooks/${subscriptionId}?tab=redeliveries`],
    ['webhook-redeliver', `/webhooks/${subscriptionId}`, 'Redeliver…'],
    ['webhook-new', '/webhooks', 'New subscription'],
    ['deliveries', '/deliveries'],
    ['deliveries-recover', '/deliveries', 'Recover…'],
    ['deliveries-empty', '/deliveries?outcome=skipped'],
    ['delivery', `/deliveries/${delivery?._id}`],
    ['events', '/events'],
    ['event', `/events/${delivery?.eventId}`],
    ['patients', '/records/patients'],
    ['patients-list', '/records/patients?view=list'],
    ['patient-seen', `/records/patients/${appointment?.patientId ?? patientId}/seen`],
    ['patient', `/records/patients/${appointment?.patientId ?? patientId}`],
    ['today', `/today?clinicId=${clinic?._id}`],
    ['today-date', `/today?clinicId=${clinic?._id}`, 'Go to date'],
    ['today-choose', '/today'],
    ['appointments', '/records/appointments'],
    ['appointment', `/records/appointments/${appointment?._id}`],
    ['clinics', '/records/clinics'],
    ['clinic', `/records/clinics/${clinic?._id}`],
    ['invoices', '/records/invoices'],
    ['payments', '/records/payments'],
    ['treatments', '/records/treatments'],
    ['schedule', `/schedule?clinicId=${clinic?._id}`],
    ['schedule-preview', `/schedule?clinicId=${clinic?._id}`, 'Preview slots'],
    ['schedule-closed', `/schedule?tab=closed&clinicId=${clinic?._id}`],
    ['schedule-add-days', `/schedule?tab=closed&clinicId=${clinic?._id}`, 'Add days'],
    ['schedule-providers', '/schedule?tab=providers'],
    ['schedule-procedures', '/schedule?tab=procedures'],
    ['schedule-procedure-new', '/schedule?tab=procedures', 'New procedure'],
    ['schedule-blocks', '/schedule?tab=blocks'],
    ['schedule-block-new', '/schedule?tab=blocks', 'New block'],
    ['keys', '/keys'],
    ['key-new', '/keys', 'New key'],
    ['tokens', '/tokens'],
    ['token-new', '/tokens', 'New program token'],
    ['operators', '/operators'],
    ['operator-new', '/operators', 'New operator'],
    ['audit', '/audit'],
    ['connections', '/connections'],
    ['account', '/account'],
    ['missing', '/nothing'],
  ];
};

const settled = async (page: Page): Promise<void> => {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForFunction(() => !document.body.textContent?.includes('Loading'));
};

try {
  const pictures = (await list()).filter(([name]) => wanted.length === 0 || wanted.includes(name));
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of WIDTHS) {
      const page = await demo.open({ colorScheme, viewport: { width, height: 800 } });
      for (const [name, path, press] of pictures) {
        await page.goto(demo.url + path);
        await settled(page);
        if (press !== undefined) {
          await page.getByRole('button', { name: press }).click();
          await page.getByRole('dialog').waitFor();
          await settled(page);
        }
        await page.screenshot({
          path: `${FOLDER}/${name}-${width}-${colorScheme}.png`,
          fullPage: press === undefined,
        });
      }
      await page.context().close();
    }
  console.log(`the pictures are in ${FOLDER}`);
} finally {
  await demo.close();
}
