import type { Appointment, CalendarBlock, Clinic, Provider } from '@chairside/client';
import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { type Day, dayAfter, startOf } from '../../clinics/days.ts';
import { isExpected } from '../../records/appointments.ts';
import { withPrompts } from '../../session/prompts.ts';
import { spanOf } from './axis.ts';

/** The days from the first of a week on whose blocks are read, so that the next open day is known. */
export const BLOCK_DAYS = 35;

/** The filter of what lies in a period. */
const period = ({ start, end }: { start: number; end: number }) => ({
  startTime: new Date(start),
  endTime: new Date(end),
});

/** The blocks of a clinic in a week and the four weeks after it. @param monday the first day of the week */
export const blocksQuery = ({ _id: clinicId, timezone }: Clinic, monday: Day) =>
  queryOptions({
    queryKey: ['schedule', 'blocks of weeks', clinicId, timezone, monday],
    queryFn: ({ signal }): Promise<CalendarBlock[]> => {
      const [start, end] = [monday, dayAfter(monday, BLOCK_DAYS)].map((day) => startOf(day, timezone));
      const filter = { clinicId, ...period({ start: start as number, end: end as number }) };
      return withPrompts(() => api.calendarBlocks.list(filter, { signal }).toArray());
    },
  });

/** A day that follows another one within this time is read only if it is shown for as long. */
const PAUSE_MS = 250;

let opened = { day: '', time: Number.NEGATIVE_INFINITY, isQuick: false };

/**
 * Waits for the day at which somebody stops who goes through many days, because each day that is read leaves audit entries.
 * The query of a day that is left is aborted.
 */
const untilStopped = async (day: Day): Promise<void> => {
  const time = performance.now();
  if (opened.day !== day) opened = { day, time, isQuick: time - opened.time < PAUSE_MS };
  if (opened.isQuick) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
};

/** The appointments of a day, and the number of requests on later days: at most `MAX_LATER`. */
export type DayOfAppointments = { appointments: Appointment[]; later: number };

/** At most this many requests on later days are counted. */
export const MAX_LATER = 100;

/**
 * The appointments of a clinic on a day in its zone. They are read only at the request of a person, because reads leave audit
 * entries.
 */
export const dayQuery = ({ _id: clinicId, timezone }: Clinic, day: Day) =>
  queryOptions({
    queryKey: ['day', clinicId, timezone, day],
    async queryFn({ signal }): Promise<DayOfAppointments> {
      const { start, end } = spanOf(day, timezone);
      const later = {
        clinicId,
        status: ['REQUESTED' as const],
        startTime: new Date(end),
        fields: ['_id'] as const,
      };
      await untilStopped(day);
      const [appointments, page] = await withPrompts(() =>
        Promise.all([
          api.appointments.list({ clinicId, ...period({ start, end }) }, { signal }).toArray(),
          api.appointments.list(later, { pageSize: MAX_LATER, signal }).page(),
        ]),
      );
      return { appointments, later: page.data.length };
    },
    refetchOnWindowFocus: false,
  });

/** What a provider does elsewhere: a block, or an appointment, of which only the time is read. */
export type Elsewhere = Pick<Appointment, 'clinicId' | 'startTime' | 'endTime'> & {
  providerId: string;
  kind: CalendarBlock['kind'] | undefined;
};

const FIELDS = ['clinicId', 'startTime', 'endTime', 'status'] as const;

/** What the providers of a clinic who also work at others do there on a day. */
export const elsewhereQuery = (
  { _id: clinicId, timezone }: Clinic,
  day: Day,
  providers: readonly Provider[] | undefined,
) => {
  const ids = (providers ?? [])
    .filter(({ clinicIds }) => clinicIds.length > 1 && clinicIds.includes(clinicId))
    .map(({ _id }) => _id);
  return queryOptions({
    queryKey: ['day', 'elsewhere', clinicId, timezone, day, ids],
    async queryFn({ signal }): Promise<Elsewhere[]> {
      const filter = period(spanOf(day, timezone));
      if (ids.length > 0) await untilStopped(day);
      const found = await withPrompts(() =>
        Promise.all(
          ids.map(async (providerId) => {
            const [appointments, blocks] = await Promise.all([
              api.appointments.list({ ...filter, providerId, fields: FIELDS }, { signal }).toArray(),
              api.calendarBlocks.list({ ...filter, providerId }, { signal }).toArray(),
            ]);
            const busy = appointments.filter(isExpected);
            return [...busy, ...blocks].map(
              (each): Elsewhere => ({
                ...each,
                clinicId: each.clinicId ?? '',
                providerId,
                kind: 'kind' in each ? each.kind : undefined,
              }),
            );
          }),
        ),
      );
      return found.flat().filter((each) => each.clinicId !== clinicId);
    },
    enabled: providers !== undefined,
    refetchOnWindowFocus: false,
  });
};
