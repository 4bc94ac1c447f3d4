import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError, UnusableDatabaseError } from '@chairside/runtime';
import type { Collection, Db } from 'mongodb';
import type { Ciphers } from '../encryption/ciphers.ts';
import {
  type CurrentStage,
  type EncryptionStage,
  readStage,
  STAGE_LIFE_MS,
} from '../encryption/encryption-stage.ts';
import { type FormDocument, SEALED_FORM } from '../preparation/database-form.ts';
import { dropTextIndexes } from '../preparation/indexes.ts';
import {
  checkRunningForms,
  EarlierVersionRunsError,
  type ProcessDocument,
} from '../preparation/running-processes.ts';
import {
  type BadValue,
  type PartProgress,
  pagesOf,
  type SealedPart,
  type Stored,
  sealedParts,
  writeAll,
} from './sealed-parts.ts';

/**
 * How long to wait until every process acts by a new stage: the time for which it may act by the one before, and as long
 * again for statements in flight.
 */
const SETTLE_MS = 2 * STAGE_LIFE_MS;
/** How long processes of an earlier version may take to stop after the form of the database has changed. */
const STOPPING_MS = 30_000;
/** Maximum number of passes over the data. Each pass that converted something is followed by another one. */
const MAX_PASSES = 10;

/**
 * Seals everything that is stored as text, once.
 *
 * @returns the number of converted values by part, and what could not be converted
 */
const sealText = async (
  database: Db,
  ciphers: Pick<Ciphers, 'of'>,
  onProgress: PartProgress,
): Promise<{ converted: Record<string, number>; left: BadValue[] }> => {
  const converted: Record<string, number> = {};
  const left: BadValue[] = [];
  const sealing = async (part: SealedPart, document: Stored) => {
    try {
      return part.sealing(document, await ciphers.of(document.organizationId));
    } catch (error) {
      if (!(error instanceof ServiceError || error instanceof SyntaxError || error instanceof TypeError))
        throw error;
      left.push({ name: part.name, _id: document._id });
      return [];
    }
  };
  for (const part of sealedParts) {
    const { name } = part;
    let done = 0;
    for await (const page of pagesOf(database, part, part.isText)) {
      const writes = (await Promise.all(page.map((document) => sealing(part, document)))).flat();
      done += await writeAll(database.collection<Stored>(part.collection), writes);
      onProgress({ name, done });
    }
    if (done > 0) converted[name] = done;
  }
  return { converted, left };
};

/** Seals everything that is stored as text, until a pass finds nothing that it can convert. */
const sealAll: typeof sealText = async (database, ciphers, onProgress) => {
  const converted: Record<string, number> = {};
  for (let passes = 0; passes < MAX_PASSES; passes++) {
    const pass = await sealText(database, ciphers, onProgress);
    const found = Object.entries(pass.converted);
    if (found.length === 0) return { converted, left: pass.left };
    for (const [name, count] of found) converted[name] = (converted[name] ?? 0) + count;
  }
  throw new ServiceError(
    'Something still writes data as text. End every process of an earlier version, then repeat the command.',
  );
};

export type EncryptionReport = {
  stage: EncryptionStage;
  /** How many documents were converted, by part. */
  converted: Record<string, number>;
  /** What could not be converted: its text is not valid, or the keys of its organization are missing. */
  left: BadValue[];
  droppedIndexes: string[];
};

export type ConversionParts = {
  database: Db;
  databaseForm: Collection<FormDocument>;
  processes: Collection<ProcessDocument>;
  ciphers: Pick<Ciphers, 'of'>;
  stage: CurrentStage;
};

export type ConversionOptions = {
  onStage(stage: EncryptionStage): void;
  onProgress: PartProgress;
  /** How long to wait until every process acts by a new stage, in milliseconds. */
  settleMs?: number;
};

/**
 * Encrypts what identifies patients in a database of an earlier version, while the services run. The call may be
 * interrupted and repeated, also after its end. It writes no event, and changes no `lastEditTime` and no ETag.
 *
 * @throws {EarlierVersionRunsError} if a process runs that does not read sealed values
 * @throws {UnusableDatabaseError} if no process of this version has prepared the database
 */
export const applyEncryption = async (
  { database, databaseForm, processes, ciphers, stage: current }: ConversionParts,
  { onStage, onProgress, settleMs = SETTLE_MS }: ConversionOptions,
): Promise<EncryptionReport> => {
  const sealedForm = { current: SEALED_FORM, oldestReader: SEALED_FORM, oldestUpgradable: 0 };
  const enter = async (stage: Exclude<EncryptionStage, 'plain'>): Promise<void> => {
    const { matchedCount } = await databaseForm.updateOne(
      { _id: 'form' },
      { $set: { encryption: stage }, $max: { oldestReader: SEALED_FORM } },
    );
    if (matchedCount === 0)
      throw new UnusableDatabaseError(
        'No version that can encrypt has started on this database. Start a service of this version, then repeat the command.',
      );
    onStage(stage);
    await sleep(settleMs);
    current.forget();
  };

  /** A process of an earlier version that has started in between finds the new form, and stops. */
  const untilEarlierVersionsEnd = async (): Promise<void> => {
    for (const end = performance.now() + STOPPING_MS; ; await sleep(1000)) {
      try {
        return await checkRunningForms(database, processes, sealedForm);
      } catch (error) {
        if (!(error instanceof EarlierVersionRunsError) || performance.now() > end) throw error;
      }
    }
  };

  let stage = await readStage(database);
  if (stage === 'plain') await checkRunningForms(database, processes, sealedForm);
  // An interrupted call may not have waited after the stage that it had stored, so that stage is entered again.
  if (stage === 'plain' || stage === 'prepared') {
    await enter('prepared');
    await untilEarlierVersionsEnd();
  }
  if (stage !== 'encrypted') {
    stage = 'converting';
    await enter(stage);
  }
  const { converted, left } = await sealAll(database, ciphers, onProgress);
  if (left.length > 0) return { stage, converted, left, droppedIndexes: [] };
  if (stage === 'converting') {
    stage = 'encrypted';
    await enter(stage);
  }
  return { stage, converted, left, droppedIndexes: await dropTextIndexes(database) };
};

/** How many documents still have something as text, by part. */
export const countText = async (database: Db): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const { name, collection, isText } of sealedParts) {
    const count = await database.collection<Stored>(collection).countDocuments(isText);
    if (count > 0) counts[name] = count;
  }
  return counts;
};
