import type { AbandonedDrafts } from '@chairside/mongodb/dispatch';
import type { SweepPart } from './part.ts';

/** How long a booking may take before its process counts as dead. A process that still works on it begins again. */
const DRAFT_LIFE_MS = 10_000;
/** Maximum number of appointments in one step. */
const MAX_APPOINTMENTS = 500;

export type AbandonedDraftsOptions = { abandonedDrafts: AbandonedDrafts };

/** Removes the drafts of bookings whose process crashed, so that their times are free again. */
export const abandonedDrafts = ({ abandonedDrafts: drafts }: AbandonedDraftsOptions): SweepPart => ({
  name: 'drafts',
  async round({ ago, mayContinue }) {
    while ((await drafts.remove(ago(DRAFT_LIFE_MS), MAX_APPOINTMENTS)) > 0 && mayContinue());
    return undefined;
  },
});
