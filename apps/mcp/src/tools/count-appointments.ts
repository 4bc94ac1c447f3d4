import { type Appointment, appointmentStatuses } from '@chairside/domain';
import { countWindow, isKnownZone, MAX_COUNT_DAYS, openDayCounts } from '@chairside/schedule';
import { z } from 'zod';
import { clinicId, days, NO_CLINIC, NO_TIME_ZONE, timeZone, withinDays } from './arguments.ts';
import { defineTool, refused, resultOf } from './tool.ts';
import { MAX_COUNTED } from './turns.ts';

const count = z.int().min(0);
const byStatus = Object.fromEntries(appointmentStatuses.map((status) => [status, count])) as Record<
  Appointment['status'],
  typeof count
>;
const day = z.strictObject({ date: z.string(), total: count, byStatus: z.strictObject(byStatus) });

const TOO_MANY = 'There are too many appointments on these days. Ask for fewer days.';

export const countAppointments = defineTool({
  name: 'count_appointments',
  title: 'Count appointments',
  description:
    'Counts the appointments of a clinic for each day: in total and by status. It returns numbers only. An appointment belongs to the day on which it begins.',
  input: z.strictObject({ clinicId, ...days(MAX_COUNT_DAYS) }).superRefine(withinDays(MAX_COUNT_DAYS)),
  output: z.strictObject({
    timeZone,
    days: z.array(day).describe('Each day of the range, also days without appointments.'),
  }),
  async run({ schedule, gone }, input) {
    const clinic = await schedule.findClinic(input.clinicId);
    if (clinic === undefined) return refused(NO_CLINIC);
    const { timezone } = clinic;
    if (!isKnownZone(timezone)) return refused(NO_TIME_ZONE);
    const counts = openDayCounts(timezone, input);
    const range = { clinicId: clinic._id, ...countWindow(timezone, input) };
    let read = 0;
    for await (const appointment of schedule.appointmentStarts(range, gone)) {
      if (++read > MAX_COUNTED) return refused(TOO_MANY);
      counts.add(appointment);
    }
    return resultOf({ timeZone: timezone, days: [...counts.days] });
  },
});
