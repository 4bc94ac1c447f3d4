import type { AdministrationStore } from '@chairside/mongodb/administration';
import { createPractice, type DemoOrganization } from './practice.ts';

const NAMES = ['Chairside Demo Practice', 'Second Demo Practice'];

/**
 * Returns the practices of an earlier start, if this database has them. Enables their subscriptions with the receiver's
 * URL.
 */
export const findPractices = async (
  store: AdministrationStore,
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
  return kept.length === NAMES.length ? kept : undefined;
};

/** Creates the practices of a first start. */
export const createPractices = (
  store: AdministrationStore,
  receiverUrl: string,
): Promise<DemoOrganization[]> => Promise.all(NAMES.map((name) => createPractice(store, name, receiverUrl)));
