import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { newEvent, newId, readOpeningHours, weekdays } from '@chairside/domain';
import { sealedDocument } from '@chairside/test-support';
import { now } from '../clock.ts';
import type { Ledger } from '../ledger.ts';
import type { Service } from '../service.ts';

/** How long attacks hold connections or requests open. */
const HOLD_MS = 15_000;
const RESPONSE_TIMEOUT_MS = 60_000;

/** The number of responses by kind. */
export type ResponseCounts = Map<string, number>;
/** The attacking organization: its records, its key and its writes. */
export type Attacker = {
  service: Service;
  clinicId: string;
  ledger: Ledger;
  api(): string;
  /** Pauses the dispatcher, so that events accumulate in the records. Returns a function that resumes it. */
  pauseDispatcher(): () => void;
};
export type Attack = { name: string; run(attacker: Attacker): Promise<ResponseCounts> };

const noise = (length: number): string => randomBytes(length).toString('base64').slice(0, length);

/** The largest appointment that the api accepts: about 160 kB. */
const appointment = (clinicId: string) => ({
  clinicId,
  procedures: Array.from({ length: 100 }, (_, index) => ({
    _id: `${index}`,
    procedureId: noise(128),
    name: noise(500),
    price: '1'.repeat(100),
  })),
  reminders: Array.from({ length: 20 }, () => ({ text: noise(4000) })),
});

const count = (responses: ResponseCounts, response: string): void =>
  void responses.set(response, (responses.get(response) ?? 0) + 1);

const authorization = ({ service }: Attacker): string =>
  `Basic ${Buffer.from(service.apiKey).toString('base64')}`;

type Call = { method: string; path: string; body?: string; headers?: Record<string, string> };

/** Makes a call on its own connection. Returns the status, or the error, and the body. */
const call = async (attacker: Attacker, { method, path, body, headers }: Call): Promise<[string, string]> => {
  const asking = request(attacker.api() + path, {
    method,
    agent: new Agent(),
    timeout: RESPONSE_TIMEOUT_MS,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
  });
  asking.on('timeout', () => asking.destroy(new Error('timeout')));
  asking.end(body);
  try {
    const [response] = await once(asking, 'response');
    return [String(response.statusCode), await text(response)];
  } catch (error) {
    return [String((error as NodeJS.ErrnoException).code ?? (error as Error).message), ''];
  }
};

const allAtOnce = async (times: number, one: (index: number) => Promise<string>): Promise<ResponseCounts> => {
  const responses: ResponseCounts = new Map();
  await Promise.all(Array.from({ length: times }, async (_, index) => count(responses, await one(index))));
  return responses;
};

/** Connects, sends these bytes if there are any, and does not read a response to them. */
const openSilent = async (
  attacker: Attacker,
  bytes: string,
): Promise<{ socket: Socket; state: () => string }> => {
  const socket = connect(Number(new URL(attacker.api()).port), '127.0.0.1');
  let state = 'open';
  socket.on('error', () => {});
  socket.once('close', () => {
    state = 'closed';
  });
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => {});
  if (bytes === '') socket.resume();
  else socket.pause().write(bytes);
  return { socket, state: () => state };
};

const hold = async (attacker: Attacker, connections: number, bytes = ''): Promise<ResponseCounts> => {
  const sockets: Awaited<ReturnType<typeof openSilent>>[] = [];
  // Connections are opened in groups, because the backlog of the listening socket holds only a few hundred.
  for (let opened = 0; opened < connections; opened += 200)
    sockets.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(200, connections - opened) }, () => openSilent(attacker, bytes)),
      )),
    );
  await sleep(HOLD_MS);
  const responses: ResponseCounts = new Map();
  for (const { socket, state } of sockets) {
    count(responses, state());
    socket.destroy();
  }
  return responses;
};

/** Creates large appointments directly in the database, each with its event in its outbox. */
export const createLarge = async ({ service, clinicId, ledger }: Attacker, times: number): Promise<void> => {
  let left = times;
  const create = async () => {
    while (left-- > 0) {
      const time = new Date();
      const record = {
        _id: newId(time),
        ...appointment(clinicId),
        status: 'REQUESTED' as const,
        createdTime: time.toISOString(),
        lastEditTime: time.toISOString(),
      };
      const author = { principal: { kind: 'system' as const, id: 'bench' }, requestId: 'bench' };
      const event = newEvent({ _id: newId(time), event: 'appointment.created', time, author }, record);
      await service.organization.appointments.create(record, event);
      ledger.wrote(record._id, now());
    }
  };
  await Promise.all(Array.from({ length: 8 }, create));
};

const slowReaders: Attack = {
  name: '200 readers of a list that read nothing',
  run: (attacker) =>
    hold(
      attacker,
      200,
      `GET /api/appointments HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization(attacker)}\r\n\r\n`,
    ),
};

