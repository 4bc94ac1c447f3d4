/*
 * The operations of chairside-admin, for all organizations. This module is the export `@chairside/mongodb/administration`.
 */
import { clock } from '@chairside/domain';
import { type Administration, openAdministration } from '../administration/administration.ts';
import { type Backlog, openBacklog } from '../monitoring/backlog.ts';
import { collectionsOf } from './collections.ts';
import { type SendsMail, sendsMailBy } from './sends-mail.ts';
import { openStoreBase, type StoreBase, type StoreOptions } from './store-base.ts';
import type { StoreParts } from './store-parts.ts';

export type { Administration, Inspection, Inspections } from '../administration/administration.ts';
export type { DeletionReport } from '../administration/delete-organization.ts';
export type { ErasureReport } from '../administration/erase.ts';
export type {
  ImportCounts,
  ImportEvents,
  Importer,
  ImportPreview,
  ImportResult,
  NumberedLine,
  RefusedLine,
} from '../administration/import.ts';
export type { LineOutcome } from '../administration/import-preview.ts';
export type { OutboundFilter } from '../administration/outbound.ts';
export type {
  ListedApiKey,
  ListedClinic,
  ListedDelivery,
  ListedOperator,
  ListedOrganization,
  ListedProgramToken,
  ListedSubscription,
  Overview,
} from '../administration/overview.ts';
export type { SearchReport } from '../administration/patient-search.ts';
export type { Restores, SealReport } from '../administration/restore.ts';
export {
  hasFields,
  type NumberedSettingLine,
  type SettingImportResult,
} from '../administration/setting-import.ts';
export type { WaitingDeliveries } from '../administration/waiting.ts';
export type { RotationReport } from '../encryption/rotation.ts';
export type { SearchState } from '../encryption/search-state.ts';
export type { Usage, UsageRow, Used } from '../preparation/usage.ts';
export type { Stop, StopTarget } from '../stops/stops.ts';

export type EveryOrganizationOfAdmin = {
  organizations: { create(organization: { _id: string; name: string }): Promise<void> };
  sendsMail: SendsMail;
  administration: Administration;
  backlog: Backlog;
};

/** The store of chairside-admin. */
export type AdministrationStore = StoreBase & { everyOrganization: EveryOrganizationOfAdmin };

export const openEveryOrganizationOfAdmin = ({
  database,
  untimedDatabase,
  collections,
  ...parts
}: StoreParts): EveryOrganizationOfAdmin => ({
  organizations: {
    create: async (organization) => {
      await collections.organizations.insertOne({ ...organization, createdTime: clock.now() });
    },
  },
  administration: openAdministration({
    ...parts,
    database: untimedDatabase,
    collections: collectionsOf(untimedDatabase),
  }),
  sendsMail: sendsMailBy(parts.lanes),
  backlog: openBacklog(database, collections.deliveries, collections.subscriptions, collections.mails),
});

/** @param options see {@link openStoreBase} */
export const openAdministrationStore = (options: StoreOptions): AdministrationStore => {
  const { base, parts } = openStoreBase(options);
  return { ...base, everyOrganization: openEveryOrganizationOfAdmin(parts) };
};
