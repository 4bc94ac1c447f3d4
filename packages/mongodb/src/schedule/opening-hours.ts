import { type OpeningHours, type OpeningInterval, weekdays } from '@chairside/domain';
import type { Collection } from 'mongodb';
import { findUnique } from '../driver/ferretdb.ts';
import type { Stored } from '../records/records.ts';
import { type OpeningHoursDocument, revisionOf } from './practice-settings.ts';

/** The opening hours of the clinics of one organization. */
export type OpeningHoursStore = {
  /** @returns undefined if the hours of this clinic were never set */
  find(clinicId: string): Promise<Stored<OpeningHours> | undefined>;
  /** Replaces the hours of a clinic. The clinic must belong to this organization. */
  set(clinicId: string, hours: OpeningHours): Promise<void>;
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
): OpeningHoursStore => ({
  async find(clinicId) {
    const found = await findUnique(collection, { _id: clinicId, organizationId });
    return found && { record: toHours(found), revision: revisionOf(found) };
  },

  async set(clinicId, hours) {
    await collection.updateOne(
      { _id: clinicId, organizationId },
      { $set: hours, $inc: { revision: 1 } },
      { upsert: true },
    );
  },
});
