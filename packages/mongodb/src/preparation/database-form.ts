import { UnusableDatabaseError, VERSION } from '@chairside/startup';
import type { Collection } from '../driver/database.ts';
import { isDuplicateKey } from '../driver/statements.ts';

/**
 * The form in which this version stores its data, and which forms go together. Raise `current` when a process of the
 * previous version could misread what this version writes.
 */
export type Form = {
  /** The version of the form that this version writes. */
  current: number;
  /**
   * The oldest form whose processes can still work on data of the current form. A version runs beside the previous one,
   * so this is never newer than the form of the previous version.
   */
  oldestReader: number;
  /** The oldest form that this version can continue from. */
  oldestUpgradable: number;
};
export const FORM: Form = { current: 1, oldestReader: 1, oldestUpgradable: 1 };

/** The stored form: the newest one that any process has written. A new database has none. */
export type FormDocument = {
  _id: string;
  form: number;
  oldestReader: number;
  version: string;
};
const ID = 'form';
const UPGRADE = 'See docs/operation/upgrade.md, "The form of the database".';

/** The stored form, and why a version with this form cannot work on it. `problem` is undefined if it can. */
export const inspectForm = async (
  databaseForm: Collection<FormDocument>,
  form: Form = FORM,
): Promise<{ stored?: number; problem?: string }> => {
  const found = await databaseForm.findOne({ _id: ID });
  if (found === null) return {};
  const { form: stored, oldestReader, version } = found;
  if (oldestReader > form.current)
    return {
      stored,
      problem: `Version ${version} has changed the form of this database to ${stored}. This version, ${VERSION}, reads forms up to ${form.current}. Start version ${version} or later. ${UPGRADE}`,
    };
  if (stored < form.oldestUpgradable)
    return {
      stored,
      problem: `This database has the form ${stored}. This version, ${VERSION}, continues from form ${form.oldestUpgradable} on. Start an earlier version first. ${UPGRADE}`,
    };
  return { stored };
};

/** The form of the data excludes this version. */
export class UnreadableFormError extends UnusableDatabaseError {}

/**
 * Checks that this version can work on the data of the database. It writes nothing, so that a version that is too old
 * or too new changes nothing.
 *
 * @throws {UnreadableFormError} if it cannot
 */
export const checkForm = async (databaseForm: Collection<FormDocument>, form: Form = FORM): Promise<void> => {
  const { problem } = await inspectForm(databaseForm, form);
  if (problem !== undefined) throw new UnreadableFormError(problem);
};

/** Stores the form of this version, unless a later one is stored. The call may be repeated, by several processes at once. */
export const storeForm = async (databaseForm: Collection<FormDocument>, form: Form = FORM): Promise<void> => {
  const { current, oldestReader } = form;
  const write = { form: current, oldestReader, version: VERSION };
  try {
    await databaseForm.updateOne({ _id: ID, form: { $lt: current } }, { $set: write }, { upsert: true });
  } catch (error) {
    // A form is stored that is not older.
    if (!isDuplicateKey(error)) throw error;
  }
};
