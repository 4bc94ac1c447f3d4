import type { Operator } from '@chairside/domain';
import type { UpdateFilter } from 'mongodb';
import type { Collection } from '../driver/database.ts';
import { deleteUnique, findUnique } from '../driver/ferretdb.ts';
import { insertIntoFreeSlot } from '../driver/slots.ts';
import { isDuplicateKey } from '../driver/statements.ts';
import { type EndingDocument, enterEnding } from '../restores/endings.ts';
import { type AccountFact, decideChange, factsOf, type OperatorChange, telling } from './operator-change.ts';
import { hasPassword, isActive, type OperatorDocument, slotsFor, toOperator } from './operator-document.ts';
import type { ProgramTokenDocument } from './program-tokens.ts';
import type { SessionDocument } from './sessions.ts';

/** The result of a change to an operator. */
export type OperatorResult =
  | { outcome: 'done'; operator: Operator; endedSessions: number }
  /** There is no such operator in this organization. */
  | { outcome: 'missing' }
  /** An operator with this e-mail address exists, in this organization or another. */
  | { outcome: 'emailTaken' }
  /** After the change, no administrator of the organization could sign in. */
  | { outcome: 'lastAdministrator' };

/**
 * The collections that store operators, their sessions and their program tokens, and the id of the organization that they
 * are read for.
 */
export type OperatorCollections = {
  operators: Collection<OperatorDocument>;
  sessions: Collection<SessionDocument>;
  programTokens: Collection<ProgramTokenDocument>;
  endings: Collection<EndingDocument>;
  organizationId: string;
};

/** Matches an `accessRevision`. The field is absent until the first change. */
export const atRevision = (revision: number) => (revision === 0 ? { $not: { $gt: 0 } } : revision);

/** Matches the operator only if its e-mail address, role, password, access and links are the same as when it was read. */
export const unchanged = ({
  _id,
  organizationId,
  email,
  role,
  passwordHash,
  accessRevision,
  disabledTime,
  invitation,
  passwordReset,
}: OperatorDocument) => ({
  _id,
  organizationId,
  email,
  role,
  passwordHash,
  accessRevision: accessRevision ?? { $exists: false },
  disabledTime: disabledTime ?? { $exists: false },
  'invitation.secretHash': invitation?.secretHash ?? { $exists: false },
  'passwordReset.secretHash': passwordReset?.secretHash ?? { $exists: false },
});

/** @returns the number of sessions that were ended */
export const endSessions = async (
  { sessions, organizationId }: OperatorCollections,
  operatorId: string,
  kept?: string,
): Promise<number> => {
  const { deletedCount } = await sessions.deleteMany({
    organizationId,
    operatorId,
    ...(kept !== undefined && { _id: { $ne: kept } }),
  });
  return deletedCount;
};

const hasAdministratorBesides = async (
  { operators, organizationId }: OperatorCollections,
  id: string,
): Promise<boolean> => {
  const others = {
    organizationId,
    role: 'administrator' as const,
    ...isActive,
    ...hasPassword,
    _id: { $ne: id },
  };
  return (await operators.countDocuments(others, { limit: 1 })) > 0;
};

/**
 * The update that makes the next version. It leaves the known networks alone, because a sign-in may add one meanwhile.
 *
 * @param current the present version
 * @param facts what the operator is told of the change
 */
const updateTo = (
  { email, emailLowerCase, role, passwordHash, ...next }: OperatorDocument,
  current: OperatorDocument,
  facts: readonly AccountFact[],
  time: Date,
): UpdateFilter<OperatorDocument> => {
  const { accessRevision, passwordChangeRequired, disabledTime, name, invitation, passwordReset } = next;
  const optional = Object.entries({
    ...{ accessRevision, passwordChangeRequired, disabledTime, name, invitation, passwordReset },
  });
  const present = optional.filter(([, value]) => value !== undefined);
  const absent = optional.filter(([, value]) => value === undefined);
  return telling(facts, time, {
    $set: { ...{ email, emailLowerCase, role, passwordHash }, ...Object.fromEntries(present) },
    // The address until now is told.
    ...(facts.includes('email') && { $addToSet: { 'untold.email.addresses': current.email } }),
    ...(absent.length > 0 && { $unset: Object.fromEntries(absent.map(([name]) => [name, ''])) }),
  });
};

/**
 * Updates an operator to its next version, or deletes it.
 *
 * @returns `stale` if another caller has changed the operator since it was read; nothing is written then
 */
