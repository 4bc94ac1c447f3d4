import { ServiceError } from '@chairside/domain';
import type { ApiKeys } from '../access/api-keys.ts';
import type { ProgramTokens } from '../access/program-tokens.ts';
import type { DeliveryLog } from '../deliveries/delivery-log.ts';
import type { Events } from '../events/organization-events.ts';
import type { Records } from '../records/records.ts';
import type { OpeningHoursStore } from '../schedule/opening-hours.ts';
import type { OrganizationSchedule } from '../schedule/organization-schedule.ts';
import type { Settings } from '../schedule/settings.ts';
import type { Statistics } from '../statistics/statistics.ts';
import type { Subscriptions } from '../subscriptions/subscriptions.ts';

/**
 * The repositories of an organization as they are for a caller of some clinics. What belongs to other clinics does not
 * exist in them. The routes need no checks of their own, so none can be forgotten. Records have their reach in their own
 * queries (`within` in record-query.ts).
 */

/**
 * The filter for those of the clinics that the caller asks for. A filter by another clinic finds nothing, like a filter by
 * a clinic that does not exist.
 */
const within = <F extends { clinicId?: string | undefined }>(
  { clinicId, ...filter }: F,
  clinicIds: readonly string[],
) => ({
  ...filter,
  clinicIds: clinicId === undefined ? clinicIds : clinicIds.filter((each) => each === clinicId),
});

/** @throws {ServiceError} whatever is called: no route lets a caller of some clinics do this */
const refuse = (): never => {
  throw new ServiceError('A caller of some clinics cannot do this.');
};

const visibleTo =
  (clinicIds: readonly string[]) =>
  <T extends { clinicId: string }>(found: T | undefined): T | undefined =>
    found !== undefined && clinicIds.includes(found.clinicId) ? found : undefined;

/** @param clinics remembers which clinics of the whole organization exist */
export const clinicsWithin = <R>(
  clinics: Records<R>,
  remembered: Pick<Records<R>, 'exists'>,
  clinicIds: readonly string[],
): Records<R> => ({
  ...clinics,
  exists: async (id) => clinicIds.includes(id) && remembered.exists(id),
});

export const subscriptionsWithin = (all: Subscriptions, clinicIds: readonly string[]): Subscriptions => {
  const find = async (id: string) => visibleTo(clinicIds)(await all.find(id));
  return {
    find,
    // Whether a host is new concerns the whole organization. Only the audit log shows it.
    hasHost: all.hasHost,
    list: () => all.list(clinicIds),
    create: (sent, now) => all.create(sent, now),
    replace: async (id, sent, now) =>
      (await find(id)) === undefined ? undefined : all.replace(id, sent, now),
    update: async (id, changes, now, check) =>
      (await find(id)) === undefined ? undefined : all.update(id, changes, now, check),
    delete: async (id, check) => ((await find(id)) === undefined ? undefined : all.delete(id, check)),
  };
};

export const deliveriesWithin = (
  all: DeliveryLog,
  { find }: Pick<Subscriptions, 'find'>,
  clinicIds: readonly string[],
): DeliveryLog => ({
  ...all,
  page: (filter, place, limit) => all.page(within(filter, clinicIds), place, limit),
  examinedTo: (filter, before) => all.examinedTo(within(filter, clinicIds), before),
  find: async (id) => visibleTo(clinicIds)(await all.find(id)),
  // A bulk redelivery belongs to the clinic of its subscription. If that is deleted, its clinic is not known.
  findRedelivery: async (subscriptionId, id) =>
    (await find(subscriptionId)) && all.findRedelivery(subscriptionId, id),
  stopRedelivery: async (subscriptionId, id, now) =>
    (await find(subscriptionId)) && all.stopRedelivery(subscriptionId, id, now),
});

