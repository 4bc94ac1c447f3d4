import { durationMinutes, id } from '@chairside/domain';
import {
  type AvailabilityRefusal,
  type AvailabilitySource,
  MAX_SLOT_DAYS,
  noSlotReasons,
  findAvailability as search,
} from '@chairside/schedule';
import { z } from 'zod';
import { clinicId, days, isCut, NO_CLINIC, providerId, time, timeZone, withinDays } from './arguments.ts';
import { defineTool, refused, resultOf } from './tool.ts';

const span = z.strictObject({ start: time, end: time });
const input = z
  .strictObject({
    clinicId,
    ...days(MAX_SLOT_DAYS),
    procedureId: id
      .optional()
      .describe('Id of a procedure, from list_procedures: slots have its duration. Or give durationMinutes.'),
    durationMinutes: durationMinutes
      .optional()
      .describe('Length of a slot in minutes. Or give procedureId. Exactly one of the two is required.'),
    providerId: providerId
      .optional()
      .describe(
        'Id of a provider, from list_providers: leaves out the times in which the provider is away or has an appointment.',
      ),
  })
  .superRefine(withinDays(MAX_SLOT_DAYS))
  .superRefine((value, context) => {
    if ((value.procedureId === undefined) !== (value.durationMinutes === undefined)) return;
    context.addIssue({ code: 'custom', message: 'give either procedureId or durationMinutes' });
  });

const output = z.strictObject({
  timeZone: timeZone.optional(),
  durationMinutes: z.int().describe('Length of each slot.'),
  slots: z.array(span).describe('Free slots in the order of time. They may overlap each other.'),
  isCut: isCut('ask again with the day of the last slot as from'),
  openingHours: z
    .array(z.strictObject({ date: z.string(), intervals: z.array(span) }))
    .describe(
      'When the clinic is open on each day; no intervals: closed. Empty if the hours were never set.',
    ),
  reason: z
    .enum(noSlotReasons)
    .optional()
    .describe(
      'Why there is no slot. no_time_zone, no_opening_hours: a setting of the clinic is missing. closed: not open on these days. too_long: no opening is as long as the slot. past: all slots have begun. blocked: calendar blocks cover the rest. fully_booked: appointments fill all chairs. provider_busy: the provider has other appointments.',
    ),
});

const REFUSALS: Readonly<Record<AvailabilityRefusal, string>> = {
  no_clinic: NO_CLINIC,
  no_procedure:
    'procedureId: this clinic offers no procedure with this id. Call list_procedures with the clinicId for the ids.',
  no_provider:
    'providerId: no provider with this id works at this clinic. Call list_providers with the clinicId for the ids.',
  too_many: 'There are too many appointments or calendar blocks on these days. Ask for fewer days.',
};

export const findAvailability = defineTool({
  name: 'find_availability',
  title: 'Find availability',
  description:
    'Finds free slots of a clinic for a procedure, or for a number of minutes, within its opening hours. Nothing is reserved: the practice books the appointment.',
  input,
  output,
  async run({ schedule, now, gone }, wanted) {
    const source: AvailabilitySource = {
      ...schedule,
      occupied: (range, find) => schedule.occupied(range, find, gone),
    };
    const found = await search(source, wanted, now);
    return found.outcome === 'found' ? resultOf(found.availability) : refused(REFUSALS[found.refusal]);
  },
});
