import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { CANARY } from './canary.ts';
import { openRandom, type Random } from './random.ts';
import type { Service } from './service.ts';

const WRITERS = 3;
/** The longest pause of a writer between two writes. */
const REST_MS = 400;
const RETRY_DELAY_MS = 500;
/** How long creations with a key are retried after everything is up again. */
const RESPONSE_TIMEOUT_MS = 60_000;

/** A write with a response of 200. Its event must exist. */
export type Acknowledged = { event: string; recordId: string; lastEditTime: string };

/** A creation that was requested. Its record contains the mark. */
export type Creation = { mark: string; isAcknowledged: boolean };

export type Writes = {
  acknowledged: Acknowledged[];
  creations: Creation[];
  /** Resolves right after the next response of 200, or after two seconds. */
  nextAcknowledged(): Promise<void>;
  /**
   * Stops the writers, and then waits up to a minute for the creations with a key.
   *
   * @returns a line if some of them have not succeeded
   */
  stop(): Promise<string[]>;
};

type Kind = 'patient' | 'appointment';
type Known = { kind: Kind; id: string };

const WRITES = {
  create: 30,
  'create, with a key': 20,
  'batch, with a key': 20,
  update: 25,
  move: 10,
  delete: 15,
};
/** The creations of a batch. */
const BATCH = 4;
const KINDS = { patient: 3, appointment: 1 };

type BatchResult = { status: number; record: { _id: string; lastEditTime: string } };

/** The field of each kind that contains the mark. */
const marked = {
  patient: (mark: string) => ({ name: mark }),
  appointment: (mark: string) => ({ reminders: [{ mark }] }),
};

/** Writes records through the api, and remembers what must exist because of that. */
const createRecords = ({ api, call, practice }: Service, signal: AbortSignal) => {
  const acknowledged: Acknowledged[] = [];
  const creations: Creation[] = [];
  const known: Known[] = [];
  const responses = new EventEmitter();

  /** @returns the record if the response was 200 */
  const write = async (
    what: 'created' | 'updated' | 'deleted',
    kind: Kind,
    ...request: Parameters<Service['call']>
  ): Promise<{ _id: string } | undefined> => {
    await api.whenUp();
    const response = await call(...request).catch(() => undefined);
    if (response?.status !== 200) return undefined;
    const { _id, lastEditTime } = response.json;
    acknowledged.push({ event: `${kind}.${what}`, recordId: _id, lastEditTime });
    responses.emit('response');
    return response.json;
  };

  /** A creation with a key is retried until it succeeds, as a careful caller does. */
  const create = async (kind: Kind, clinicId: string, key: string | undefined): Promise<void> => {
    const creation = newCreation();
    const body = { clinicId, ...marked[kind](creation.mark) };
    const headers = key === undefined ? {} : { 'idempotency-key': key };
    for (;;) {
      const made = await write('created', kind, 'POST', `/api/${kind}s`, body, headers);
      if (made !== undefined) {
        creation.isAcknowledged = true;
        known.push({ kind, id: made._id });
      }
      if (made !== undefined || key === undefined) return;
      await sleep(RETRY_DELAY_MS, undefined, { signal });
    }
  };

  const newCreation = (): Creation => {
    const creation = { mark: `${CANARY} ${creations.length}`, isAcknowledged: false };
    creations.push(creation);
    return creation;
  };

  /** Creates patients and changes the first one. The batch is sent again until each of its writes has succeeded. */
  const createBatch = async (clinicId: string, key: string): Promise<void> => {
    const made = Array.from({ length: BATCH }, newCreation);
    const writes = [
      ...made.map(({ mark }, index) =>
        index % 2 === 0
          ? { method: 'upsert', kind: 'patient', externalId: mark, body: { clinicId, name: mark } }
          : { method: 'create', kind: 'patient', body: { clinicId, name: mark, externalId: mark } },
      ),
      { method: 'update', kind: 'patient', externalId: made[0]?.mark, body: { language: 'en' } },
    ];
    const isWritten = (results: BatchResult[]): boolean =>
      results.length > 0 && results.every(({ status }) => status === 200);
    let results: BatchResult[] = [];
    while (!isWritten(results)) {
      await api.whenUp();
      const sent = call('POST', '/api/batch', { writes }, { 'idempotency-key': key });
      const response = await sent.catch(() => undefined);
      results = response?.status === 200 ? response.json.results : [];
      if (!isWritten(results)) await sleep(RETRY_DELAY_MS, undefined, { signal });
    }
    for (const [index, { record }] of results.entries()) {
      const creation = made[index];
      const event = creation === undefined ? 'patient.updated' : 'patient.created';
      acknowledged.push({ event, recordId: record._id, lastEditTime: record.lastEditTime });
      if (creation === undefined) continue;
      creation.isAcknowledged = true;
      known.push({ kind: 'patient', id: record._id });
    }
    responses.emit('response');
  };

  const change = async (what: 'update' | 'move' | 'delete', random: Random): Promise<void> => {
    const index = random.below(1_000_000) % Math.max(1, known.length);
    const [record] = what === 'delete' ? known.splice(index, 1) : known.slice(index, index + 1);
    if (record === undefined) return;
    const path = `/api/${record.kind}s/${record.id}`;
    if (what === 'delete') {
      await write('deleted', record.kind, 'DELETE', path);
    } else {
      const body = what === 'move' ? { clinicId: random.pick(practice.clinicIds) } : {};
      await write('updated', record.kind, 'PUT', path, body);
    }
  };

  const nextAcknowledged = async (): Promise<void> => {
    const either = AbortSignal.any([signal, AbortSignal.timeout(2000)]);
    await once(responses, 'response', { signal: either }).catch(() => {});
    signal.throwIfAborted();
  };

  return { acknowledged, creations, create, createBatch, change, nextAcknowledged };
};

/** Starts writers, which write records while faults happen. */
export const startWrites = (service: Service, seed: number, signal: AbortSignal): Writes => {
  const records = createRecords(service, signal);
  const { acknowledged, creations, create, createBatch, change, nextAcknowledged } = records;
  const { clinicIds } = service.practice;
  /** The creations with a key that have not succeeded yet. */
  const inFlight = new Set<Promise<void>>();
  let isStopping = false;

  const run = async (writer: number): Promise<void> => {
    const random = openRandom(seed, `writer ${writer}`);
    for (let count = 0; !isStopping; count++) {
      const what = random.weighted(WRITES);
      const kind = random.weighted(KINDS);
      const clinicId = clinicIds[random.below(10) === 0 ? 1 : 0];
      if (what === 'create') {
        await create(kind, clinicId, undefined);
      } else if (what === 'create, with a key' || what === 'batch, with a key') {
        const key = `${writer} ${count}`;
        // The creation is not awaited, because taking over a key of a crashed process has to wait until its lease
        // expires.
        const made = what === 'batch, with a key' ? createBatch(clinicId, key) : create(kind, clinicId, key);
        const creation = made.finally(() => inFlight.delete(creation));
        creation.catch(() => {});
        inFlight.add(creation);
      } else {
        await change(what, random);
      }
      await sleep(random.below(REST_MS), undefined, { signal });
    }
  };
  const runs = Promise.all(Array.from({ length: WRITERS }, (_, writer) => run(writer)));
  runs.catch(() => {});

  return {
    acknowledged,
    creations,
    nextAcknowledged,
    async stop() {
      isStopping = true;
      await runs;
      await Promise.race([Promise.all(inFlight), sleep(RESPONSE_TIMEOUT_MS, undefined, { signal })]);
      return inFlight.size === 0 ? [] : [`${inFlight.size} creations with a key get no response`];
    },
  };
};
