import {
  type ClinicDetails,
  clock,
  isSettingKind,
  nextEditTime,
  type RecordKind,
  type SettingKind,
} from '@chairside/domain';
import { type OperatorAccess, openOperatorAccess } from '../access/operator-access.ts';
import { organizationNameIn } from '../access/organization-document.ts';
import type { Passwords } from '../access/passwords.ts';
import type { ProgramTokenCollections } from '../access/program-tokens.ts';
import { type AuditTrail, beginRun, type Run, type RunAction } from '../audit/audit.ts';
import type { Collection, Database } from '../driver/database.ts';
import { isDatabaseUnavailable } from '../driver/unavailable.ts';
import type { Ciphers } from '../encryption/ciphers.ts';
import type { DataKeys } from '../encryption/data-keys.ts';
import type { SettingDocument } from '../encryption/encryption-check.ts';
import { checkEncryption, encryptionVerdict } from '../encryption/encryption-check.ts';
import {
  type EncryptionInspection,
  inspectEncryption,
  inspectOAuthEncryption,
  type RotationReport,
  rotateEncryption,
} from '../encryption/rotation.ts';
import type { ReadSearchState, SearchState } from '../encryption/search-state.ts';
import { openSecrets, type Secrets } from '../encryption/secrets.ts';
import { checkVault, moveKeys, type VaultParts, vaultProblem } from '../encryption/vault.ts';
import type { LaneRequests } from '../lanes/lane-requests.ts';
import type { MailDocument } from '../mails/mail-document.ts';
import { mailsOf } from '../mails/organization-mails.ts';
import { inspectPrivileges, type Privileges } from '../monitoring/privileges.ts';
import { inspectTopology, type Topology } from '../monitoring/topology.ts';
import { oauthStorageKeys } from '../oauth/storage-keys.ts';
import { checkForm, type FormDocument, inspectForm, storeForm } from '../preparation/database-form.ts';
import {
  applyIndexes,
  buildMissingIndexes,
  type IndexBuild,
  missingIndexes,
} from '../preparation/indexes.ts';
import {
  checkNoProcessRuns,
  type ProcessDocument,
  type RunningProcess,
  runningProcesses,
  usagesOf,
} from '../preparation/running-processes.ts';
import type { Usage } from '../preparation/usage.ts';
import { applyViews, missingViews } from '../preparation/views.ts';
import { type RecordDocument, shapes } from '../records/record-shapes.ts';
import type { EndingDocument } from '../restores/endings.ts';
import { type RestoreState, restoreState, type SequenceDocument } from '../restores/sequence.ts';
import { openStopChanges, type Stop, type StopChanges, type StopDocument } from '../stops/stops.ts';
import {
  type DeletionOptions,
  type DeletionReport,
  deleteOrganization,
  listDeletions,
} from './delete-organization.ts';
import { type ErasureOptions, type ErasureReport, erasePatient } from './erase.ts';
import { type ExportedRecord, exportRecords, exportSettings } from './export.ts';
import { type Importer, importerOf } from './import.ts';
import { type HeldDeliveries, openHeldDeliveries } from './outbound.ts';
import { type Overview, type OverviewCollections, openOverview } from './overview.ts';
import { type SearchReport, type SearchSwitchOptions, switchPatientSearch } from './patient-search.ts';
import { openRestores, type Restores } from './restore.ts';
import { checkSealed, type ResealReport, resealOrganization } from './sealed-checks.ts';
import { type BadValue, countSealed, type PartProgress } from './sealed-parts.ts';
import { mostWaiting, type WaitingDeliveries } from './waiting.ts';

