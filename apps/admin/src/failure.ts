import { ServiceError } from '@chairside/domain';
import { unavailabilityOf } from '@chairside/mongodb';
import { SettingsError } from '@chairside/startup';
import { loggableError } from '@chairside/telemetry';

/** A failure that the user of the command can fix. The message explains how. */
export class AdminFailure extends Error {
  override readonly name = 'AdminFailure';
}

/** Wrong usage of a command: exit code 2. */
export class UsageFailure extends Error {
  override readonly name = 'UsageFailure';
}

const hintOfFileError: Readonly<Record<string, string>> = {
  ENOENT: 'The file does not exist. Check the path.',
  EACCES: 'This user has no permission for the file. Change the permissions, or run as another user.',
  EISDIR: 'This is a folder. Give a file.',
  ENOSPC: 'The disk is full. Free some space, then run the same command again.',
  EDQUOT: 'The quota of the disk is used up. Free some space, then run the same command again.',
  EFBIG:
    'The file cannot grow: it has reached a limit of the system. Raise the limit, then run the same command again.',
};

/** Describes known errors of the driver. Their own messages may quote the connection string or a record. */
const databaseSentence = (error: Error & { code?: unknown }): string | undefined => {
  const unavailability = unavailabilityOf(error);
  if (unavailability === 'overloaded') {
    return 'MongoDB is overloaded. Run the same command again later.';
  }
  if (unavailability === 'unreachable') {
    return `MongoDB cannot be reached (${error.name}). Check that it is running and that MONGODB_URL is correct, then run the same command again.`;
  }
  if (error.name === 'MongoParseError' || error.name === 'MongoInvalidArgumentError') {
    return 'MONGODB_URL is not valid. Use the form mongodb://user:password@host:27017/chairside, with special characters percent-encoded.';
  }
  if (error.code === 18) return 'MongoDB refuses the user or password in MONGODB_URL. Correct them.';
  if (error.code === 13)
    return 'The user in MONGODB_URL has no permission for this. Give it the role readWrite on the database.';
  if (unavailability === 'blocked') {
    return 'MongoDB accepts no operations of this kind: its disk is full, or writes are blocked. Correct that, then run the same command again.';
  }
  return undefined;
};

/** Describes an error and what to do about it. The text contains no data of records and no secrets. */
export const sentenceOf = (error: unknown): string => {
  if (error instanceof SettingsError)
    return `${error.message}\nCorrect the environment, then run the command again.`;
  const hasSentence =
    error instanceof AdminFailure || error instanceof UsageFailure || error instanceof ServiceError;
  if (hasSentence) return error.message;
  if (error instanceof Error) {
    const { code, path } = error as NodeJS.ErrnoException;
    const hint = hintOfFileError[String(code)];
    // The error of a write to an open file has no path.
    if (hint !== undefined) return `${path === undefined ? '' : `${path}: `}${code}. ${hint}`;
    const known = databaseSentence(error);
    if (known !== undefined) return known;
  }
  const facts = JSON.stringify(loggableError(error), null, 2);
  return `Unexpected error. Please report it with these lines, which contain no patient data:\n${facts}`;
};
