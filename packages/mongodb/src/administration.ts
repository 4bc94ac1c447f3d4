import {
  type ClinicDetails,
  isSettingKind,
  nextEditTime,
  type RecordKind,
  type SettingKind,
} from '@chairside/domain';
import type { Db } from 'mongodb';
import type { AuditTrail, Run } from './audit.ts';
import { applyView, isViewMissing, SCHEDULE_BUSY } from './busy-view.ts';
import { type RecordDocument, shapes } from './documents.ts';
import { checkEncryption, encryptionVerdict } from './encryption-check.ts';
import { type ErasureReport, erasePatient } from './erase.ts';
import { type ExportedRecord, exportRecords, exportSettings } from './export.ts';
import { openExternalIds, type SettingDocument } from './external-ids.ts';
import { type Importer, importerOf } from './import.ts';
import { applyIndexes, dropRetiredIndexes, missingIndexes, retiredIndexes } from './indexes.ts';
import { type OperatorAccess, openOperatorAccess } from './operator-access.ts';
import type { OperatorDocument } from './operator-document.ts';
import { type Overview, openOverview } from './overview.ts';
import type { Passwords } from './passwords.ts';
import {
  type EncryptionInspection,
  inspectEncryption,
  type RotationReport,
  rotateEncryption,
} from './rotation.ts';
import type { Secrets } from './secrets.ts';
import type { SessionDocument } from './sessions.ts';

/** The state of the database, for the admin's `doctor` command. Inspecting changes nothing. */
export type Inspection = {
  version: string;
  /** As `collection.name`, like the retired indexes below. The view is in this list too, by its name. */
  missingIndexes: string[];
  /** Indexes of earlier versions. */
  retiredIndexes: string[];
  encryption: 'fresh' | 'opens' | 'refused';
  secrets: EncryptionInspection;
};

/** The operations of the admin's command line, in all organizations. */
export type Administration = {
  /** @throws {SettingsError} when the encryption keys are not those of this database */
  checkEncryption(): Promise<void>;
  organizationExists(organizationId: string): Promise<boolean>;
  /** Changes a clinic; `null` clears a field. Clinics have no events. */
  updateClinic(
    organizationId: string,
    clinicId: string,
    changes: ClinicDetails,
    now: Date,
  ): Promise<'updated' | 'missing'>;
  operatorAccess: OperatorAccess;
  overview: Overview;
  importer(run: Run): Promise<Importer>;
  /** An export of settings leaves no audit entry, because they contain no data of patients. */
  export(run: Run, kind: RecordKind | SettingKind): AsyncGenerator<ExportedRecord[], void>;
  erasePatient(
    run: Run,
    patientId: string,
    options: { keepBilling: boolean; isTrial: boolean },
  ): Promise<ErasureReport>;
  /**
   * Creates missing indexes and the view.
   *
   * @throws {UnusableDatabaseError} if an index or the view exists with another definition
   */
  applyIndexes(): Promise<{ created: string[] }>;
  /** Drops the indexes of earlier versions. Call it only when no process of an earlier version is running. */
  dropRetiredIndexes(): Promise<{ dropped: string[] }>;
  rotateEncryption(onPage: (done: number) => void): Promise<RotationReport>;
  inspect(): Promise<Inspection>;
};

const updateClinic =
  (database: Db): Administration['updateClinic'] =>
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

/** The missing indexes, and the view if it is missing. */
const missingParts = async (database: Db): Promise<string[]> => [
  ...(await missingIndexes(database)),
  ...((await isViewMissing(database)) ? [SCHEDULE_BUSY] : []),
];

export const openAdministration = (
  database: Db,
  trail: AuditTrail,
  secrets: Secrets,
  passwords: Passwords,
): Administration => {
  const settings = database.collection<SettingDocument>('settings');
  return {
    checkEncryption: () => checkEncryption(settings, secrets),
    async organizationExists(organizationId) {
      const organizations = database.collection<{ _id: string }>('organizations');
      return (await organizations.findOne({ _id: organizationId }, { projection: { _id: 1 } })) !== null;
    },
    updateClinic: updateClinic(database),
    operatorAccess: openOperatorAccess(
      database.collection<OperatorDocument>('operators'),
      database.collection<SessionDocument>('sessions'),
      passwords,
      trail,
    ),
    overview: openOverview(database),
    importer: async (run) => importerOf(database, trail, await openExternalIds(settings, secrets), run),
    export: (run, kind) =>
      isSettingKind(kind) ? exportSettings(database, run, kind) : exportRecords(database, trail, run, kind),
    erasePatient: (run, patientId, options) => erasePatient(database, trail, run, patientId, options),
    async applyIndexes() {
      const created = await missingParts(database);
      await applyIndexes(database);
      await applyView(database);
      return { created };
    },
    dropRetiredIndexes: async () => ({ dropped: await dropRetiredIndexes(database) }),
    rotateEncryption: (onPage) => rotateEncryption(database, secrets, onPage),
    async inspect() {
      const { version } = await database.admin().command({ buildInfo: 1 });
      return {
        version,
        missingIndexes: await missingParts(database),
        retiredIndexes: await retiredIndexes(database),
        encryption: await encryptionVerdict(settings, secrets),
        secrets: await inspectEncryption(database, secrets),
      };
    },
  };
};
