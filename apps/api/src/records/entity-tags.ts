import { Refusal } from '@chairside/domain';
import type { FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the record has an entity tag for If-Match and If-None-Match. */
    versioned?: true;
  }
}

/** The strong entity tag of a record: its revision (RFC 9110, section 8.8.3). */
export const etagOf = (revision: number): string => `"${revision}"`;

const tagsIn = (header: string): string[] => header.split(',').map((tag) => tag.trim());

/**
 * The revisions that `If-Match` accepts; undefined for any. A weak tag never matches (RFC 9110, section 13.1.1).
 *
 * @throws {Refusal} BadRequest if the header is not a list of entity tags
 */
export const acceptedRevisions = ({ headers }: FastifyRequest): number[] | undefined => {
  const header = headers['if-match'];
  if (header === undefined || header.trim() === '*') return undefined;
  const tags = tagsIn(header);
  if (!tags.every((tag) => /^(W\/)?"[\x21\x23-\x7e]*"$/.test(tag))) {
    throw new Refusal(
      'BadRequest',
      'The header If-Match must contain entity tags from ETag headers, such as "3".',
    );
  }
  return tags.flatMap((tag) => (/^"\d+"$/.test(tag) ? [Number(tag.slice(1, -1))] : []));
};

/** The refusal of a change whose `If-Match` names an earlier revision. */
export const staleRevision = (): Refusal =>
  new Refusal(
    'PreconditionFailed',
    'The record has changed since you read it. Read it again, then repeat your change.',
  );

/** Whether `If-None-Match` is `*` or contains this tag in its strong or weak form (RFC 9110, section 13.1.2). */
export const isKnown = ({ headers }: FastifyRequest, tag: string): boolean => {
  const header = headers['if-none-match'];
  if (header === undefined) return false;
  return header.trim() === '*' || tagsIn(header).some((each) => each.replace(/^W\//, '') === tag);
};

/** Sets the tag of the record. @returns whether the caller already has this version */
export const isUnchanged = (request: FastifyRequest, reply: FastifyReply, revision: number): boolean => {
  const tag = etagOf(revision);
  reply.header('ETag', tag);
  return isKnown(request, tag);
};