/** The state of the database, for `chairside-admin doctor`. */
export type Inspection = {
  version: string;
  /** The missing indexes as `collection.name`. If the view is missing, its name is in this list too. */
  missingIndexes: string[];
  topology: Topology;
  /** The clock of this machine minus the database's clock, in milliseconds. */
  skewMs: number;
  /** The form of the data (absent in a new database), and why this version cannot work on it, if it cannot. */
  form: { stored?: number; problem?: string };
  /** The registered processes that run. */
  processes: RunningProcess[];
  /** The organizations that are suspended, and the hosts that are blocked. */
  stops: Stop[];
  encryption: 'fresh' | 'opens' | 'refused';
  secrets: EncryptionInspection;
  /** The encryption of what identifies patients. */
  sealed: SealedCheck;
  vault: VaultInspection;
  /** Whether the database was restored from a backup; `unknown` without a vault. */
  restore: RestoreState | 'unknown';
  /** The ids of the organizations whose data keys are missing or cannot be decrypted. */
  unusableKeys: string[];
  /** The state of what the authorization server has stored, if `OAUTH_KEYS` was given. */
  oauth: EncryptionInspection | undefined;
  privileges: Privileges;
};

/**
 * Functions that inspect one part each, so that a part that hangs holds back no other. Each part is inspected once.
 * Inspecting changes nothing.
 */
export type Inspections = { readonly [Part in keyof Inspection]: () => Promise<Inspection[Part]> };

export type SealedCheck = {
  /** How many values were opened, and which documents have one that does not open. */
  opened: number;
  refused: BadValue[];
};

export type VaultInspection = {
  /** Whether the data keys are in a database of their own. */
  hasVault: boolean;
  /** Why the vault does not belong to this database, if it does not. */
  problem: string | undefined;
};

/** How many documents of each part `inspect` opens. */
const SAMPLE = 1000;

/** Returns a function that calls another one at its first call, and returns the same promise each time. */
const once = <T>(inspect: () => Promise<T>): (() => Promise<T>) => {
  let inspecting: Promise<T> | undefined;
  return () => {
    inspecting ??= inspect();
    return inspecting;
  };
};

/** The operations of chairside-admin, for all organizations. */
export type Administration = {
  /**
   * Checks that commands may work on the data of this database. A new database gets the form of this version.
   *
   * @throws {UnusableDatabaseError} if the form of the data is too new or too old
   * @throws {SettingsError} if the encryption keys cannot decrypt the data
   */
  checkDatabase(): Promise<void>;
  /** Whether the organization exists, and is not being deleted. */
  organizationExists(organizationId: string): Promise<boolean>;
  /**
   * Deletes an organization with everything that it has stored.
   *
   * @returns undefined if there is no such organization, and none was deleted
   */
  deleteOrganization(organizationId: string, options: DeletionOptions): Promise<DeletionReport | undefined>;
  /** The deletions of organizations, the oldest first. */
  deletions(): Promise<DeletionReport[]>;
  /** Changes a clinic; `null` clears a field. Clinics have no events. */
  updateClinic(
    organizationId: string,
    clinicId: string,
    changes: ClinicDetails,
    now: Date,
  ): Promise<'updated' | 'missing'>;
  operatorAccess: OperatorAccess;
  /** The organizations that are suspended, and the hosts that are blocked. */
  stops: StopChanges;
  heldDeliveries: HeldDeliveries;
  restores: Restores;
  /** What the running processes were last used for. */
  usages(): Promise<Usage[]>;
  /** The subscriptions with most queued deliveries. */
  mostWaiting(limit: number): Promise<WaitingDeliveries[]>;
  /** Stores the audit entry of an action before it happens. See `AuditTrail.begin`. */
  beginAction(run: Run, action: RunAction): ReturnType<AuditTrail['begin']>;
  overview: Overview;
  importer(run: Run): Importer;
  /**
   * Exports records or settings. An export of settings leaves no audit entry, because settings contain no patient data.
   */
  export(run: Run, kind: RecordKind | SettingKind): AsyncGenerator<ExportedRecord[], void>;
  erasePatient(run: Run, patientId: string, options: ErasureOptions): Promise<ErasureReport>;
  /**
   * Builds missing indexes, one after the other, and creates the view.
   *
   * @param onBuild called before each build
   * @throws {UnusableDatabaseError} if an index or the view exists with another definition
   */
  applyIndexes(onBuild?: (build: IndexBuild) => void): Promise<{ created: string[] }>;
  rotateEncryption(onPage: (done: number) => void): Promise<RotationReport>;
  /**
   * The number of documents that `checkSealed` examines, or `rotateDataKey` with the id of an organization. One that has
   * several sealed parts counts for each.
   */
  countSealed(organizationId?: string): Promise<number>;
  /** Opens everything that is stored sealed. */
  checkSealed(onProgress: PartProgress): Promise<SealedCheck>;
  /** Creates another data key for an organization, and seals its data again with it. */
  rotateDataKey(organizationId: string, onProgress: PartProgress): Promise<ResealReport>;
  /** See {@link switchPatientSearch}. */
  switchPatientSearch(
    organizationId: string,
    wanted: 'on' | 'off',
    options: SearchSwitchOptions,
  ): Promise<SearchReport>;
  /** Whether the patients of an organization can be found by name and telephone number. */
  patientSearchState(organizationId: string): Promise<SearchState>;
  /**
   * Moves the data keys into a vault of its own.
   *
   * @returns the number of moved keys
   * @throws {UnusableDatabaseError} while a process runs
   */
  moveKeys(): Promise<number>;
  /** @param oauthKeys the value of `OAUTH_KEYS`, to examine what it encrypts, too */
  inspect(oauthKeys?: string): Inspections;
};

