import { id, localDate } from '@chairside/domain';
import { type DayRange, dayRangeProblem } from '@chairside/schedule';
import { z } from 'zod';
import { MAX_ROWS } from './tool.ts';

/*
 * Parts of schemas that several tools share. Assistants read the descriptions to decide which tool to call, and with
 * which arguments.
 */

export const clinicId = id.describe('Id of a clinic, from list_clinics.');
export const providerId = id.describe('Id of a provider, from list_providers.');

/** The first and the last day of a range, for the input schema of a tool. */
export const days = (maxDays: number) => ({
  from: localDate.describe('First day, such as 2030-01-31, in the time zone of the clinic.'),
  to: localDate.describe(
    `Last day, included. At most ${maxDays} days: ask for a longer time in several calls.`,
  ),
});

/** A refinement of the input schema of a tool that has {@link days}. */
export const withinDays =
  (maxDays: number) =>
  (range: DayRange, context: z.RefinementCtx): void => {
    const problem = dayRangeProblem(range, maxDays);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  };

/** @param more what to do if there are more rows */
export const isCut = (more: string) =>
  z.boolean().describe(`Whether there are more than the ${MAX_ROWS} rows of this result. Then ${more}.`);

export const timeZone = z.string().describe('IANA time zone of the clinic.');
/** A time in the zone of the clinic, with its offset from UTC. */
export const time = z.iso.datetime({ offset: true });

/** The message is the same for an id that does not exist and for an id of another organization. */
export const NO_CLINIC = 'clinicId: there is no clinic with this id. Call list_clinics for the ids.';
export const NO_TIME_ZONE =
  'The clinic has no time zone, or one that is not known, so its days have no beginning. The practice must set the time zone of the clinic.';
