import { type Issue, Refusal, validationError } from '@chairside/domain';
import { ExternalIdTakenError } from '@chairside/mongodb';
import { staleRevision } from './entity-tags.ts';
import type { WriteCall } from './write-call.ts';
import { type EditBy, type EventfulRecord, type RecordWriter, updateIfChanged } from './writer.ts';

/** How often a record may be created, or deleted, between its search and its write. */
const MAX_TRIES = 10;

const OTHER_ID: Issue = {
  path: '_id',
  message: 'must be the _id of the record that has this external id',
  code: 'read_only',
};
const NO_CLINIC: Issue = {
  path: 'clinicId',
  message: 'is required, because no record has this external id',
  code: 'required',
};

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a PUT changes or creates the record, and tells in headers which. */
    upserts?: true;
  }
}

/** How the reference describes the routes of {@link upsertRecord}. */
export const upsertDescription = (what: string): string =>
  `Changes the ${what} with this \`externalId\` like a PUT on the \`_id\`, but writes and sends nothing if nothing changes. If there is none, creates it. \`X-Record-Created\` and \`X-Record-Changed\` tell which.`;

type Upsert<R> = {
  externalId: string;
  /** The `_id` in the body. */
  _id: string | undefined;
  clinicId: string | undefined;
  /** Returns the next version of the stored record. It is called again for each try. */
  nextVersion(current: R): R | Promise<R>;
  /** Creates the record in this clinic. */
  create(clinicId: string): Promise<R>;
  /** Writes the next version; by default, that is the `edit` of the records. */
  by?: EditBy<R> | undefined;
};

/**
 * Changes the record with an external id, or creates it, and tells in two headers which. However many callers do so at
 * once, there is one record.
 */
export const upsertRecord = async <R extends EventfulRecord>(
  writer: RecordWriter<R>,
  call: WriteCall,
  { externalId, _id, clinicId, nextVersion, create, by }: Upsert<R>,
): Promise<R> => {
  const { request, reply } = call;
  const told = (record: R, isCreated: boolean, isChanged: boolean): R => {
    reply.header('X-Record-Created', String(isCreated));
    reply.header('X-Record-Changed', String(isChanged));
    return record;
  };
  const next = (current: R): R | Promise<R> => {
    if (_id !== undefined && _id !== current._id) throw validationError([OTHER_ID]);
    return nextVersion(current);
  };
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const changed = await updateIfChanged(writer, call, { externalId }, next, by);
    if (changed !== undefined) return told(changed.record, false, changed.isChanged);
    if (request.headers['if-match'] !== undefined) throw staleRevision();
    const issues = [...(_id === undefined ? [] : [OTHER_ID]), ...(clinicId === undefined ? [NO_CLINIC] : [])];
    if (clinicId === undefined || issues.length > 0) throw validationError(issues);
    try {
      return told(await create(clinicId), true, true);
    } catch (error) {
      // Another caller has created it first.
      if (!(error instanceof ExternalIdTakenError)) throw error;
    }
  }
  throw new Refusal(
    'ServiceUnavailable',
    'Other callers create and delete this record at the same time. Try again later.',
    { retryAfter: 1 },
  );
};
