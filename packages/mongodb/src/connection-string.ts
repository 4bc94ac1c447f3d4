import { ConnectionString } from 'mongodb-connection-string-url';

/** Mechanisms that look for the user in the database of the path, unless `authSource` names another. */
const LOOKS_IN_DATABASE = /^(SCRAM-.*)?$/;

/**
 * The name of the database in a connection string; undefined if its path is empty.
 *
 * @throws {MongoParseError} when the string is not a connection string
 */
export const databaseNamedBy = (url: string): string | undefined => {
  const name = decodeURIComponent(new ConnectionString(url).pathname.slice(1));
  return name === '' ? undefined : name;
};

/**
 * The same connection string with another database in its path. Hosts and options stay, and the user is looked for in the
 * database in which it was looked for before. With `mongodb+srv`, DNS may name that database, so it is left alone.
 *
 * @throws {MongoParseError} when the string is not a connection string
 */
export const withDatabase = (url: string, name: string): string => {
  const connection = new ConnectionString(url);
  const { searchParams, username } = connection;
  const mechanism = searchParams.get('authMechanism') ?? '';
  if (
    !connection.isSRV &&
    username !== '' &&
    !searchParams.has('authSource') &&
    LOOKS_IN_DATABASE.test(mechanism)
  ) {
    searchParams.set('authSource', databaseNamedBy(url) ?? 'admin');
  }
  connection.pathname = `/${encodeURIComponent(name)}`;
  return connection.toString();
};
