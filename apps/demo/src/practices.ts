import type { Store } from '@chairside/mongodb';
import { createPractice, type DemoOrganization } from './practice.ts';
import { importSettings } from './settings.ts';

const NAMES = ['Chairside Demo Practice', 'Second Demo Practice'];

/**
 * Adds the settings of a new practice to a practice that an earlier version created without settings. Does not change
 * other practices.
 */
const addSettings = async (store: Store, { _id, clinicIds }: DemoOrganization): Promise<void> => {
  const { openingHours } = store.organization(_id);
  const [first = ''] = clinicIds;
  if ((await openingHours.find(first)) !== undefined) return;
  const importer = await store.everyOrganization.administration.importer({ id: 'demo', organizationId: _id });
  await importSettings(importer, { openingHours }, clinicIds, new Date());
};

/**
 * Returns the practices of an earlier start, if this database has them. Enables their subscriptions with the receiver's
 * URL, and adds settings that an earlier version did not have.
 */
export const findPractices = async (
  store: Store,
  kept: readonly DemoOrganization[],
  receiverUrl: string,
): Promise<readonly DemoOrganization[] | undefined> => {
  for (const { _id, webhookSubscriptionId } of kept) {
    const { subscriptions } = store.organization(_id);
    const found = await subscriptions.find(webhookSubscriptionId);
    if (found === undefined) return undefined;
    if (found.url !== receiverUrl || !found.active) {
      await subscriptions.update(webhookSubscriptionId, { url: receiverUrl, active: true }, new Date());
    }
  }
  if (kept.length !== NAMES.length) return undefined;
  for (const practice of kept) await addSettings(store, practice);
  return kept;
};

/** Creates the practices of a first start. */
export const createPractices = (store: Store, receiverUrl: string): Promise<DemoOrganization[]> =>
  Promise.all(NAMES.map((name) => createPractice(store, name, receiverUrl)));
