import { type OpeningHours, type OpeningInterval, weekdays } from '@chairside/domain';
import type { Collection } from '../driver/database.ts';
import { findUnique } from '../driver/ferretdb.ts';
import { isDuplicateKey } from '../driver/statements.ts';
import type { Stored } from '../records/record-lists.ts';
import {
  MAX_WRITE_TRIES,
  type OpeningHoursDocument,
  onlyFields,
  type SettingWrite,
} from './practice-settings.ts';

/** The opening hours of the clinics of one organization. */
export type OpeningHoursStore = {
  /** @returns undefined if the hours of this clinic were never set */
  find(clinicId: string): Promise<Stored<OpeningHours> | undefined>;
  /**
   * Replaces the hours of a clinic. The clinic must belong to this organization.
   *
   * @param revisions the revisions that the caller accepts: `none` only hours that were never set; any revision, and
   *   hours that were never set, if absent
   */
  set(
    clinicId: string,
    hours: OpeningHours,
    revisions?: readonly number[] | 'none',
  ): Promise<Exclude<SettingWrite<OpeningHours>, { outcome: 'missing' }>>;
};

const toIntervals = (intervals: readonly OpeningInterval[] = []): OpeningInterval[] =>
  intervals.map(({ opens, closes }) => ({ opens, closes }));

/** The hours in a document, without any other field. */
export const toHours = ({
  weekdays: stored,
  exceptions,
  chairs,
  slotMinutes,
}: OpeningHoursDocument): OpeningHours => ({
  weekdays: Object.fromEntries(
    weekdays.map((day) => [day, toIntervals(stored[day])]),
  ) as OpeningHours['weekdays'],
  exceptions: exceptions.map(({ date, intervals }) => ({ date, intervals: toIntervals(intervals) })),
  chairs,
  slotMinutes,
});

/** @param organizationId every query of the returned repository contains this id */
export const openingHoursOf = (
  collection: Collection<OpeningHoursDocument>,
  organizationId: string,
): OpeningHoursStore => {
  /** @param revision that of the stored hours; undefined if there are none. @returns false if they have changed */
  const write = async (
    one: Pick<OpeningHoursDocument, '_id' | 'organizationId'>,
    hours: OpeningHours,
    revision: number | undefined,
  ): Promise<boolean> => {
    if (revision !== undefined) {
      const filter = { ...one, revision };
      const { matchedCount } = await collection.updateOne(filter, { $set: hours, $inc: { revision: 1 } });
      return matchedCount === 1;
    }
    try {
      await collection.insertOne({ ...one, ...hours, revision: 1 });
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  };

  return {
    async find(clinicId) {
      const found = await findUnique(collection, { _id: clinicId, organizationId });
      return found && { record: toHours(found), revision: found.revision };
    },

    async set(clinicId, hours, revisions) {
      const one = { _id: clinicId, organizationId };
      for (let tries = 0; tries < MAX_WRITE_TRIES; tries++) {
        const current = await findUnique(collection, one, onlyFields(['revision']));
        const revision = current?.revision;
        const isAccepted =
          revisions === 'none'
            ? revision === undefined
            : revisions === undefined || (revision !== undefined && revisions.includes(revision));
        if (!isAccepted) return { outcome: 'stale' };
        if (await write(one, hours, revision))
          return { outcome: 'written', record: hours, revision: (revision ?? 0) + 1 };
      }
      return { outcome: 'busy' };
    },
  };
};
