import type { Availability, OpeningHours, SetOpeningHours } from '@chairside/client';
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { PAGE_SIZE } from '../../api/page-size.ts';
import { type Day, dayAfter } from '../../clinics/days.ts';
import { clinicOf } from '../../clinics/remembered.ts';
import { clinicsQuery } from '../../clinics/requests.ts';
import { allProvidersQuery } from '../../clinics/settings.ts';
import { hoursQuery, readHours, type StoredHours } from '../../clinics/stored-hours.ts';
import { withPrompts } from '../../session/prompts.ts';
import { changeSeen, undoOwn } from '../../session/seen-change.ts';
import { isSame } from './hours.ts';
import type { ScheduleSearch } from './search.ts';
import { isOfHours, tabOf } from './tabs.ts';

/**
 * Sets the hours of a clinic.
 *
 * @param ifMatch the version that they replace; undefined if they were never set
 * @throws {ChairsideError} with the status 412 if somebody else has set them in the meantime
 */
const setHours = async (
  clinicId: string,
  hours: SetOpeningHours,
  ifMatch: string | undefined,
): Promise<StoredHours> => {
  const options = ifMatch === undefined ? { ifNoneMatch: '*' as const } : { ifMatch };
  const { data, response } = await api.openingHours.set(clinicId, hours, options).withResponse();
  return { hours: data, etag: response.etag };
};

const readVersion = async (clinicId: string) => {
  const found = await readHours(clinicId);
  return { data: found, response: found };
};

/** Sets the hours of a clinic, or returns those that somebody else has set since this version. */
export const saveHours = (clinicId: string, hours: SetOpeningHours, { etag: seen }: StoredHours) =>
  changeSeen<StoredHours>(
    () => readVersion(clinicId),
    ({ etag }) => etag === seen,
    (ifMatch) => setHours(clinicId, hours, ifMatch),
  );

/**
 * Sets the hours of a clinic to those before a change.
 *
 * @param saved the version that the change has made
 * @throws {UnusableInput} if somebody else has changed them since
 */
export const undoHours = (
  clinicId: string,
  before: OpeningHours,
  { etag: saved }: StoredHours,
): Promise<StoredHours> =>
  undoOwn(
    () => readVersion(clinicId),
    ({ etag }) => etag === saved,
    ({ hours }) => hours !== undefined && isSame(hours, before),
    (ifMatch) => setHours(clinicId, before, ifMatch),
  );

export const providersQuery = ({ clinicId, cursor }: ScheduleSearch) =>
  queryOptions({
    queryKey: ['schedule', 'providers', clinicId, cursor],
    queryFn: ({ signal }) =>
      withPrompts(() => api.providers.list({ clinicId }, { pageSize: PAGE_SIZE, signal }).page(cursor)),
    placeholderData: keepPreviousData,
  });

export const proceduresQuery = ({ clinicId, cursor }: ScheduleSearch) =>
  queryOptions({
    queryKey: ['schedule', 'procedures', clinicId, cursor],
    queryFn: ({ signal }) =>
      withPrompts(() => api.procedures.list({ clinicId }, { pageSize: PAGE_SIZE, signal }).page(cursor)),
    placeholderData: keepPreviousData,
  });

const HOUR_MS = 60 * 60_000;
/** The cursor of coming blocks in the address: the hour from which they are listed, and the cursor of the api. */
const COMING_CURSOR = /^(\d+)\.(.+)$/s;

/**
 * One page of blocks: those of a period, or those that have not ended. A cursor is valid only for its filters, so all pages
 * of coming blocks begin at the hour of the first one.
 */
export const blocksQuery = ({ clinicId, providerId, since, until, cursor }: ScheduleSearch) =>
  queryOptions({
    queryKey: ['schedule', 'blocks', clinicId, providerId, since, until, cursor],
    async queryFn({ signal }) {
      const read = (startTime: string | undefined, from: string | undefined) => {
        const filter = { clinicId, providerId, startTime, endTime: until };
        return withPrompts(() => api.calendarBlocks.list(filter, { pageSize: PAGE_SIZE, signal }).page(from));
      };
      if (since !== undefined || until !== undefined) return read(since, cursor);
      const [, first, from = cursor] = COMING_CURSOR.exec(cursor ?? '') ?? [];
      const hour = Number(first ?? Math.floor(Date.now() / HOUR_MS));
      const { nextCursor, ...page } = await read(new Date(hour * HOUR_MS).toISOString(), from);
      return { ...page, nextCursor: nextCursor && `${hour}.${nextCursor}` };
    },
    placeholderData: keepPreviousData,
  });

