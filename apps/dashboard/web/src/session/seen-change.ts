import { ChairsideError } from '@chairside/client';
import { UnusableInput } from '../api/problems.ts';
import { withPrompts } from './prompts.ts';

/** A stored thing with its version. The entity tag is absent if there is no such thing yet. */
type Read<T> = { data: T; response: { etag?: string | undefined } };
/** The changed thing, or the version of somebody else that the operator has not seen. */
type Changed<T> = { saved: T } | { theirs: T };

const isStale = (error: unknown): boolean => error instanceof ChairsideError && error.status === 412;

/**
 * Changes a thing only if its stored version is one that the operator has seen. The request names this version, so a
 * change by somebody else between the read and the request is found, too.
 *
 * @param read reads the stored version
 * @param isSeen whether the operator has seen this version
 * @param change sends the change for the version with this entity tag; undefined if there is none yet
 */
export const changeSeen = async <T>(
  read: () => PromiseLike<Read<T>>,
  isSeen: (stored: T) => boolean,
  change: (ifMatch: string | undefined) => PromiseLike<T>,
): Promise<Changed<T>> => {
  for (;;) {
    const { data, response } = await withPrompts(read);
    if (!isSeen(data)) return { theirs: data };
    try {
      return { saved: await withPrompts(() => change(response.etag)) };
    } catch (error) {
      // Somebody has changed it since the read. The next round shows what.
      if (!isStale(error)) throw error;
    }
  }
};

/**
 * Undoes a change of the operator. If the response was lost, the repeated request finds the version before, and the change
 * is undone.
 *
 * @param read reads the stored version
 * @param isOwn whether this is the version that the operator has made
 * @param isBefore whether this is the version before
 * @param restore sends the version before for the version with this entity tag
 * @throws {UnusableInput} if somebody else has changed it since
 */
export const undoOwn = async <T>(
  read: () => PromiseLike<Read<T>>,
  isOwn: (stored: T) => boolean,
  isBefore: (stored: T) => boolean,
  restore: (ifMatch: string | undefined) => PromiseLike<T>,
): Promise<T> => {
  const result = await changeSeen(read, isOwn, restore);
  if ('saved' in result) return result.saved;
  if (isBefore(result.theirs)) return result.theirs;
  throw new UnusableInput('Somebody else has changed this since, so it was not undone.');
};
