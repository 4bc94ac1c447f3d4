import { clock, newId } from '@chairside/domain';
import type { OperatorDocument } from '../access/operator-document.ts';
import { withoutCode } from '../access/own-factors.ts';
import { type AuditTrail, beginRun, type RunAction } from '../audit/audit.ts';
import type { Collection, Database } from '../driver/database.ts';
import { deleteUnique } from '../driver/ferretdb.ts';
import type { DataKeyDocument, DataKeys } from '../encryption/data-keys.ts';
import { endedMail, isUnended, type MailDocument } from '../mails/mail-document.ts';
import { forgetFacts } from '../notices/forget.ts';
import type { Ending, EndingKind } from '../restores/endings.ts';
import {
  endSeal,
  passVault,
  type RestoreState,
  restoreState,
  type SequenceDocument,
  type SequenceParts,
  vaultCollections,
} from '../restores/sequence.ts';
import { DELETED_LIFE_MS } from '../subscriptions/subscriptions.ts';
import { type DeletionOptions, deleteOrganization } from './delete-organization.ts';
import { erasePatient } from './erase.ts';

/** How many endings are read at once. */
const PAGE = 1000;

/** What a seal has ended once more, or would end: ids by kind. */
export type SealReport = {
  organizations: string[];
  ended: Partial<Record<EndingKind, string[]>>;
  sessions: number;
  /** Links of invitations and for new passwords. */
  links: number;
  /** Mails that were not sent in the backup. */
  mails: number;
  /** Rows with facts that nobody was told in the backup. They were told since. */
  facts: number;
};

/** As for the deletion of an organization, but `onProgress` is called with the number of endings so far. */
export type SealOptions = DeletionOptions;

/** What is done with a database that was restored from a backup. */
export type Restores = {
  /** Undefined without a vault: then nothing is known. */
  state(): Promise<RestoreState | undefined>;
  /**
   * Ends once more what the vault knows to have ended, and all sessions and links. What waits in the backup keeps waiting;
   * notices that wait are forgotten. The call may be interrupted and repeated.
   *
   * @returns undefined without a vault
   */
  seal(options: SealOptions): Promise<SealReport | undefined>;
  /** Stores that nothing was restored. @returns whether there is a vault */
  none(): Promise<boolean>;
  /** Stores that what waited in the backup is decided about. */
  settle(): Promise<void>;
};

type RestoreParts = {
  database: Database;
  sequence: Collection<SequenceDocument>;
  operators: Collection<OperatorDocument>;
  mails: Collection<MailDocument>;
  trail: AuditTrail;
  dataKeys: Pick<DataKeys, 'destroy'>;
  sequenceParts: SequenceParts;
};

/** How an ending is repeated that deletes one document: its collection, and the action of its audit entry. */
const DELETIONS = {
  apiKey: { collection: 'apiKeys', action: 'deleted', kind: 'apiKey' },
  programToken: { collection: 'programTokens', action: 'token_ended', kind: 'session' },
  connection: { collection: 'connections', action: 'deleted', kind: 'connection' },
  subscription: { collection: 'subscriptions', action: 'deleted', kind: 'webhookSubscription' },
  operator: { collection: 'operators', action: 'deleted', kind: 'operator' },
} as const satisfies Partial<Record<EndingKind, { collection: string } & Omit<RunAction, 'ids'>>>;

type Owned = { _id: string; organizationId: string };

/** Streams the endings that the vault has. */
async function* endingsIn(vault: Database): AsyncGenerator<Ending, void> {
  const { endings } = vaultCollections(vault);
  let last = '';
  for (;;) {
    const page = await endings.find({ _id: { $gt: last } }, { sort: { _id: 1 }, limit: PAGE }).toArray();
    yield* page;
    const end = page.at(-1);
    if (end === undefined) return;
    last = end._id;
  }
}

/** The organizations whose keys are destroyed in the vault, and which this database has. */
const revivedOrganizations = async (database: Database, vault: Database): Promise<string[]> => {
  const destroyed = vault
    .collection<DataKeyDocument>('dataKeys')
    .find({ destroyedTime: { $exists: true } }, { projection: { organizationId: 1 } });
  const ids = new Set<string>();
  for await (const { organizationId } of destroyed) ids.add(organizationId);
  const found: string[] = [];
  for (const _id of ids)
    if (
      (await database.collection<Owned>('organizations').findOne({ _id }, { projection: { _id: 1 } })) !==
      null
    )
      found.push(_id);
  return found;
};

