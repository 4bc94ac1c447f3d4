import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError, searchKeysOf } from '@chairside/domain';
import type { AnyBulkWriteOperation } from 'mongodb';
import type { Collection, Database } from '../driver/database.ts';
import { type Cipher, type Ciphers, KEYS_LIFE_MS, UnreadableValueError } from '../encryption/ciphers.ts';
import type { ReadSearchState, SearchedOrganization, SearchState } from '../encryption/search-state.ts';
import { type ProcessDocument, runningProcesses } from '../preparation/running-processes.ts';
import { SEALED, shapes, toRecord } from '../records/record-shapes.ts';
import { SEARCH_TOKENS, searchTokens } from '../records/search-tokens.ts';
import { type BadValue, type PartProgress, pagesOf, type Stored, writeAll } from './sealed-parts.ts';

/**
 * How long to wait until every running process writes by a new state: the time for which it may write by the one before,
 * and for writes in flight.
 */
const SETTLE_MS = KEYS_LIFE_MS + 15_000;
/** The same if no process runs: only for the writes of other commands in flight, which read the state for each group. */
const COMMANDS_SETTLE_MS = 3000;

const shape = shapes.patient;
const hasNoTokens = { [SEARCH_TOKENS]: { $exists: false } };

export type SearchReport = {
  state: SearchState;
  /** How many patients were given tokens, or lost them. */
  changed: number;
  /** The patients that do not open, so they have no tokens. */
  refused: BadValue[];
};

export type SearchSwitchOptions = {
  /** Called before the wait for other processes. @param seconds how long it takes */
  onWait(seconds: number): void;
  onProgress: PartProgress;
  /** How long to wait until every process writes by a new state, in milliseconds. */
  settleMs?: number;
};

export type PatientSearchParts = {
  database: Database;
  processes: Collection<ProcessDocument>;
  ciphers: Pick<Ciphers, 'of' | 'forget'>;
  searchState: ReadSearchState;
};

type Patient = Stored & { revision: number };

/** The write that gives a patient its tokens. Another caller's write comes first: it stores tokens, too. */
const addingTokens = (patient: Patient, cipher: Cipher): AnyBulkWriteOperation<Stored> => {
  const { _id, organizationId, revision } = patient;
  const keys = searchKeysOf(toRecord(shape, patient, cipher));
  return {
    updateOne: {
      filter: { _id, organizationId, revision, ...hasNoTokens },
      update: { $set: { [SEARCH_TOKENS]: searchTokens(keys, cipher) } },
    },
  };
};

/** @throws {ServiceError} if another command has switched the search the other way since */
const checkWanted = async (
  { searchState }: PatientSearchParts,
  organizationId: string,
  wanted: 'on' | 'off',
): Promise<void> => {
  if (((await searchState(organizationId)) === 'off') === (wanted === 'off')) return;
  throw new ServiceError(
    `Another command has switched the search ${wanted === 'off' ? 'on' : 'off'} in the meantime. Wait until it has ended.`,
  );
};

/** Gives tokens to all encrypted patients of an organization that have none. */
const addTokens = async (
  parts: PatientSearchParts,
  organizationId: string,
  onProgress: PartProgress,
): Promise<Omit<SearchReport, 'state'>> => {
  const { database, ciphers } = parts;
  const cipher = await ciphers.of(organizationId);
  const collection = database.collection<Stored>(shape.collection);
  const part = { collection: shape.collection, projection: { organizationId: 1, revision: 1, [SEALED]: 1 } };
  const missing = { organizationId, [SEALED]: { $exists: true }, ...hasNoTokens };
  const refused: BadValue[] = [];
  const write = async (patient: Patient): Promise<AnyBulkWriteOperation<Stored>[]> => {
    try {
      return [await cipher.opening(() => addingTokens(patient, cipher))];
    } catch (error) {
      if (!(error instanceof UnreadableValueError)) throw error;
      refused.push({ name: part.collection, _id: patient._id });
      return [];
    }
  };
  let changed = 0;
  for await (const page of pagesOf(database, part, missing)) {
    await checkWanted(parts, organizationId, 'on');
    const writes = (await Promise.all(page.map((patient) => write(patient as Patient)))).flat();
    changed += await writeAll(collection, writes);
    onProgress({ name: part.collection, done: changed });
  }
  return { changed, refused };
};

/** Removes the tokens of all patients of an organization. */
const removeTokens = async (
  parts: PatientSearchParts,
  organizationId: string,
  onProgress: PartProgress,
): Promise<number> => {
  const { database } = parts;
  const part = { collection: shape.collection, projection: { organizationId: 1 } };
  const collection = database.collection<Stored>(shape.collection);
  let changed = 0;
  for await (const page of pagesOf(database, part, {
    organizationId,
    [SEARCH_TOKENS]: { $exists: true },
  })) {
    await checkWanted(parts, organizationId, 'off');
    const ids = page.map(({ _id }) => _id);
    const update = { $unset: { [SEARCH_TOKENS]: '' } };
    changed += await writeAll(collection, [
      { updateMany: { filter: { _id: { $in: ids }, organizationId }, update } },
    ]);
    onProgress({ name: part.collection, done: changed });
  }
  return changed;
};

/**
 * Switches the search for patients by name and telephone number on or off in one organization, while the services run. The
 * call may be interrupted and repeated. It writes no event, and changes no `lastEditTime` and no ETag. While the search is
 * being switched on, it works and reads every patient.
 *
 * @throws {ServiceError} if another call switches the search the other way meanwhile. The later call wins
 */
export const switchPatientSearch = async (
  parts: PatientSearchParts,
  organizationId: string,
  wanted: 'on' | 'off',
  { onWait, onProgress, settleMs = SETTLE_MS }: SearchSwitchOptions,
): Promise<SearchReport> => {
  const { database, processes, ciphers, searchState } = parts;
  const organizations = database.collection<SearchedOrganization>('organizations');
  const of = { _id: organizationId };
  const enter = async (patientSearch: Exclude<SearchState, 'on'>): Promise<void> => {
    await organizations.updateOne(of, { $set: { patientSearch } });
    ciphers.forget(organizationId);
    const isAlone = (await runningProcesses(database, processes)).length === 0;
    const waitMs = isAlone ? Math.min(settleMs, COMMANDS_SETTLE_MS) : settleMs;
    onWait(waitMs / 1000);
    await sleep(waitMs);
  };
  if (wanted === 'off') {
    await enter('off');
    const changed = await removeTokens(parts, organizationId, onProgress);
    await checkWanted(parts, organizationId, 'off');
    return { state: 'off', changed, refused: [] };
  }
  if ((await searchState(organizationId)) !== 'on') await enter('building');
  const report = await addTokens(parts, organizationId, onProgress);
  await organizations.updateOne({ ...of, patientSearch: 'building' }, { $unset: { patientSearch: '' } });
  await checkWanted(parts, organizationId, 'on');
  return { state: 'on', ...report };
};
