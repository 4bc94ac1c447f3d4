import { durationMinutes, id, type Procedure, type Provider } from '@chairside/domain';
import type { OrganizationSchedule } from '@chairside/mongodb/schedule';
import {
  type FreeSlots,
  findSlots,
  isKnownZone,
  localTimeIn,
  MAX_SLOT_DAYS,
  noSlotReasons,
  openingHoursOf,
  type SlotSearch,
  type SlotSettings,
  slotWindow,
} from '@chairside/schedule';
import { z } from 'zod';
import { clinicId, days, isCut, NO_CLINIC, providerId, time, timeZone, withinDays } from './arguments.ts';
import { defineTool, firstRows, refused, resultOf, type ToolContext } from './tool.ts';

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
      .describe('Id of a provider, from list_providers: leaves out the times in which the provider is away.'),
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
      'Why there is no slot. no_time_zone, no_opening_hours: a setting of the clinic is missing. closed: not open on these days. too_long: no opening is as long as the slot. past: all slots have begun. blocked: calendar blocks cover the rest. fully_booked: appointments fill all chairs.',
    ),
});

const NO_PROCEDURE =
  'procedureId: this clinic offers no procedure with this id. Call list_procedures with the clinicId for the ids.';
const NO_PROVIDER =
  'providerId: no provider with this id works at this clinic. Call list_providers with the clinicId for the ids.';
const TOO_MANY = 'There are too many appointments or calendar blocks on these days. Ask for fewer days.';

const isOffered = (procedure: Procedure | undefined, clinic: string): boolean =>
  procedure !== undefined && (procedure.clinicIds?.includes(clinic) ?? true);
const worksAt = (provider: Provider | undefined, clinic: string): boolean =>
  provider?.clinicIds.includes(clinic) === true;

type Spans = readonly { start: Date; end: Date }[];
const inLocalTime = (timezone: string) => {
  const local = localTimeIn(timezone);
  return (spans: Spans) => spans.map(({ start, end }) => ({ start: local(start), end: local(end) }));
};

/**
 * Reads the calendar blocks and appointments, and searches for free slots.
 *
 * @returns undefined if there are too many blocks or appointments to read
 */
const search = async (
  { schedule, now }: ToolContext,
  wanted: SlotSearch,
  settings: SlotSettings,
): Promise<FreeSlots | undefined> => {
  const window = settings.hours && slotWindow(settings.timezone, wanted);
  if (window === undefined) return findSlots(wanted, settings, { blocks: [], appointments: [] }, now);
  const range = { clinicId: wanted.clinicId, ...window };
  const [blocks, busy] = await Promise.all([
    schedule.calendarBlocks({ ...range, providerId: wanted.providerId }),
    schedule.busyIntervals(range),
  ]);
  if (blocks.outcome === 'too_many' || busy.outcome === 'too_many') return undefined;
  return findSlots(wanted, settings, { blocks: blocks.rows, appointments: busy.rows }, now);
};

const readSettings = (schedule: OrganizationSchedule, wanted: z.output<typeof input>) =>
  Promise.all([
    schedule.findClinic(wanted.clinicId),
    schedule.openingHours(wanted.clinicId),
    wanted.procedureId === undefined ? undefined : schedule.findProcedure(wanted.procedureId),
    wanted.providerId === undefined ? undefined : schedule.findProvider(wanted.providerId),
  ]);

export const findAvailability = defineTool({
  name: 'find_availability',
  title: 'Find availability',
  description:
    'Finds free slots of a clinic for a procedure, or for a number of minutes, within its opening hours. Nothing is reserved: the practice books the appointment.',
  input,
  output,
  async run(context, wanted) {
    const [clinic, hours, procedure, provider] = await readSettings(context.schedule, wanted);
    if (clinic === undefined) return refused(NO_CLINIC);
    if (wanted.procedureId !== undefined && !isOffered(procedure, clinic._id)) return refused(NO_PROCEDURE);
    if (wanted.providerId !== undefined && !worksAt(provider, clinic._id)) return refused(NO_PROVIDER);

    // The input schema requires either `durationMinutes` or `procedureId`.
    const minutes = wanted.durationMinutes ?? procedure?.durationMinutes ?? 0;
    const { timezone } = clinic;
    const found = await search(context, { ...wanted, durationMinutes: minutes }, { timezone, hours });
    if (found === undefined) return refused(TOO_MANY);
    const result = { timeZone: timezone, durationMinutes: minutes };
    const reason = found.outcome === 'none' ? { reason: found.reason } : {};
    if (!isKnownZone(timezone))
      return resultOf({ ...result, slots: [], isCut: false, openingHours: [], ...reason });
    const local = inLocalTime(timezone);
    const { rows, isCut: more } = firstRows(found.outcome === 'found' ? found.slots : []);
    const opening = hours === undefined ? [] : openingHoursOf({ hours, timezone }, wanted);
    return resultOf({
      ...result,
      slots: local(rows),
      isCut: more,
      openingHours: opening.map(({ date, intervals }) => ({ date, intervals: local(intervals) })),
      ...reason,
    });
  },
});
