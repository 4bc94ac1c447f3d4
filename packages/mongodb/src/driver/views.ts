import { UnusableDatabaseError } from '@chairside/startup';
import { type Db, type Document, MongoServerError } from 'mongodb';
import { hasNoViews } from './ferretdb.ts';

/**
 * A view for a database user who may read no other part of a collection. Its name ends with the version of its
 * definition. A changed definition gets the next version, so that processes of two versions run side by side, each with
 * its own view.
 */
export type View = {
  name: string;
  viewOn: string;
  pipeline: readonly Document[];
  /** The page with the role that may read the view. */
  page: string;
};

/** The code of the error `NamespaceExists`. */
const EXISTS = 48;

/** The definition of the collection or view with the name of the view. */
const findView = async (database: Db, { name }: View): Promise<Document | undefined> => {
  const [found] = await database.listCollections({ name }).toArray();
  return found && { type: found.type, ...('options' in found ? found.options : {}) };
};

const isOurs = (view: View, { type, viewOn, pipeline }: Document): boolean =>
  type === 'view' && viewOn === view.viewOn && JSON.stringify(pipeline) === JSON.stringify(view.pipeline);

/** Whether the view is missing. A database that has no views needs none. */
export const isViewMissing = async (database: Db, view: View): Promise<boolean> =>
  !(await hasNoViews(database)) && (await findView(database, view)) === undefined;

/** @returns false if a collection or view with this name already exists */
const createView = async (database: Db, { name, viewOn, pipeline }: View): Promise<boolean> => {
  try {
    await database.createCollection(name, { viewOn, pipeline: [...pipeline] });
    return true;
  } catch (error) {
    // Another process has created the view first.
    if (error instanceof MongoServerError && error.code === EXISTS) return false;
    throw error;
  }
};

/**
 * Creates the view if it is missing and the database supports views. The call may be repeated, even by several
 * processes at once.
 *
 * @throws {UnusableDatabaseError} if another collection or view has its name
 */
export const applyView = async (database: Db, view: View): Promise<void> => {
  if (await hasNoViews(database)) return;
  let found = await findView(database, view);
  if (found === undefined) {
    if (await createView(database, view)) return;
    found = await findView(database, view);
  }
  if (found !== undefined && isOurs(view, found)) return;
  const { name } = view;
  throw new UnusableDatabaseError(
    `The view ${name} cannot be created: a ${found?.type ?? 'collection'} with this name and another definition exists. ` +
      `Stop all processes, drop it with mongosh, db.${name}.drop(), and start again.`,
  );
};

/** The collection or view to read from, and the conditions that each read must contain. */
export type ViewSource = { collection: string; conditions: Document };

/**
 * Returns a function that finds the view, or the collection below it if the database has no views. In that case, only the
 * projection of each read excludes the other fields. The function remembers the source. After a failure, the next call
 * tries again.
 *
 * @param conditions those of the view, which a read of the collection must contain
 * @returns a function that throws {@link UnusableDatabaseError} if the view is missing. A read would find nothing
 */
export const openViewSource = (
  database: Db,
  { name, viewOn, page }: View,
  conditions: Document = {},
): (() => Promise<ViewSource>) => {
  const find = async (): Promise<ViewSource> => {
    if (await hasNoViews(database)) return { collection: viewOn, conditions };
    // With these options, listing needs no privilege beyond reading the view.
    const options = { nameOnly: true, authorizedCollections: true };
    const [found] = await database.listCollections({ name }, options).toArray();
    if (found?.type === 'view') return { collection: name, conditions: {} };
    throw new UnusableDatabaseError(
      `The view ${name} is missing, or the user of MONGODB_URL may not read it. Start an api of this version, or run chairside-admin indexes apply. Then give the user the role of ${page}.`,
    );
  };
  let source: Promise<ViewSource> | undefined;
  return () => {
    source ??= find().catch((error: unknown) => {
      source = undefined;
      throw error;
    });
    return source;
  };
};
