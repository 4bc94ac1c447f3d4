import type { OpeningHours } from '@chairside/domain';
import type { Collection } from 'mongodb';
import { findUnique } from './ferretdb.ts';
import type { OpeningHoursDocument } from './practice-settings.ts';

/** The opening hours of the clinics of one organization. */
export type OpeningHoursStore = {
  /** @returns undefined if the hours of this clinic were never set */
  find(clinicId: string): Promise<OpeningHours | undefined>;
  /** Replaces the hours of a clinic, which must be one of this organization. */
  set(clinicId: string, hours: OpeningHours): Promise<void>;
};

/** The hours in a document, without its other fields. */
export const toHours = ({
  weekdays,
  exceptions,
  chairs,
  slotMinutes,
}: OpeningHoursDocument): OpeningHours => ({
  weekdays,
  exceptions,
  chairs,
  slotMinutes,
});

/** @param organizationId bound into every query of the result */
export const openingHoursOf = (
  collection: Collection<OpeningHoursDocument>,
  organizationId: string,
): OpeningHoursStore => ({
  async find(clinicId) {
    const found = await findUnique(collection, { _id: clinicId, organizationId });
    return found && toHours(found);
  },

  async set(clinicId, hours) {
    await collection.replaceOne(
      { _id: clinicId, organizationId },
      { ...hours, organizationId },
      { upsert: true },
    );
  },
});
