/*
 * All doors of the store in one, for tests and benchmarks. This module is the export `@chairside/mongodb/whole`.
 */
import { type EveryOrganizationOfAdmin, openEveryOrganizationOfAdmin } from './administration-store.ts';
import { type Dispatch, openDispatch } from './dispatch-store.ts';
import { type Credentials, openCredentials } from './store.ts';
import { openStoreBase, type StoreBase, type StoreOptions } from './store-base.ts';

export type EveryOrganization = Credentials & Dispatch & EveryOrganizationOfAdmin;
export type WholeStore = StoreBase & { everyOrganization: EveryOrganization };

/** @param options see {@link openStoreBase} */
export const openWholeStore = (options: StoreOptions): WholeStore => {
  const { base, parts } = openStoreBase(options);
  return {
    ...base,
    everyOrganization: {
      ...openDispatch(parts),
      ...openCredentials(parts),
      ...openEveryOrganizationOfAdmin(parts),
    },
  };
};
