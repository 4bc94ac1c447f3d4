import { createHash } from 'node:crypto';
import { type ApiKey, type Operator, Refusal, type Subscription } from '@chairside/domain';
import type { FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Whether the record has an entity tag for If-Match and If-None-Match. `changes`: the tag is of what callers can
     * change, so it is for If-Match only.
     */
    versioned?: true | 'changes';
    /** Whether a PUT also creates the record, so that `If-None-Match: *` refuses to replace one. */
    creates?: true;
  }
}

/** The strong entity tag of a record: its revision (RFC 9110, section 8.8.3). */
export const etagOf = (revision: number): string => `"${revision}"`;

/**
 * A tag of this API as proxies that compress responses write it: nginx makes it weak, and Apache, Jetty and others add the
 * coding to it.
 */
const OF_PROXY = /^(?:W\/)?"(\d+|[\w-]{22})(?:(?:--?|;)(?:gzip|br|deflate|zstd))?"$/;

/** The tags in a header. Those of this API have the form in which it sent them. */
const tagsIn = (header: string): string[] =>
  header.split(',').map((tag) => tag.trim().replace(OF_PROXY, '"$1"'));

/**
 * The tags that this `If-Match` accepts; undefined for any. The weak form of a tag of this API matches, because it is the only
 * one that a caller behind a proxy sees.
 *
 * @throws {Refusal} BadRequest if the header is not a list of entity tags
 */
const acceptedTags = (header: string | undefined): string[] | undefined => {
  if (header === undefined || header.trim() === '*') return undefined;
  const tags = tagsIn(header);
  if (!tags.every((tag) => /^(W\/)?"[\x21\x23-\x7e]*"$/.test(tag))) {
    throw new Refusal(
      'BadRequest',
      'The header If-Match must contain entity tags from ETag headers, such as "3".',
    );
  }
  return tags;
};

/**
 * The revisions that this `If-Match` accepts; undefined for any.
 *
 * @throws {Refusal} BadRequest if the header is not a list of entity tags
 */
export const acceptedRevisions = (header: string | undefined): number[] | undefined =>
  acceptedTags(header)?.flatMap((tag) => (/^"\d+"$/.test(tag) ? [Number(tag.slice(1, -1))] : []));

/**
 * Whether the change may only create the record: `If-None-Match: *` (RFC 9110, section 13.1.2).
 *
 * @throws {Refusal} BadRequest if the header has another value, or is sent together with `If-Match`
 */
export const mustBeNew = ({ headers }: FastifyRequest): boolean => {
  const header = headers['if-none-match'];
  if (header === undefined) return false;
  if (header.trim() !== '*')
    throw new Refusal('BadRequest', 'The header If-None-Match of a change must be *.');
  if (headers['if-match'] !== undefined)
    throw new Refusal('BadRequest', 'Send either If-Match or If-None-Match, not both.');
  return true;
};

/** The refusal of a change whose `If-Match` names an earlier revision. */
export const staleRevision = (): Refusal =>
  new Refusal(
    'PreconditionFailed',
    'The record has changed since you read it. Read it again, then repeat your change.',
  );

const tagOf = (fields: object): string =>
  `"${createHash('sha256').update(JSON.stringify(fields)).digest('base64url').slice(0, 22)}"`;

/** What callers can change. Other fields, such as the time of the last use, change by themselves. */
const changeable = {
  subscription: ({ url, events, active }: Subscription) => ({ url, events, active }),
  apiKey: ({ name, scopes, rateLimit, clinicIds, expiryTime }: ApiKey) => ({
    name,
    scopes,
    rateLimit,
    clinicIds,
    expiryTime,
  }),
  operator: ({ email, role, name, active }: Operator) => ({ email, role, name, active }),
} as const;

type Changeable<K extends keyof typeof changeable> = Parameters<(typeof changeable)[K]>[0];

/** Sets the entity tag of what callers can change, and returns the record. */
export const tagged = <K extends keyof typeof changeable, R extends Changeable<K>>(
  reply: FastifyReply,
  kind: K,
  record: R,
): R => {
  reply.header('ETag', tagOf((changeable[kind] as (of: R) => object)(record)));
  return record;
};

/**
 * Returns a function that refuses a change of this record unless `If-Match` accepts its tag.
 *
 * @throws {Refusal} BadRequest if the header is not a list of entity tags
 */
export const requireMatch = <K extends keyof typeof changeable>(
  request: FastifyRequest,
  kind: K,
): ((current: Changeable<K>) => void) => {
  const accepted = acceptedTags(request.headers['if-match']);
  return (current) => {
    const tag = tagOf((changeable[kind] as (of: Changeable<K>) => object)(current));
    if (accepted?.includes(tag) === false) throw staleRevision();
  };
};

/** Whether `If-None-Match` is `*` or contains this tag, in its strong or its weak form (RFC 9110, section 13.1.2). */
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