/** Begins the requests of a part of the page. The page shows a failure. */
export const prefetchSchedule = async (queries: QueryClient, search: ScheduleSearch): Promise<void> => {
  const tab = tabOf(search);
  if (tab === 'providers') return queries.prefetchQuery(providersQuery(search));
  if (tab === 'procedures') return queries.prefetchQuery(proceduresQuery(search));
  if (tab === 'blocks') {
    void queries.prefetchQuery(allProvidersQuery);
    return queries.prefetchQuery(blocksQuery(search));
  }
  if (!isOfHours(tab)) return;
  const clinics = await queries.fetchQuery(clinicsQuery).catch(() => []);
  const clinicId = clinicOf(clinics, search.clinicId)?._id;
  if (clinicId !== undefined) await queries.prefetchQuery(hoursQuery(clinicId));
};

type Slots = { slots: Availability['slots']; reason?: Availability['reason'] | undefined };

/**
 * Reads all slots of a range. A response has a part of them if there are too many; the next request begins with the day
 * on which it ends.
 */
const allSlots = async (first: Day, search: (from: Day) => PromiseLike<Availability>): Promise<Slots> => {
  const { slots, isCut, reason } = await search(first);
  const last = slots.at(-1)?.start.slice(0, 10);
  if (!isCut || last === undefined) return { slots, reason };
  const rest = await allSlots(last, search);
  return { slots: [...slots.filter(({ start }) => start.slice(0, 10) < last), ...rest.slots] };
};

/** The number of days of a preview. */
export const PREVIEW_DAYS = 7;

/** The free slots of a clinic at present, and with other opening hours. Both are between the present appointments. */
export const previewQuery = (clinicId: string, hours: SetOpeningHours, from: Day, durationMinutes: number) =>
  queryOptions({
    queryKey: ['schedule', 'preview', clinicId, hours, from, durationMinutes],
    queryFn: ({ signal }) =>
      withPrompts(async () => {
        const to = dayAfter(from, PREVIEW_DAYS - 1);
        const [before, after] = await Promise.all([
          allSlots(from, (first) =>
            api.findAvailability({ clinicId, from: first, to, durationMinutes }, { signal }),
          ),
          allSlots(from, (first) =>
            api.openingHours.preview(clinicId, { from: first, to, durationMinutes, hours }, { signal }),
          ),
        ]);
        return { before, after };
      }),
    // Appointments change at any time.
    staleTime: 0,
    gcTime: 0,
  });

/** The length of the slots that a block takes, in minutes. */
const TAKEN_MINUTES = 30;

/** The number of free slots on some days, and how many of them overlap a period. */
export const takenQuery = ({
  clinicId,
  providerId,
  startTime,
  endTime,
  from,
  to,
}: {
  clinicId: string;
  providerId: string | null;
  startTime: string;
  endTime: string;
  from: Day;
  to: Day;
}) =>
  queryOptions({
    queryKey: ['schedule', 'taken', clinicId, providerId, startTime, endTime],
    queryFn: ({ signal }) =>
      withPrompts(async () => {
        const { slots } = await allSlots(from, (first) => {
          const search = { clinicId, from: first, to, durationMinutes: TAKEN_MINUTES };
          return api.findAvailability({ ...search, ...(providerId !== null && { providerId }) }, { signal });
        });
        const [start, end] = [Date.parse(startTime), Date.parse(endTime)];
        const taken = slots.filter((slot) => Date.parse(slot.start) < end && Date.parse(slot.end) > start);
        return { free: slots.length, taken: taken.length };
      }),
    staleTime: 0,
    gcTime: 0,
  });