const updateClinic =
  (database: Database): Administration['updateClinic'] =>
  async (organizationId, clinicId, changes, now) => {
    const collection = database.collection<RecordDocument>(shapes.clinic.collection);
    const given = Object.entries(changes).filter(([, value]) => value !== undefined);
    const set = given.filter(([, value]) => value !== null);
    const cleared = given.filter(([, value]) => value === null).map(([field]) => [field, ''] as const);
    for (;;) {
      const one = { _id: clinicId, organizationId };
      const current = await collection.findOne(one, { projection: { revision: 1, lastEditTime: 1 } });
      if (current === null) return 'missing';
      const lastEditTime = new Date(nextEditTime(now, current.lastEditTime.toISOString()));
      const { matchedCount } = await collection.updateOne(
        { ...one, revision: current.revision },
        {
          $set: { ...Object.fromEntries(set), lastEditTime },
          ...(cleared.length > 0 && { $unset: Object.fromEntries(cleared) }),
          $inc: { revision: 1 },
        },
      );
      if (matchedCount === 1) return 'updated';
    }
  };

/** The names of the missing indexes and views. */
const missingParts = async (database: Database): Promise<string[]> => [
  ...(await missingIndexes(database.driver)),
  ...(await missingViews(database.driver)),
];

export type AdministrationParts = {
  database: Database;
  collections: Omit<OverviewCollections, 'clinics'> &
    ProgramTokenCollections & {
      settings: Collection<SettingDocument>;
      databaseForm: Collection<FormDocument>;
      processes: Collection<ProcessDocument>;
      mails: Collection<MailDocument>;
      endings: Collection<EndingDocument>;
      sequence: Collection<SequenceDocument>;
      stops: Collection<StopDocument>;
    };
  laneRequests: LaneRequests;
  trail: AuditTrail;
  secrets: Secrets;
  ciphers: Ciphers;
  dataKeys: DataKeys;
  searchState: ReadSearchState;
  vaultParts: VaultParts;
  passwords: Passwords;
};

