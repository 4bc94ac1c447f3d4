import { setTimeout as sleep } from 'node:timers/promises';
import { clock, newId, ServiceError } from '@chairside/domain';
import type { OrganizationDocument } from '../access/organization-document.ts';
import type { Author } from '../audit/audit.ts';
import type { Collection, Database } from '../driver/database.ts';
import { atOnce, byId } from '../driver/statements.ts';
import type { DataKeys } from '../encryption/data-keys.ts';
import { shapes } from '../records/record-shapes.ts';
import { settingShapes } from '../schedule/practice-settings.ts';

/**
 * Everything that stores data of one organization, with `organizationId`, in the order of its deletion: first what lets
 * somebody write, then what is sent, then the data.
 */
export const ORGANIZATION_COLLECTIONS: readonly string[] = [
  ...['sessions', 'programTokens', 'apiKeys', 'connections', 'operators', 'mails', 'idempotencyKeys'],
  ...['subscriptions', 'redeliveries', 'deliveries', 'events'],
  ...Object.values(shapes).map(({ collection }) => collection),
  ...Object.values(settingShapes).map(({ collection }) => collection),
  ...[
    'openingHours',
    'bookings',
    'deliveryHours',
    'deletedSubscriptions',
    'auditedSets',
    'auditEntries',
    'stops',
  ],
];

/**
 * The collections that no organization owns. The last two contain ids of organizations, also of deleted ones. `lanes` and
 * `laneRequests` contain the id of an organization until a dispatcher has found nothing to send.
 */
export const SHARED_COLLECTIONS: readonly string[] = [
  ...['databaseForm', 'hourProgress', 'lanes', 'laneRequests', 'leases', 'outages', 'processes', 'settings'],
  ...['oauthClients', 'oauthLimits', 'oauthState'],
  'organizationDeletions',
  // They live for five minutes.
  'challenges',
  // Ids of what has ended, on their way into the vault.
  ...['endings', 'sequence'],
  // The keys of an organization are destroyed, and their documents stay.
  'dataKeys',
];

/** How many documents one statement deletes. */
const PAGE = 1000;
/**
 * How long to wait until requests and attempts have ended that began before the credentials and subscriptions were
 * deleted.
 */
const SETTLE_MS = 5000;
/** Maximum number of passes. Each pass that found something is followed by another one. */
const MAX_PASSES = 10;

type DeletionRun = Author & { id: string };

/** The deletion of an organization. It is kept, and contains nothing that the organization had stored. */
export type DeletionDocument = {
  _id: string;
  begunTime: Date;
  /** Absent if the deletion was interrupted. */
  endedTime?: Date;
  /** The commands that deleted something: the ids of their runs, and who ran them. */
  runs: DeletionRun[];
  /** The number of deleted documents by collection. */
  removed: Record<string, number>;
};

/** What was deleted by all runs so far, or would be deleted. */
export type DeletionReport = {
  organizationId: string;
  /** Absent if an earlier run has deleted the organization itself. */
  name?: string;
  begunTime?: string;
  endedTime?: string;
  runs?: DeletionRun[];
  removed: Record<string, number>;
};

export type DeletionOptions = {
  isTrial: boolean;
  author: Author;
  /** Called with the number of documents that were deleted so far. */
  onProgress(done: number): void;
  /** How long to wait for requests and attempts in flight, in milliseconds. */
  settleMs?: number;
};

type Owned = { _id: string; organizationId: string };
type Deletion = { database: Database; organizationId: string };

const reportOf = (
  { _id, begunTime, endedTime, runs, removed }: DeletionDocument,
  name: string | undefined,
): DeletionReport => ({
  organizationId: _id,
  ...(name !== undefined && { name }),
  begunTime: begunTime.toISOString(),
  ...(endedTime && { endedTime: endedTime.toISOString() }),
  runs,
  removed,
});

const ownedIn = ({ database }: Deletion, name: string): Collection<Owned> => database.collection<Owned>(name);

/** Counts what is stored of an organization. */
const countAll = async (deletion: Deletion): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const name of ORGANIZATION_COLLECTIONS) {
    const count = await ownedIn(deletion, name).countDocuments({ organizationId: deletion.organizationId });
    if (count > 0) counts[name] = count;
  }
  return counts;
};

