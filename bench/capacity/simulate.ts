import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEngines } from '@chairside/local-services';
import { patientFields } from '../patient.ts';
import { startReceiver } from '../receiver.ts';
import { openService } from '../service.ts';
import { type Sizes, sizesOf } from './index-keys.ts';
import { listEntrySize, SIZES, type Size, setsSize } from './model.ts';

/** What the simulated practice does. */
export type Simulated = { writes: number; reads: number; subscriptions: number; listSize: number };

/** The mean sizes of what the service has stored for it. */
export type Measured = {
  delivery: Sizes;
  event: Sizes;
  writeEntry: Sizes;
  readEntry: Sizes;
  /** The entry of a long list. */
  listEntry: Sizes;
  /** The sets of a list that was read for the first time, all together; undefined if it is too short for sets. */
  sets: Sizes | undefined;
  /** The number of these sets. It depends on the ids, which are random. */
  numberOfSets: number;
  /** The number of sets that the same list added when it was read again. */
  setsOfRepetition: number;
};

/** Runs the built services with a real database, lets a practice work, and measures what is stored. */
export const simulate = async (simulated: Simulated): Promise<Measured> => {
  const running = new AsyncDisposableStack();
  try {
    return await simulateIn(running, simulated);
  } finally {
    await running.disposeAsync();
  }
};

/** @param running receives everything that is started, even if this function throws */
const simulateIn = async (
  running: AsyncDisposableStack,
  { writes, reads, subscriptions, listSize }: Simulated,
): Promise<Measured> => {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'chairside-bench-'));
  running.defer(() => rm(dataDirectory, { recursive: true, force: true }));
  const engines = await startEngines({ dataDirectory, onProgress: console.log });
  running.defer(() => engines.stop());
  const service = await openService(engines.mongodb.url, engines.redis.url);
  running.defer(() => service.close());
  const receiver = await startReceiver();
  running.defer(() => receiver.stop());
  const api = await service.startApi();
  running.defer(() => api.stop());
  const dispatcher = await service.startDispatcher();
  running.defer(() => dispatcher.stop());

  const urls = Array.from({ length: subscriptions }, (_, index) => `${receiver.url}${index}`);
  const { clinicId } = await service.createClinic(urls);
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${api.url}${path}`, {
      method,
      headers: {
        authorization: `Basic ${Buffer.from(service.apiKey).toString('base64')}`,
        'content-type': 'application/json',
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json() as Promise<{ _id: string }>;
  };
  const ids: string[] = [];
  for (let index = 0; index < writes; index++) {
    const fields = patientFields(clinicId);
    const id = ids[Math.floor(index / 2)];
    if (index % 2 === 1 && id !== undefined) await call('PUT', `/api/patients/${id}`, fields);
    else ids.push((await call('POST', '/api/patients', fields))._id);
  }
  for (let index = 0; index < reads; index++) await call('GET', `/api/patients/${ids[index % ids.length]}`);
  // Enough records for the list.
  await service.write(clinicId, Math.max(0, listSize - ids.length));
  const path = `/api/patients?clinicId=${clinicId}&limit=${listSize}`;
  await call('GET', path);
  const sets = service.database.collection('auditedSets');
  const each = await sizesOf(sets);
  const first = {
    documents: each.documents,
    bytes: each.bytes * each.documents,
    keys: each.keys * each.documents,
    keyBytes: each.keyBytes * each.documents,
  };
  await call('GET', path);

  const { database } = service;
  const [events, entries] = [database.collection('events'), database.collection('auditEntries')];
  const isWrite = { action: { $in: ['created', 'updated'] }, kind: 'patient' };
  while ((await events.countDocuments({ insertedAt: { $exists: true } })) < writes) await sleep(50);
  while ((await entries.countDocuments(isWrite)) < writes) await sleep(50);
  const deliveries = database.collection('deliveries');
  while ((await deliveries.countDocuments({ status: 'succeeded' })) < writes * subscriptions) await sleep(50);
  const listed = await sizesOf(entries, { action: 'listed' });
  return {
    delivery: await sizesOf(deliveries, { status: 'succeeded' }),
    event: await sizesOf(events, { insertedAt: { $exists: true } }),
    writeEntry: await sizesOf(entries, isWrite),
    readEntry: await sizesOf(entries, { action: 'read' }),
    listEntry: listed,
    sets: first.documents === 0 ? undefined : first,
    numberOfSets: first.documents,
    setsOfRepetition: (await sets.countDocuments()) - first.documents,
  };
};

/** How much a size of the model may differ from a measured one. */
const TOLERANCE = 0.25;

/** The sizes of the model beside the measured ones, by what was stored. */
const compared = (
  measured: Measured,
  listSize: number,
): Readonly<Record<string, { model: Size; measured: Size }>> => {
  const { delivery, event, writeEntry, readEntry, listEntry, sets, numberOfSets } = measured;
  return {
    'a delivery': { model: SIZES.delivery, measured: delivery },
    'an event in the log': { model: SIZES.event, measured: event },
    'the audit entry of a write': { model: SIZES.writeEntry, measured: writeEntry },
    'the audit entry of a read': { model: SIZES.readEntry, measured: readEntry },
    ...(sets && {
      [`the audit entry of a list of ${listSize}`]: {
        model: listEntrySize(numberOfSets),
        measured: listEntry,
      },
      'the sets of a new list': { model: setsSize(listSize, numberOfSets), measured: sets },
    }),
  };
};

/** The comparison as a table in Markdown. */
export const comparisonOf = (measured: Measured, listSize: number): string => {
  const sides = ({ model, measured: found }: { model: Size; measured: Size }, name: keyof Size): string =>
    `${Math.round(model[name]).toLocaleString('en')} / ${Math.round(found[name]).toLocaleString('en')}`;
  return [
    '| model / measured | bytes | index keys | bytes of keys |',
    '| --- | --- | --- | --- |',
    ...Object.entries(compared(measured, listSize)).map(
      ([name, both]) =>
        `| ${name} | ${sides(both, 'bytes')} | ${sides(both, 'keys')} | ${sides(both, 'keyBytes')} |`,
    ),
  ].join('\n');
};

/** What the model is wrong about, such as `bytes of a delivery`; also sets that a repeated list has added. */
export const deviations = (measured: Measured, listSize: number): string[] => [
  ...(measured.setsOfRepetition > 0 ? ['the sets of a repeated list'] : []),
  ...Object.entries(compared(measured, listSize)).flatMap(([name, { model, measured: found }]) =>
    (['bytes', 'keys', 'keyBytes'] as const)
      .filter((size) => Math.abs(found[size] / model[size] - 1) > TOLERANCE)
      .map((size) => `${size} of ${name}`),
  ),
];
