import type { Appointment, Clinic, Provider } from '@chairside/client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Day, dayAfter } from '../../clinics/days.ts';
import { weekdayOf } from '../../clinics/hours.ts';
import { allProvidersQuery } from '../../clinics/settings.ts';
import { inside, spanOfBlock } from '../../clinics/spans.ts';
import { hoursQuery } from '../../clinics/stored-hours.ts';
import { isKnownZone } from '../../clinics/zone.ts';
import { byName } from '../../language.ts';
import { type Axis, axisOf, MINUTE_MS, spanOf } from './axis.ts';
import { type Column, columnsOf, type DayParts, isCanceled, type Taken, type Timed } from './columns.ts';
import { type Opening, openingsOf } from './opening.ts';
import { blocksQuery, dayQuery, type Elsewhere, elsewhereQuery } from './requests.ts';

/** The length of an appointment without an end, and of a free time, in minutes, if hours were never set. */
const SLOT_MINUTES = 15;

/** Stands for a clinic that is not chosen yet. Nothing of it is read. */
const NO_CLINIC: Clinic = { _id: '', lastEditTime: '' };

/** A day as the page shows it. */
export type ShownDay = {
  axis: Axis;
  parts: DayParts;
  columns: Column[];
  /** All appointments of the day in the order of time. */
  appointments: readonly Timed[];
  slotMinutes: number;
  /** The number of requests on later days. */
  later: number;
  /** The end of the day. */
  end: number;
};

/** The providers of a clinic in the order of their names. */
const ofClinic = (providers: readonly Provider[], clinicId: string): Provider[] =>
  providers
    .filter(({ clinicIds }) => clinicIds.includes(clinicId))
    .sort((one, other) => byName(one.name, other.name));

const minutesAfter = (start: string, minutes: number): number => Date.parse(start) + minutes * MINUTE_MS;

const timedOf = (appointments: readonly Appointment[], slotMinutes: number): Timed[] =>
  appointments
    .flatMap((appointment): Timed[] => {
      const { startTime, endTime } = appointment;
      if (startTime === undefined) return [];
      const end = endTime === undefined ? minutesAfter(startTime, slotMinutes) : Date.parse(endTime);
      return [{ appointment, start: Date.parse(startTime), end }];
    })
    .sort((a, b) => a.start - b.start);

const takenOf = ({ blocks }: Opening, elsewhere: readonly Elsewhere[], slotMinutes: number): Taken[] => [
  ...blocks.map(
    (each): Taken => ({
      ...spanOfBlock(each),
      providerId: each.providerId,
      kind: each.kind,
      clinicId: each.clinicId,
    }),
  ),
  ...elsewhere.flatMap(({ startTime, endTime, ...each }): Taken[] => {
    if (startTime === undefined) return [];
    const end = endTime === undefined ? minutesAfter(startTime, slotMinutes) : Date.parse(endTime);
    return [{ ...each, start: Date.parse(startTime), end }];
  }),
];

const shownDay = (
  { _id, timezone }: Clinic,
  day: Day,
  opening: Opening,
  read: {
    providers: readonly Provider[];
    appointments: readonly Appointment[];
    elsewhere: readonly Elsewhere[];
    later: number;
  },
): ShownDay => {
  const { slotMinutes = SLOT_MINUTES, chairs = 1 } = opening.hours ?? {};
  const appointments = timedOf(read.appointments, slotMinutes);
  const isPlaced = opening.hours !== undefined && timezone !== undefined && isKnownZone(timezone);
  const openings = isPlaced ? openingsOf(opening, day) : undefined;
  const booked = appointments.filter((each) => !isCanceled(each));
  const axis = axisOf(day, timezone, [...(openings ?? []), ...booked]);
  const parts: DayParts = {
    axis,
    openings,
    chairs,
    appointments,
    taken: inside(takenOf(opening, read.elsewhere, slotMinutes), spanOf(day, timezone)),
    providers: ofClinic(read.providers, _id),
  };
  const { end } = spanOf(day, timezone);
  return { axis, parts, columns: columnsOf(parts), appointments, slotMinutes, later: read.later, end };
};

/**
 * Reads a day of a clinic.
 *
 * @param clinic undefined until it is chosen
 * @returns `opening` and `day`, which are undefined until they are read
 */
export const useDay = (clinic: Clinic = NO_CLINIC, day: Day) => {
  const { _id, timezone } = clinic;
  const isChosen = clinic !== NO_CLINIC;
  const monday = dayAfter(day, -weekdayOf(day));
  const hours = useQuery({ ...hoursQuery(_id), enabled: isChosen });
  const blocks = useQuery({ ...blocksQuery(clinic, monday), enabled: isChosen });
  const providers = useQuery(allProvidersQuery);
  const appointments = useQuery({ ...dayQuery(clinic, day), enabled: isChosen });
  const elsewhere = useQuery(elsewhereQuery(clinic, day, isChosen ? providers.data : undefined));
  const all = [hours, blocks, providers, appointments, elsewhere];
  const opening = useMemo(
    (): Opening | undefined =>
      hours.data && blocks.data && { hours: hours.data.hours, blocks: blocks.data, timeZone: timezone },
    [hours.data, blocks.data, timezone],
  );
  const shown = useMemo(() => {
    if (!opening || !providers.data || !appointments.data || !elsewhere.data) return undefined;
    const read = { providers: providers.data, elsewhere: elsewhere.data, ...appointments.data };
    return shownDay(clinic, day, opening, read);
  }, [clinic, day, opening, providers.data, appointments.data, elsewhere.data]);
  return {
    monday,
    /** The names of the columns, as far as they are known before the day is read. */
    providers: ofClinic(providers.data ?? [], _id).map(({ name }) => name),
    opening,
    day: shown,
    error: all.map(({ error }) => error).find((error) => error !== null) ?? null,
    isFetching: appointments.isFetching,
    refetch: () => Promise.all(all.map((each) => each.refetch())),
  };
};
