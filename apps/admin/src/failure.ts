import { unavailabilityOf } from '@chairside/mongodb';
import { loggableError, SettingsError, UnusableDatabaseError } from '@chairside/runtime';

/** A failure that the operator can do something about: the message says what. */
export class AdminFailure extends Error {
  override readonly name = 'AdminFailure';
}

/** A command that was given something it cannot work with; exit code 2. */
export class UsageFailure extends Error {
  override readonly name = 'UsageFailure';
}

const cureOfFileError: Readonly<Record<string, string>> = {
  ENOENT: 'There is no such file. Check the path.',
  EACCES: 'This user may not read or write it. Change its permissions, or run as another user.',
  EISDIR: 'It is a folder. Name a file.',
  ENOSPC: 'The disk is full. Make room, then run the same command again.',
};

/** Failures of the driver whose message may quote the connection string or a record, by what is known of them. */
const databaseSentence = (error: Error & { code?: unknown }): string | undefined => {
  const unavailability = unavailabilityOf(error);
  if (unavailability === 'overloaded') {
    return 'MongoDB has too much to do. Run the same command again when there is less.';
  }
  if (unavailability === 'away') {
    return `MongoDB cannot be reached (${error.name}). See that it runs and that MONGODB_URL points at it, then run the same command again.`;
  }
  if (error.name === 'MongoParseError' || error.name === 'MongoInvalidArgumentError') {
    return 'MONGODB_URL cannot be read. Give it the form mongodb://user:password@host:27017/chairside, with special characters percent-encoded.';
  }
  if (error.code === 18) return 'MongoDB refuses the user or password in MONGODB_URL. Correct them there.';
  if (error.code === 13)
    return 'MongoDB does not let the user in MONGODB_URL do this. Give it the role readWrite on the database.';
  return undefined;
};

/** What went wrong, as a sentence that ends in what to do. Nothing of a record and no secret is in it. */
export const sentenceOf = (error: unknown): string => {
  const hasSentence =
    error instanceof AdminFailure || error instanceof UsageFailure || error instanceof UnusableDatabaseError;
  if (hasSentence) return error.message;
  if (error instanceof SettingsError)
    return `${error.message}\nCorrect the environment, then run the command again.`;
  if (error instanceof Error) {
    const { code, path } = error as NodeJS.ErrnoException;
    const cure = cureOfFileError[String(code)];
    if (cure !== undefined && path !== undefined) return `${path}: ${code}. ${cure}`;
    const known = databaseSentence(error);
    if (known !== undefined) return known;
  }
  const facts = JSON.stringify(loggableError(error), null, 2);
  return `This should not have happened. Please report it with these lines, which hold no patient data:\n${facts}`;
};
