import { ServiceError } from '@chairside/domain';
import type { OrganizationStore } from './organization-store.ts';

/** The repositories that a program token for some clinics can reach. */
type Reachable =
  | 'subscriptions'
  | 'deliveries'
  | 'statistics'
  | 'events'
  | 'clinics'
  | 'audit'
  | 'idempotency';

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

/**
 * Returns the store of an organization as it is for a program token that names clinics. What belongs to other clinics
 * does not exist in it. The routes need no checks of their own, so none can be forgotten. Every other repository throws.
 */
export const withinClinics = (store: OrganizationStore, clinicIds: readonly string[]): OrganizationStore => {
  const isVisible = (clinicId: string): boolean => clinicIds.includes(clinicId);
  const visible = <T extends { clinicId: string }>(found: T | undefined): T | undefined =>
    found !== undefined && isVisible(found.clinicId) ? found : undefined;

  const subscriptions = (): OrganizationStore['subscriptions'] => {
    const all = store.subscriptions;
    const find = async (id: string) => visible(await all.find(id));
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

  const deliveries = (): OrganizationStore['deliveries'] => {
    const all = store.deliveries;
    const { find } = subscriptions();
    return {
      ...all,
      page: (filter, place, limit) => all.page(within(filter, clinicIds), place, limit),
      examinedTo: (filter, before) => all.examinedTo(within(filter, clinicIds), before),
      find: async (id) => visible(await all.find(id)),
      // A bulk redelivery belongs to the clinic of its subscription. If that is deleted, its clinic is not known.
      findRedelivery: async (subscriptionId, id) =>
        (await find(subscriptionId)) && all.findRedelivery(subscriptionId, id),
      stopRedelivery: async (subscriptionId, id, now) =>
        (await find(subscriptionId)) && all.stopRedelivery(subscriptionId, id, now),
    };
  };

  const events = (): OrganizationStore['events'] => {
    const all = store.events;
    // An event of a record that has moved belongs to two clinics.
    const shown = <E extends { clinicIds: readonly string[] }>(event: E): E => ({
      ...event,
      clinicIds: event.clinicIds.filter(isVisible),
    });
    return {
      ...all,
      async *page(filter, page) {
        for await (const event of all.page(within(filter, clinicIds), page)) yield shown(event);
      },
      examinedTo: (filter, page) => all.examinedTo(within(filter, clinicIds), page),
      async find(id) {
        const found = await all.find(id);
        return found?.clinicIds.some(isVisible) ? shown(found) : undefined;
      },
    };
  };

  const reachable: { [Name in Reachable]: () => OrganizationStore[Name] } = {
    subscriptions,
    deliveries,
    events,
    statistics: () => {
      const { page } = store.statistics;
      return { page: (filter, after, limit) => page(within(filter, clinicIds), after, limit) };
    },
    clinics: () => ({
      ...store.clinics,
      exists: async (id) => isVisible(id) && store.clinics.exists(id),
    }),
    audit: () => store.audit,
    idempotency: () => store.idempotency,
  };
  return new Proxy(store, {
    get(_store, name) {
      const open = reachable[name as Reachable];
      if (open === undefined)
        throw new ServiceError(`A program token for some clinics cannot use ${String(name)}.`);
      return open();
    },
  });
};
