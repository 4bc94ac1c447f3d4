import { type Issue, Refusal, validationError } from '@chairside/domain';
import { ExternalIdTakenError } from '@chairside/mongodb';
import { furtherIssues, type SentBody } from '../http/further-issues.ts';
import { staleRevision } from './entity-tags.ts';
import { OTHER_ID } from './references.ts';
import { ifMatchOf, setHeader, type WriteCall } from './write-call.ts';
import { type EditBy, type EventfulRecord, type RecordWriter, updateIfChanged } from './writer.ts';

/** How often a record may be created, or deleted, between its search and its write. */
const MAX_TRIES = 10;

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

export type Upserted<R> = { record: R; isCreated: boolean; isChanged: boolean };

/** Tells in headers what an upsert has done. @returns the record */
export const toldInHeaders = <R>(call: WriteCall, { record, isCreated, isChanged }: Upserted<R>): R => {
  setHeader(call, 'X-Record-Created', String(isCreated));
  setHeader(call, 'X-Record-Changed', String(isChanged));
  return record;
};

type Upsert<R> = {
  externalId: string;
  /** What the caller sent. */
  sent: SentBody & { body: { _id?: string | undefined; clinicId?: string | undefined } };
  /** Returns the next version of the stored record. It is called again for each try. */
  nextVersion(current: R): R | Promise<R>;
  /** Creates the record in this clinic. */
  create(clinicId: string): Promise<R>;
  /** Writes the next version; by default, that is the `edit` of the records. */
  by?: EditBy<R> | undefined;
};

/** Changes the record with an external id, or creates it. However many callers do so at once, there is one record. */
export const upsertRecord = async <R extends EventfulRecord>(
  writer: RecordWriter<R>,
  call: WriteCall,
  { externalId, sent, nextVersion, create, by }: Upsert<R>,
): Promise<Upserted<R>> => {
  const { _id, clinicId } = sent.body;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const changed = await updateIfChanged(writer, call, { externalId }, nextVersion, by);
    if (changed !== undefined) return { ...changed, isCreated: false };
    if (ifMatchOf(call) !== undefined) throw staleRevision();
    const issues = [...(_id === undefined ? [] : [OTHER_ID]), ...(clinicId === undefined ? [NO_CLINIC] : [])];
    if (clinicId === undefined || issues.length > 0)
      throw validationError([...issues, ...(await furtherIssues(call.request, sent, issues))]);
    try {
      return { record: await create(clinicId), isCreated: true, isChanged: true };
    } catch (error) {
      // Another caller has created it first. In a guarded booking, it may be what fills the time.
      const isTaken =
        (error instanceof ExternalIdTakenError && !error.isBeyondReach) ||
        (error instanceof Refusal &&
          error.name === 'Conflict' &&
          (await writer.recordsOf(call.request.store).idOf(externalId)) !== undefined);
      if (!isTaken) throw error;
    }
  }
  throw new Refusal(
    'ServiceUnavailable',
    'Other callers create and delete this record at the same time. Try again later.',
    { retryAfter: 1 },
  );
};