/** The ids of at most a page of documents. */
const pageOf = async (deletion: Deletion, name: string): Promise<string[]> =>
  (
    await ownedIn(deletion, name)
      .find(
        { organizationId: deletion.organizationId },
        { projection: { _id: 1 }, limit: PAGE, ...atOnce(PAGE) },
      )
      .toArray()
  ).map(({ _id }) => _id);

/**
 * Deletes every document of one collection.
 *
 * @param onPage called after each statement with the number of documents that it deleted
 */
const deleteIn = async (
  deletion: Deletion,
  name: string,
  onPage: (deleted: number) => Promise<void>,
): Promise<number> => {
  let total = 0;
  for (;;) {
    const ids = await pageOf(deletion, name);
    if (ids.length === 0) return total;
    // The codes and tokens of a connected app are found by its connection.
    if (name === 'connections')
      await deletion.database.collection('oauthState').deleteMany({ grantId: { $in: ids } });
    const { organizationId } = deletion;
    const { deletedCount } = await ownedIn(deletion, name).deleteMany(
      { _id: { $in: ids }, organizationId },
      byId,
    );
    total += deletedCount;
    await onPage(deletedCount);
  }
};

/** Deletes everything, once. @returns the number of deleted documents */
const pass = async (
  deletion: Deletion,
  onPage: (name: string, deleted: number) => Promise<void>,
): Promise<number> => {
  let total = 0;
  for (const name of ORGANIZATION_COLLECTIONS)
    total += await deleteIn(deletion, name, (deleted) => onPage(name, deleted));
  return total;
};

/**
 * Deletes an organization with everything that it has stored, and then destroys its keys, while the services run. The call may be interrupted and
 * repeated, also after its end: it then deletes what a process that stood still has written since.
 *
 * @returns undefined if there is no such organization, and none was deleted
 */
export const deleteOrganization = async (
  database: Database,
  dataKeys: Pick<DataKeys, 'destroy'>,
  organizationId: string,
  { isTrial, author, onProgress, settleMs = SETTLE_MS }: DeletionOptions,
): Promise<DeletionReport | undefined> => {
  const organizations = database.collection<OrganizationDocument & { _id: string }>('organizations');
  const deletions = database.collection<DeletionDocument>('organizationDeletions');
  const deletion = { database, organizationId };
  const [organization, earlier] = await Promise.all([
    organizations.findOne({ _id: organizationId }, { projection: { name: 1 } }),
    deletions.findOne({ _id: organizationId }),
  ]);
  if (organization === null && earlier === null) return undefined;
  const name = organization?.name;
  if (isTrial)
    return { organizationId, ...(name !== undefined && { name }), removed: await countAll(deletion) };

  const begunTime = clock.now();
  const one = { _id: organizationId };
  await deletions.updateOne(
    one,
    {
      $setOnInsert: { begunTime, removed: {} },
      $push: { runs: { id: `admin-${newId(begunTime)}`, ...author } },
      $unset: { endedTime: '' },
    },
    { upsert: true },
  );
  // From now on, no command of chairside-admin begins work in the organization.
  await organizations.updateOne(one, { $set: { deletingSince: begunTime } });
  let done = 0;
  const onPage = async (collection: string, deleted: number): Promise<void> => {
    await deletions.updateOne(one, { $inc: { [`removed.${collection}`]: deleted } });
    done += deleted;
    onProgress(done);
  };
  let isClean = false;
  for (let passes = 0; !isClean; passes++) {
    if (passes === MAX_PASSES)
      throw new ServiceError(
        `Something still writes data of the organization ${organizationId}: end it, then repeat the command.`,
      );
    const found = await pass(deletion, onPage);
    // A pass counts only after a wait, because requests and attempts that began before may still write.
    isClean = found === 0 && passes > 0;
    if (!isClean) await sleep(settleMs);
  }
  await dataKeys.destroy(organizationId);
  await organizations.deleteOne(one);
  const ended = await deletions.findOneAndUpdate(
    one,
    { $set: { endedTime: clock.now() } },
    { returnDocument: 'after' },
  );
  if (ended === null) throw new ServiceError(`the deletion of ${organizationId} is not recorded`);
  return reportOf(ended, name);
};

/** The deletions of organizations, the oldest first. */
export const listDeletions = async (database: Database): Promise<DeletionReport[]> => {
  const deletions = database.collection<DeletionDocument>('organizationDeletions');
  const all = await deletions.find({}, { sort: { begunTime: 1, _id: 1 } }).toArray();
  return all.map((each) => reportOf(each, undefined));
};