const heads: Attack = {
  name: '200 HEAD requests for a list',
  run: (attacker) =>
    allAtOnce(200, async () => {
      const headers = { authorization: authorization(attacker) };
      return (await call(attacker, { method: 'HEAD', path: '/api/appointments', headers }))[0];
    }),
};

const largeEvents: Attack = {
  name: '2,000 large events in the outbox',
  async run(attacker) {
    const go = attacker.pauseDispatcher();
    await createLarge(attacker, 2000).finally(go);
    return new Map([['stored', 2000]]);
  },
};

const signIns: Attack = {
  name: '200 concurrent sign-ins',
  run: (attacker) =>
    allAtOnce(200, async (index) => {
      const body = JSON.stringify({ email: `nobody-${index}@example.com`, password: 'wrong' });
      return (await call(attacker, { method: 'POST', path: '/api/sessions', body }))[0];
    }),
};

const idleConnections: Attack = {
  name: '10,000 idle connections',
  run: (attacker) => hold(attacker, 10_000),
};

const largestBodies: Attack = {
  name: '100 concurrent bodies of the largest size',
  run: (attacker) =>
    allAtOnce(100, async () => {
      const headers = { authorization: authorization(attacker) };
      const body = JSON.stringify(appointment(attacker.clinicId));
      const [response, json] = await call(attacker, {
        method: 'POST',
        path: '/api/appointments',
        body,
        headers,
      });
      if (response === '200') attacker.ledger.wrote(JSON.parse(json)._id, now());
      return response;
    }),
};

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
/** Almost the most appointments that one search may read. */
const BUSY = 95_000;
const GROUP = 5000;

/** A clinic that is open always, with appointments of four weeks from tomorrow on. Returns its id. */
const createBusyClinic = async ({ service }: Attacker): Promise<string> => {
  const { organization, organizationId, database, store } = service;
  const time = new Date();
  const clinicId = newId(time);
  const clinic = { _id: clinicId, name: 'Busy', currency: 'EUR', timezone: 'UTC' };
  await organization.clinics.create({ ...clinic, lastEditTime: time.toISOString() });
  const always = [{ opens: '00:00', closes: '24:00' }];
  const read = readOpeningHours({
    weekdays: Object.fromEntries(weekdays.map((day) => [day, always])),
    chairs: 100,
    slotMinutes: 5,
  });
  if ('issues' in read) throw new Error(JSON.stringify(read.issues));
  await organization.openingHours.set(clinicId, read.hours);
  const cipher = await store.ciphers.of(organizationId);
  const appointments = database.collection<{ _id: string }>('appointments');
  for (let from = 0; from < BUSY; from += GROUP)
    await appointments.insertMany(
      Array.from({ length: GROUP }, (_, index) => {
        const startTime = new Date(time.getTime() + DAY_MS + ((from + index) / BUSY) * 28 * DAY_MS);
        const endTime = new Date(startTime.getTime() + 30 * MINUTE_MS);
        const one = { _id: newId(), organizationId, clinicId, patientId: newId(), startTime, endTime };
        const rest = { status: 'SCHEDULED', procedures: [], reminders: [], lastEditTime: time, revision: 1 };
        return sealedDocument('appointments', { ...one, ...rest }, cipher);
      }),
    );
  return clinicId;
};

const freeTimes: Attack = {
  name: '100 searches for free slots and bookings of four weeks, among 95,000 appointments',
  async run(attacker) {
    const clinicId = await createBusyClinic(attacker);
    const at = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();
    const days = new URLSearchParams({ clinicId, from: at(1).slice(0, 10), to: at(28).slice(0, 10) });
    const search = { method: 'GET', path: `/api/availability?${days}&durationMinutes=30` };
    const booking = {
      method: 'POST',
      path: '/api/appointments?onlyIfFree=true',
      body: JSON.stringify({ clinicId, startTime: at(1), endTime: at(28) }),
    };
    const headers = { authorization: authorization(attacker) };
    // Nobody receives the events of this clinic, so they are not in the ledger.
    return allAtOnce(100, async (index) => {
      const made = { ...(index % 2 === 0 ? search : booking), headers };
      return (await call(attacker, made))[0];
    });
  },
};

const single = [slowReaders, heads, largeEvents, signIns, idleConnections, largestBodies, freeTimes];

const allTogether: Attack = {
  name: 'all attacks together',
  async run(attacker) {
    const parts = await Promise.all(single.map(({ run }) => run(attacker)));
    const responses: ResponseCounts = new Map();
    for (const [response, times] of parts.flatMap((part) => [...part]))
      responses.set(response, (responses.get(response) ?? 0) + times);
    return responses;
  },
};

export const attacks: readonly Attack[] = [...single, allTogether];
