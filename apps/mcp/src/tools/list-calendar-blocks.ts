import { calendarBlockKinds } from '@chairside/domain';
import { countWindow, isKnownZone, localTimeIn, MAX_COUNT_DAYS } from '@chairside/schedule';
import { z } from 'zod';
import { clinicId, days, isCut, NO_CLINIC, NO_TIME_ZONE, time, timeZone, withinDays } from './arguments.ts';
import { defineTool, firstRows, refused, resultOf } from './tool.ts';

const block = z.strictObject({
  start: time,
  end: time,
  kind: z.enum(calendarBlockKinds),
  providerId: z
    .string()
    .optional()
    .describe('The provider whose time is blocked. Absent: the whole clinic is blocked.'),
});

export const listCalendarBlocks = defineTool({
  name: 'list_calendar_blocks',
  title: 'List calendar blocks',
  description:
    'Lists the times in which a clinic, or one of its providers, has no appointments: holidays, breaks, meetings, maintenance. No block is an appointment, and none has a text.',
  input: z.strictObject({ clinicId, ...days(MAX_COUNT_DAYS) }).superRefine(withinDays(MAX_COUNT_DAYS)),
  output: z.strictObject({
    timeZone,
    blocks: z.array(block).describe('In the order of their starts.'),
    isCut: isCut('ask for fewer days'),
  }),
  async run({ schedule }, input) {
    const clinic = await schedule.findClinic(input.clinicId);
    if (clinic === undefined) return refused(NO_CLINIC);
    const { timezone } = clinic;
    if (!isKnownZone(timezone)) return refused(NO_TIME_ZONE);
    const found = await schedule.calendarBlocks({ clinicId: clinic._id, ...countWindow(timezone, input) });
    if (found.outcome === 'too_many')
      return refused('There are too many calendar blocks on these days. Ask for fewer days.');
    const { rows, isCut: more } = firstRows(found.rows);
    const local = localTimeIn(timezone);
    const blocks = rows.map(({ startTime, endTime, kind, providerId }) => ({
      start: local(new Date(startTime)),
      end: local(new Date(endTime)),
      kind,
      providerId,
    }));
    return resultOf({ timeZone: timezone, blocks, isCut: more });
  },
});
