import type { Db } from 'mongodb';

/** What the database user of this process may do. */
export type Privileges = {
  /** Whether the database knows who this process is. Without access control, everybody who reaches it may do everything. */
  isAuthenticated: boolean;
  /** The actions on the collections of the database that the services need and that the user has no right to. */
  missing: string[];
  /** The roles of the user that reach beyond this database, as `role@database`. */
  beyond: string[];
};

/** The actions of MongoDB that the role `readWrite` contains and that the services need. */
export const NEEDED_ACTIONS = [
  'find',
  'insert',
  'update',
  'remove',
  'createCollection',
  'createIndex',
  'dropIndex',
  'dropCollection',
  'listCollections',
  'listIndexes',
];

type Privilege = {
  resource: { db?: string; collection?: string; anyResource?: boolean };
  actions: string[];
};

/** Asks the database for the user of this connection. */
export const inspectPrivileges = async (database: Db): Promise<Privileges> => {
  const { authInfo } = await database.command({ connectionStatus: 1, showPrivileges: true });
  const {
    authenticatedUsers = [],
    authenticatedUserRoles = [],
    authenticatedUserPrivileges = [],
  } = authInfo as {
    authenticatedUsers?: object[];
    authenticatedUserRoles?: { role: string; db: string }[];
    authenticatedUserPrivileges?: Privilege[];
  };
  if (authenticatedUsers.length === 0) return { isAuthenticated: false, missing: [], beyond: [] };
  const { databaseName } = database;
  const granted = new Set(
    authenticatedUserPrivileges
      .filter(
        ({ resource: { db, collection, anyResource } }) =>
          anyResource === true || (collection === '' && (db === '' || db === databaseName)),
      )
      .flatMap(({ actions }) => actions),
  );
  return {
    isAuthenticated: true,
    missing: NEEDED_ACTIONS.filter((action) => !granted.has(action)),
    beyond: authenticatedUserRoles
      .filter(({ db }) => db !== databaseName)
      .map(({ role, db }) => `${role}@${db}`),
  };
};