/** @param event an event of a record that has moved belongs to two clinics */
const shownTo =
  (clinicIds: readonly string[]) =>
  <E extends { clinicIds: readonly string[] }>(event: E): E => ({
    ...event,
    clinicIds: event.clinicIds.filter((each) => clinicIds.includes(each)),
  });

export const eventsWithin = (all: Events, clinicIds: readonly string[]): Events => {
  const shown = shownTo(clinicIds);
  return {
    ...all,
    async *page(filter, page) {
      for await (const event of all.page(within(filter, clinicIds), page)) yield shown(event);
    },
    examinedTo: (filter, page) => all.examinedTo(within(filter, clinicIds), page),
    async find(id) {
      const found = await all.find(id);
      const own = found && shown(found);
      return own?.clinicIds.length === 0 ? undefined : own;
    },
  };
};

export const statisticsWithin = ({ page }: Statistics, clinicIds: readonly string[]): Statistics => ({
  page: (filter, after, limit) => page(within(filter, clinicIds), after, limit),
});

/** A setting of one clinic, of some of them, or of all. */
type OfClinics = { clinicId?: string; clinicIds?: readonly string[] | undefined };

/** The settings of the clinics, and those of all clinics. They name no other clinics. */
export const settingsWithin = <S extends OfClinics>(
  all: Settings<S>,
  clinicIds: readonly string[],
): Settings<S> => {
  const shown = (setting: S): S =>
    setting.clinicIds === undefined ? setting : shownTo(clinicIds)(setting as S & { clinicIds: string[] });
  const isVisible = ({ clinicId, clinicIds: named }: S): boolean =>
    clinicId === undefined ? named?.length !== 0 : clinicIds.includes(clinicId);
  return {
    async find(id) {
      const found = await all.find(id);
      const own = found && { ...found, record: shown(found.record) };
      return own && isVisible(own.record) ? own : undefined;
    },
    async *list(filter, fields, signal) {
      for await (const setting of all.list(within(filter, clinicIds), fields, signal)) yield shown(setting);
    },
    page(filter, request, fields) {
      const { rows, stoppedAt } = all.page(within(filter, clinicIds), request, fields);
      return {
        stoppedAt,
        rows: (async function* () {
          for await (const row of rows) yield { ...row, record: shown(row.record) };
        })(),
      };
    },
    create: refuse,
    edit: refuse,
    delete: refuse,
  };
};

export const openingHoursWithin = (
  { find }: OpeningHoursStore,
  clinicIds: readonly string[],
): OpeningHoursStore => ({
  find: async (clinicId) => (clinicIds.includes(clinicId) ? find(clinicId) : undefined),
  set: refuse,
});

/** What a search for free slots reads. A provider is busy also at other clinics. */
export const scheduleWithin = (
  all: OrganizationSchedule,
  clinicIds: readonly string[],
): OrganizationSchedule => {
  const isVisible = (clinicId: string): boolean => clinicIds.includes(clinicId);
  return {
    clinics: refuse,
    providers: refuse,
    procedures: refuse,
    calendarBlocks: refuse,
    appointmentStarts: refuse,
    findClinic: async (clinicId) => (isVisible(clinicId) ? all.findClinic(clinicId) : undefined),
    openingHours: async (clinicId) => (isVisible(clinicId) ? all.openingHours(clinicId) : undefined),
    findProvider: all.findProvider,
    findProcedure: all.findProcedure,
    occupied: async (range, find, signal) =>
      isVisible(range.clinicId) ? all.occupied(range, find, signal) : refuse(),
  };
};

/** The own key of a caller. */
export const apiKeysWithin = ({ find }: ApiKeys): ApiKeys => ({
  find,
  list: refuse,
  create: refuse,
  update: refuse,
  rotate: refuse,
  delete: refuse,
  reveal: refuse,
});

/** The own token of a caller. */
export const programTokensWithin = ({ find }: ProgramTokens): ProgramTokens => ({
  find,
  list: refuse,
  create: refuse,
  end: refuse,
  endOf: refuse,
});