const replace = async (
  { operators }: OperatorCollections,
  current: OperatorDocument,
  next: OperatorDocument | undefined,
  facts: readonly AccountFact[] = [],
  time = new Date(0),
): Promise<'replaced' | 'stale' | 'emailTaken'> => {
  try {
    const isReplaced =
      next === undefined
        ? await deleteUnique(operators, unchanged(current))
        : (await operators.updateOne(unchanged(current), updateTo(next, current, facts, time)))
            .matchedCount === 1;
    return isReplaced ? 'replaced' : 'stale';
  } catch (error) {
    if (isDuplicateKey(error)) return 'emailTaken';
    throw error;
  }
};

/** Enters that an operator is deleted or disabled. */
const enterEnd = async (
  { endings, organizationId }: OperatorCollections,
  { _id: id, disabledTime }: OperatorDocument,
  next: OperatorDocument | undefined,
): Promise<void> => {
  if (next === undefined) await enterEnding(endings, { kind: 'operator', id, organizationId });
  else if (next.disabledTime !== undefined && disabledTime === undefined)
    await enterEnding(endings, { kind: 'disabledOperator', id, organizationId });
};

/** Inserts a deleted operator again. */
const insertAgain = async (
  operators: Collection<OperatorDocument>,
  { slot, ...before }: OperatorDocument,
): Promise<void> => {
  // Another operator may have taken the slot in the meantime. Without a free slot the operator is stored without one,
  // because an operator beyond the maximum is better than an organization without an administrator.
  if (await insertIntoFreeSlot(operators, before, slotsFor(before))) return;
  await operators.insertOne(before);
};

/**
 * Reverts a change that left the organization without an administrator. Sessions and program tokens from before the
 * change stay valid. If another caller has changed the operator in the meantime, only the role is restored and the
 * operator is enabled; sessions and tokens are then invalid.
 */
const restore = async (
  collections: OperatorCollections,
  before: OperatorDocument,
  changed: OperatorDocument | undefined,
): Promise<void> => {
  const { operators, sessions, programTokens, organizationId } = collections;
  if (changed === undefined) return insertAgain(operators, before);
  const revision = before.accessRevision ?? 0;
  const restored = { ...before, accessRevision: revision + 2 };
  if ((await replace(collections, changed, restored)) === 'replaced') {
    const $set = { accessRevision: restored.accessRevision };
    const ofOperator = { organizationId, operatorId: before._id };
    await sessions.updateMany({ ...ofOperator, accessRevision: atRevision(revision) }, { $set });
    await programTokens.updateMany({ ...ofOperator, accessRevision: revision }, { $set });
    return;
  }
  await operators.updateOne(
    { _id: before._id, organizationId },
    { $set: { role: before.role }, $unset: { disabledTime: '' }, $inc: { accessRevision: 1 } },
  );
};

/**
 * Changes an operator. A change that would leave no administrator is refused in advance. If two administrators remove
 * each other at the same moment, both changes may be written. A caller that then finds no administrator reverts its own
 * change.
 *
 * @param check throws if the operator may not be changed; called again if another caller has changed it since it was read
 */
export const changeOperator = async (
  collections: OperatorCollections,
  id: string,
  change: OperatorChange,
  check: (current: Operator) => void = () => {},
): Promise<OperatorResult> => {
  for (;;) {
    const { operators, organizationId } = collections;
    const current = await findUnique(operators, { _id: id, organizationId });
    if (current === undefined) return { outcome: 'missing' };
    check(toOperator(current));
    const { next, endsSessions, losesAdministrator } = decideChange(current, change);
    if (losesAdministrator && !(await hasAdministratorBesides(collections, id))) {
      return { outcome: 'lastAdministrator' };
    }
    await enterEnd(collections, current, next);
    const written =
      change === 'delete' || next === undefined
        ? await replace(collections, current, undefined)
        : await replace(collections, current, next, factsOf(current, next), change.time);
    if (written === 'emailTaken') return { outcome: 'emailTaken' };
    if (written === 'stale') continue;
    if (losesAdministrator && !(await hasAdministratorBesides(collections, id))) {
      await restore(collections, current, next);
      return { outcome: 'lastAdministrator' };
    }
    const endedSessions = endsSessions ? await endSessions(collections, id) : 0;
    return { outcome: 'done', operator: toOperator(next ?? current), endedSessions };
  }
};