/** Repeats endings in a restored database. */
const repeaterOf = (
  { database, operators, trail }: RestoreParts,
  { author, isTrial, settleMs }: SealOptions,
) => {
  const audited = async (organizationId: string, action: RunAction, change: () => Promise<unknown>) => {
    const end = await beginRun(trail, { ...author, id: `admin-${newId()}`, organizationId }, action);
    await change();
    await end({ result: 'ok' });
  };

  const deleteAgain = async (ending: Ending & { kind: keyof typeof DELETIONS }): Promise<boolean> => {
    const { id } = ending;
    const { collection: name, ...action } = DELETIONS[ending.kind];
    const collection = database.collection<Owned>(name);
    const found = await collection.findOne({ _id: id }, { projection: { organizationId: 1 } });
    if (found === null || isTrial) return found !== null;
    await audited(found.organizationId, { ...action, ids: [id] }, async () => {
      if (ending.kind === 'connection') await database.collection('oauthState').deleteMany({ grantId: id });
      if (ending.kind === 'operator')
        await database.collection('programTokens').deleteMany({ operatorId: id });
      if (ending.kind === 'subscription')
        await database
          .collection<Owned>('deletedSubscriptions')
          .updateOne(
            { _id: id, organizationId: found.organizationId },
            { $set: { expireAt: new Date(clock.now().getTime() + DELETED_LIFE_MS) } },
            { upsert: true },
          );
      await deleteUnique(collection, { _id: id });
    });
    return true;
  };

  const disableAgain = async ({ id }: Ending): Promise<boolean> => {
    const enabled = { _id: id, disabledTime: { $exists: false } };
    const found = await operators.findOne(enabled, { projection: { organizationId: 1 } });
    if (found === null || isTrial) return found !== null;
    const changes = [{ field: 'active', value: false }];
    await audited(found.organizationId, { action: 'updated', kind: 'operator', ids: [id], changes }, () =>
      operators.updateOne(enabled, { $set: { disabledTime: clock.now() }, $inc: { accessRevision: 1 } }),
    );
    return true;
  };

  const removeAgain = async ({ id, organizationId = '' }: Ending): Promise<boolean> => {
    const of = { organizationId, $or: [{ codeId: id }, { 'passkeys._id': id }] };
    const found = await operators.findOne(of, { projection: { codeId: 1 } });
    if (found === null || isTrial) return found !== null;
    const isCode = found.codeId === id;
    const changes = [{ field: 'factor', value: isCode ? 'code' : 'passkey' }];
    const action: RunAction = { action: 'factor_removed', kind: 'operator', ids: [found._id], changes };
    await audited(organizationId, action, () =>
      operators.updateOne(
        { _id: found._id, organizationId },
        isCode ? withoutCode : { $pull: { passkeys: { _id: id } } },
      ),
    );
    return true;
  };

  const eraseAgain = async ({ kind, id, organizationId = '' }: Ending): Promise<boolean> => {
    const run = { ...author, id: `admin-${newId()}`, organizationId };
    const keepBilling = kind === 'patientRecords';
    const report = await erasePatient(database, trail, run, id, { keepBilling, isTrial, settleMs });
    return Object.keys(report.records).length + report.events > 0;
  };

  /** @returns whether the database had it again */
  return (ending: Ending): Promise<boolean> => {
    switch (ending.kind) {
      case 'patient':
      case 'patientRecords':
        return eraseAgain(ending);
      case 'disabledOperator':
        return disableAgain(ending);
      case 'factor':
        return removeAgain(ending);
      default:
        return deleteAgain({ ...ending, kind: ending.kind });
    }
  };
};

/** Ends all sessions, links and unsent mails, and forgets what was not told. @returns their numbers */
const endAccess = async (
  { database, operators, mails }: RestoreParts,
  isTrial: boolean,
): Promise<Pick<SealReport, 'sessions' | 'links' | 'mails' | 'facts'>> => {
  const sessions = database.collection('sessions');
  const now = clock.now();
  const resets = { passwordReset: { $exists: true } };
  const invitations = { 'invitation.expiryTime': { $gt: now } };
  if (isTrial)
    return {
      sessions: await sessions.countDocuments({}),
      links: (await operators.countDocuments(resets)) + (await operators.countDocuments(invitations)),
      mails: await mails.countDocuments(isUnended),
      facts: await forgetFacts(database, now, isTrial),
    };
  const { deletedCount } = await sessions.deleteMany({});
  const ended = [
    await operators.updateMany(resets, { $unset: { passwordReset: '' } }),
    await operators.updateMany(invitations, { $set: { 'invitation.expiryTime': now } }),
  ];
  const withdrawn = await mails.updateMany(isUnended, endedMail('failed', 'withdrawn', now));
  return {
    sessions: deletedCount,
    links: ended.reduce((total, { modifiedCount }) => total + modifiedCount, 0),
    mails: withdrawn.modifiedCount,
    facts: await forgetFacts(database, now, isTrial),
  };
};

export const openRestores = (parts: RestoreParts): Restores => {
  const { database, dataKeys, sequence, sequenceParts } = parts;
  const { vault } = sequenceParts;
  return {
    state: async () => (vault === undefined ? undefined : restoreState(sequenceParts)),
    async seal(options) {
      if (vault === undefined) return undefined;
      const { isTrial, onProgress } = options;
      const repeat = repeaterOf(parts, options);
      const organizations = await revivedOrganizations(database, vault);
      for (const id of isTrial ? [] : organizations)
        await deleteOrganization(database, dataKeys, id, { ...options, onProgress: () => {} });
      const ended: SealReport['ended'] = {};
      let done = 0;
      for await (const ending of endingsIn(vault)) {
        if (await repeat(ending)) ended[ending.kind] = [...(ended[ending.kind] ?? []), ending.id];
        onProgress(++done);
      }
      const access = await endAccess(parts, isTrial);
      // The number comes last: until then, dispatchers hold everything.
      if (!isTrial) await passVault({ ...sequenceParts, vault }, true);
      return { organizations, ended, ...access };
    },
    async none() {
      if (vault !== undefined) await passVault({ ...sequenceParts, vault }, false);
      return vault !== undefined;
    },
    settle: () => endSeal(sequence),
  };
};