export const openAdministration = ({
  database,
  collections,
  laneRequests,
  trail,
  secrets,
  ciphers,
  dataKeys,
  searchState,
  vaultParts,
  passwords,
}: AdministrationParts): Administration => {
  const { databaseForm, organizations, processes, settings } = collections;
  const databases = { database, vault: vaultParts.vault ?? database };
  const inspectVault = async (): Promise<VaultInspection> => {
    const problem = await vaultProblem(vaultParts).catch((error: unknown) => {
      if (isDatabaseUnavailable(error)) throw error;
      return 'ENCRYPTION_KEYS cannot decrypt which vault belongs to this database.';
    });
    return { hasVault: vaultParts.vault !== undefined, problem };
  };
  return {
    async checkDatabase() {
      await checkForm(databaseForm);
      await storeForm(databaseForm);
      await checkEncryption(settings, secrets);
      await checkVault(vaultParts);
    },
    async organizationExists(organizationId) {
      const kept = { _id: organizationId, deletingSince: { $exists: false } };
      return (await organizations.findOne(kept, { projection: { _id: 1 } })) !== null;
    },
    deleteOrganization: (organizationId, options) =>
      deleteOrganization(database, dataKeys, organizationId, options),
    deletions: () => listDeletions(database),
    updateClinic: updateClinic(database),
    operatorAccess: openOperatorAccess(collections, passwords, secrets, trail, (organizationId) => ({
      mails: mailsOf(collections.mails, () => ciphers.of(organizationId), organizationId),
      organizationName: () => organizationNameIn(database, organizationId),
    })),
    stops: openStopChanges(collections.stops),
    heldDeliveries: openHeldDeliveries(collections.deliveries, laneRequests, trail),
    restores: openRestores({
      ...collections,
      database,
      trail,
      dataKeys,
      sequenceParts: { ...collections, vault: vaultParts.vault },
    }),
    usages: () => usagesOf(database, processes),
    mostWaiting: (limit) => mostWaiting(collections.deliveries, limit),
    beginAction: (run, action) => beginRun(trail, run, action),
    overview: openOverview(
      { ...collections, clinics: database.collection(shapes.clinic.collection) },
      ciphers,
    ),
    importer: (run) => importerOf(database, trail, ciphers, run),
    export: (run, kind) =>
      isSettingKind(kind)
        ? exportSettings(database, run, kind)
        : exportRecords(database, trail, ciphers, run, kind),
    erasePatient: (run, patientId, options) => erasePatient(database, trail, run, patientId, options),
    async applyIndexes(onBuild = () => {}) {
      const views = await missingViews(database.driver);
      const created = await buildMissingIndexes(database.driver, onBuild);
      // Nothing is missing now. This call refuses indexes with another definition.
      await applyIndexes(database.driver);
      await applyViews(database.driver);
      return { created: [...created, ...views] };
    },
    rotateEncryption: (onPage) => rotateEncryption(databases, secrets, onPage),
    countSealed: (organizationId) => countSealed(database, organizationId),
    checkSealed: (onProgress) => checkSealed(database, ciphers, onProgress),
    async rotateDataKey(organizationId, onProgress) {
      const { current } = await dataKeys.read(organizationId);
      await dataKeys.addAfter(organizationId, current);
      ciphers.forget(organizationId);
      return resealOrganization(database, ciphers, organizationId, onProgress);
    },
    switchPatientSearch: (organizationId, wanted, options) =>
      switchPatientSearch({ database, processes, ciphers, searchState }, organizationId, wanted, options),
    patientSearchState: searchState,
    async moveKeys() {
      await checkNoProcessRuns(database, processes);
      return moveKeys(vaultParts);
    },
    inspect(oauthKeys) {
      const vault = once(inspectVault);
      return {
        version: once(async () => (await database.driver.admin().command({ buildInfo: 1 })).version),
        missingIndexes: once(() => missingParts(database)),
        topology: once(() => inspectTopology(database.driver)),
        skewMs: once(async () => clock.skewMs() ?? 0),
        form: once(() => inspectForm(databaseForm)),
        processes: once(() => runningProcesses(database, processes)),
        stops: openStopChanges(collections.stops).list,
        encryption: once(() => encryptionVerdict(settings, secrets)),
        secrets: once(() => inspectEncryption(databases, secrets)),
        vault,
        restore: once(async () =>
          vaultParts.vault === undefined || (await vault()).problem !== undefined
            ? 'unknown'
            : restoreState({ ...collections, vault: vaultParts.vault }),
        ),
        // Without the vault of this database, nothing could be opened.
        sealed: once(async () =>
          (await vault()).problem === undefined
            ? checkSealed(database, ciphers, () => {}, SAMPLE)
            : { opened: 0, refused: [] },
        ),
        unusableKeys: once(async () => ((await vault()).problem === undefined ? dataKeys.unusable() : [])),
        oauth: once(async () =>
          oauthKeys === undefined
            ? undefined
            : inspectOAuthEncryption(database, openSecrets(oauthStorageKeys(oauthKeys))),
        ),
        privileges: once(() => inspectPrivileges(database.driver)),
      };
    },
  };
};
