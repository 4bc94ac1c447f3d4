import type { Database } from '../driver/database.ts';
import { atMost, byId } from '../driver/statements.ts';
import { type RecordDocument, shapes } from '../records/record-shapes.ts';

/**
 * Matches appointments with drafts. Each search that needs the partial index contains exactly this condition: see
 * `hasOutbox`.
 */
export const hasDrafts = { draftAt: { $gt: new Date(0) } };

/** The drafts of guarded bookings of all organizations. */
export type AbandonedDrafts = {
  /**
   * Removes drafts whose booking was not finished: its process has probably crashed. A booking that still runs then
   * begins again.
   *
   * @param before the drafts that are older
   * @param limit the maximum number of appointments
   * @returns the number of appointments whose drafts were removed
   */
  remove(before: Date, limit: number): Promise<number>;
};

export const openAbandonedDrafts = (database: Database): AbandonedDrafts => {
  const appointments = database.collection<RecordDocument>(shapes.appointment.collection);
  return {
    async remove(before, limit) {
      const abandoned = { draftAt: { ...hasDrafts.draftAt, $lt: before } };
      const found = await appointments
        .find(abandoned, { projection: { organizationId: 1 }, ...atMost(limit, 'drafts') })
        .toArray();
      if (found.length === 0) return 0;
      const among = {
        _id: { $in: found.map(({ _id }) => _id) },
        organizationId: { $in: [...new Set(found.map(({ organizationId }) => organizationId))] },
        ...abandoned,
      };
      // An appointment with the revision 0 was never visible.
      const removed = await appointments.deleteMany({ ...among, revision: 0 }, byId);
      const kept = await appointments.updateMany(
        { ...among, revision: { $gt: 0 } },
        { $unset: { drafts: '', draftAt: '' } },
        byId,
      );
      return removed.deletedCount + kept.modifiedCount;
    },
  };
};
