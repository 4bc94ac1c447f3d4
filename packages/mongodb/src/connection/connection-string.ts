import { accessSync, constants } from 'node:fs';
import { ServiceError } from '@chairside/domain';
import { MongoClient } from 'mongodb';
import { ConnectionString } from 'mongodb-connection-string-url';

/**
 * The authentication mechanisms with which the driver looks up the user in the database of the path, unless
 * `authSource` names another database.
 */
const LOOKS_IN_DATABASE = /^(SCRAM-.*)?$/;

/**
 * Returns the name of the database in a connection string; undefined if its path is empty.
 *
 * @throws {MongoParseError} if the text is not a connection string
 */
export const databaseNamedBy = (url: string): string | undefined => {
  const name = decodeURIComponent(new ConnectionString(url).pathname.slice(1));
  return name === '' ? undefined : name;
};

/**
 * Returns the connection string with another database in its path. The hosts, the other options and the database of the
 * user stay the same. No `authSource` is added to a `mongodb+srv` string, because DNS may set it.
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

/** Like {@link checkConnectionString}, for a URL that may be empty. */
export const checkVaultUrl = (url: string): void => {
  if (url !== '') checkConnectionString(url);
};

/** Options that name a file. The driver reads the file when it connects. */
const FILES = ['tlsCAFile', 'tlsCertificateKeyFile', 'tlsCRLFile'];
/** Database names that MongoDB accepts on Linux and macOS. */
const DATABASE_NAME = /^[^/\\. "$\0]{1,63}$/;

/**
 * Checks the form of a connection string, and whether this process can read the files that it names.
 *
 * @throws {Error} whose message says what the connection string must be, without quoting it
 */
export const checkConnectionString = (url: string): void => {
  let name: string | undefined;
  let files: (string | null)[];
  try {
    if (/\s/.test(url)) throw new ServiceError('white space');
    new MongoClient(url);
    name = databaseNamedBy(url);
    const { searchParams } = new ConnectionString(url);
    files = FILES.map((option) => searchParams.get(option));
  } catch {
    throw new ServiceError(
      'must be a connection string such as mongodb://user:password@host:27017/chairside, with special characters percent-encoded and without options that the MongoDB driver does not know',
    );
  }
  if (name !== undefined && !DATABASE_NAME.test(name)) {
    throw new ServiceError(
      'must have a path that can name a database: 1 to 63 characters, none of / \\ . " $ and no space',
    );
  }
  for (const [index, file] of files.entries()) {
    if (file === null) continue;
    try {
      accessSync(file, constants.R_OK);
    } catch {
      throw new ServiceError(`must have a ${FILES[index]} that this process can read`);
    }
  }
};
