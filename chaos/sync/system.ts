/*
 * A system of a partner that syncs patients and appointments both ways: it writes its own changes in batches, and follows the
 * event log for those of others. It keeps its copies in a file, and goes on from there after a kill.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BatchWrite,
  Chairside,
  ChairsideError,
  type ChairsideEvent,
  type WriteResult,
} from '@chairside/client';
import { CANARY } from '../canary.ts';
import { openRandom } from '../random.ts';
import { type Control, readFileOf, replaceFileOf } from './files.ts';
import { emptyState, type Kind, type Known, openCopies, type State, viewOf } from './records.ts';

const {
  SYNC_NAME = '',
  SYNC_API = '',
  SYNC_FOLDER = '',
  SYNC_CLINIC = '',
  SYNC_KEY,
  SYNC_SEED,
} = process.env;
/** Nothing has this address: each request goes to where the api listens at that moment. */
const ANYWHERE = 'http://api.localhost';
/** The event log is followed from before the first start. What is read twice changes nothing. */
const OVERLAP_MS = 3_600_000;
const EDIT_EVERY_MS = 150;
const WRITE_EVERY_MS = 700;
/** The most records at once, so that both systems often change the same one. */
const MAX_RECORDS = 60;
const EDITS = { create: 25, book: 10, change: 50, delete: 15 };

const control = (): Control => readFileOf<Control>(SYNC_FOLDER, 'control');
const report = (line: object): void => console.log(JSON.stringify(line));

const load = (): State => {
  try {
    return readFileOf<State>(SYNC_FOLDER, SYNC_NAME);
  } catch {
    return emptyState();
  }
};
const state = load();
const save = (): void => replaceFileOf(SYNC_FOLDER, SYNC_NAME, state);

const copies = openCopies(state);
const chairside = new Chairside({
  baseUrl: ANYWHERE,
  apiKey: SYNC_KEY,
  timeout: 20_000,
  fetch: (url, init) => fetch(url.replace(ANYWHERE, control().addresses[SYNC_API] ?? ''), init),
});
const groups = { patient: chairside.patients, appointment: chairside.appointments };

/** Repeats what fails because a part of the service is down. */
const until = async <T>(work: () => Promise<T>): Promise<T> => {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ChairsideError) || error.name === 'InvalidArgument') throw error;
      report({ msg: 'repeats', status: error.status, name: error.name });
      await sleep(300);
    }
  }
};

const read = async (kind: Kind, externalId: string): Promise<Known | undefined> => {
  try {
    return (await groups[kind].getByExternalId(externalId)) as Known;
  } catch (error) {
    if (error instanceof ChairsideError && error.status === 404) return undefined;
    throw error;
  }
};

/** Asks the service which record has an external id, again if an event has said so meanwhile. */
const lookUp = async (kind: Kind, externalId: string): Promise<void> => {
  for (;;) {
    const before = copies.idOf(externalId);
    const found = await until(() => read(kind, externalId));
    if (copies.idOf(externalId) === before) return copies.replace(kind, externalId, found);
  }
};

const apply = async ({ event, data }: ChairsideEvent): Promise<void> => {
  const [kind, what] = event.split('.') as [Kind, string];
  const record = data as Known;
  if (what === 'deleted') copies.forget(record._id);
  else if (!copies.take(kind, record) && record.externalId !== undefined)
    await lookUp(kind, record.externalId);
};

const follow = async (): Promise<void> => {
  const since = new Date(Date.now() - OVERLAP_MS);
  const { cursor } = state;
  const events = chairside.events.follow({
    ...(cursor === undefined ? { since } : { cursor }),
    clinicId: SYNC_CLINIC,
    maxWait: 1000,
  });
  for await (const event of events) {
    await apply(event);
    state.cursor = events.cursor;
    save();
  }
};

const reportResult = (
  { kind, method }: BatchWrite,
  { status, error, record, ...made }: WriteResult,
): void => {
  if (error !== undefined) report({ msg: 'refused', method, status });
  if (record === undefined || made.changed !== true) return;
  const what = method === 'delete' ? 'deleted' : made.created === true ? 'created' : 'updated';
  const { _id: recordId, lastEditTime } = record;
  report({ msg: 'acknowledged', event: `${kind}.${what}`, recordId, lastEditTime });
};

const write = async (): Promise<void> => {
  const sent = copies.writes(SYNC_CLINIC);
  if (sent.length === 0) return;
  const results: WriteResult[] = [];
  for await (const batch of chairside.importAll(sent.map((each) => each.write)))
    results.push(...batch.results);
  for (const [index, result] of results.entries()) {
    const { write: row, number } = sent[index] as (typeof sent)[number];
    reportResult(row, result);
    const isKnown = copies.written(row, number, result);
    // A refused write is given up: what the service has stays.
    if (result.error !== undefined || !isKnown) await lookUp(row.kind, row.externalId ?? '');
  }
  save();
};

const random = openRandom(Number(SYNC_SEED), `${SYNC_NAME} after ${state.changes} changes`);

const edit = (): void => {
  const view = Object.keys(viewOf(state));
  const what = view.length < 5 ? 'create' : random.weighted(EDITS);
  const patients = view.filter((id) => state.copies[id]?.kind === 'patient');
  const at = `${SYNC_NAME} ${state.changes}`;
  if (what === 'create' && view.length < MAX_RECORDS)
    copies.change('patient', `${CANARY}:${at}`, { name: `${CANARY} ${at}`, phone: null, language: null });
  else if (what === 'book' && view.length < MAX_RECORDS)
    copies.change('appointment', `${CANARY}:visit ${at}`, {
      status: 'PATIENT_ARRIVED',
      patientExternalId: random.pick(patients),
    });
  else {
    const externalId = random.pick(view);
    const kind = state.copies[externalId]?.kind ?? 'patient';
    if (what === 'delete') copies.change(kind, externalId, undefined);
    else if (kind === 'patient')
      copies.change(kind, externalId, random.below(2) === 0 ? { phone: `+41 44 ${at}` } : { language: at });
    else copies.change(kind, externalId, { status: random.pick(['PATIENT_ARRIVED', 'CANCELED']) });
  }
  save();
};

const editing = async (): Promise<void> => {
  while (!control().isEnding) {
    edit();
    await sleep(random.below(2 * EDIT_EVERY_MS));
  }
};
const writing = async (): Promise<never> => {
  for (;;) {
    await until(write);
    await sleep(WRITE_EVERY_MS);
  }
};

process.on('SIGTERM', () => process.exit(0));
report({ msg: 'syncs' });
await Promise.all([follow(), editing(), writing()]);
