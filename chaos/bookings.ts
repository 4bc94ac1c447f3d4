import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@chairside/domain';
import type { ApiResponse } from '@chairside/test-support';
import { CANARY } from './canary.ts';
import { openRandom, type Random } from './random.ts';
import type { Service } from './service.ts';
import type { Target } from './target.ts';
import type { Acknowledged, Creation } from './writes.ts';

/** The chairs of the clinic at which the callers book. */
const CHAIRS = 2;
const CALLERS = 6;
const REST_MS = 300;
const RETRY_DELAY_MS = 500;
/** How long bookings without a response are retried after everything is up again. */
const RESPONSE_TIMEOUT_MS = 60_000;
/** The day has few times, so that callers often want the same one. */
const DAY = '2035-06-04';
const STARTS = Array.from({ length: 16 }, (_, quarter) => Date.parse(`${DAY}T08:00:00Z`) + quarter * 900_000);
const MINUTES = [15, 30, 45, 60];
const PROVIDERS = 2;
/** The most appointments that a caller has or waits for, so that some times stay free. */
const MAX_HELD = 4;
const ACTIONS = { book: 5, move: 3, cancel: 2, delete: 2 };

/** A time that a booking wants or has. */
export type Slot = { start: number; end: number; providerId?: string };

/**
 * A time that an appointment occupied. All times are milliseconds since 1970, by the clock of the callers. Between
 * `requested` and `confirmed`, and between `releasing` and `released`, it is unknown whether the appointment occupied it.
 */
export type Occupation = Slot & {
  appointmentId: string;
  requested: number;
  confirmed: number;
  /** When the request that ended it was sent. */
  releasing?: number;
  released?: number;
};

/** A booking that the api refused. */
export type RefusedBooking = Slot & {
  /** The appointment that was to be moved. */
  appointmentId?: string;
  requested: number;
  refused: number;
  reason: string;
  /** Whether an earlier request for it got no response or a 503. What it left may block the time for a while. */
  isRepeated: boolean;
};

/** What the callers of guarded bookings know. */
export type BookingEvidence = {
  clinicId: string;
  chairs: number;
  occupations: readonly Occupation[];
  refusals: readonly RefusedBooking[];
};

export type Bookings = {
  readonly evidence: BookingEvidence;
  readonly acknowledged: readonly Acknowledged[];
  readonly creations: readonly Creation[];
  /** Stops the callers. Requests without a definite response are repeated for up to a minute. */
  stop(): Promise<string[]>;
};

type Api = { target: Target; call: Service['call'] };
/** The definite response to a request, when it was first sent, and when the response arrived. */
type Settled = Pick<ApiResponse, 'status' | 'json'> & {
  requested: number;
  settled: number;
  isRepeated: boolean;
};

const openClinic = async ({ practice: { store } }: Service): Promise<string> => {
  const clinicId = newId();
  const named = { name: 'East', currency: 'EUR', timezone: 'UTC', lastEditTime: new Date().toISOString() };
  await store.clinics.create({ _id: clinicId, ...named });
  const none = { monday: [], tuesday: [], wednesday: [], thursday: [], friday: [], saturday: [], sunday: [] };
  await store.openingHours.set(clinicId, {
    weekdays: none,
    exceptions: [{ date: DAY, intervals: [{ opens: '08:00', closes: '13:00' }] }],
    ...{ chairs: CHAIRS, slotMinutes: 15 },
  });
  return clinicId;
};

const addProviders = async ({ practice: { store } }: Service, clinicId: string): Promise<string[]> => {
  const ids = Array.from({ length: PROVIDERS }, () => newId());
  for (const _id of ids)
    await store.providers.create({ _id, name: `Provider ${_id}`, clinicIds: [clinicId] });
  return ids;
};

const timesOf = ({ start, end, providerId }: Slot) => ({
  startTime: new Date(start).toISOString(),
  endTime: new Date(end).toISOString(),
  ...(providerId !== undefined && { providerId }),
});

/** Records what the callers know. */
const createNotes = () => {
  const acknowledged: Acknowledged[] = [];
  const creations: Creation[] = [];
  const occupations: Occupation[] = [];
  const refusals: RefusedBooking[] = [];
  return {
    acknowledged,
    creations,
    occupations,
    refusals,
    acknowledge(what: string, { json }: Settled): void {
      const { _id, lastEditTime } = json;
      acknowledged.push({ event: `appointment.${what}`, recordId: _id, lastEditTime });
    },
    occupy(slot: Slot, { json, requested, settled }: Settled): Occupation {
      const occupation = { ...slot, appointmentId: json._id, requested, confirmed: settled };
      occupations.push(occupation);
      return occupation;
    },
    release(held: Occupation, { requested, settled }: Settled): void {
      Object.assign(held, { releasing: requested, released: settled });
    },
    refuse({ start, end, providerId }: Slot, response: Settled, held?: Occupation): void {
      refusals.push({
        ...{ start, end, ...(providerId !== undefined && { providerId }) },
        ...(held && { appointmentId: held.appointmentId }),
        requested: response.requested,
        refused: response.settled,
        reason: response.json.details.reason ?? `status ${response.status}`,
        isRepeated: response.isRepeated,
      });
    },
  };
};
type Notes = ReturnType<typeof createNotes>;

/** The requests of a caller. Each is repeated until its response says what happened. */
const openCaller = ({ target, call }: Api, notes: Notes, clinicId: string, signal: AbortSignal) => {
  const settle = async (...request: Parameters<Service['call']>): Promise<Settled> => {
    const requested = Date.now();
    for (let count = 0; ; count++) {
      await target.whenUp();
      const response = await call(...request).catch(() => undefined);
      const { status = 503, json } = response ?? {};
      // A 409 without a reason is about the key: its first request still counts as running.
      const isDefinite = status < 500 && (status !== 409 || json.details.reason !== undefined);
      if (isDefinite) return { status, json, requested, settled: Date.now(), isRepeated: count > 0 };
      await sleep(RETRY_DELAY_MS, undefined, { signal });
    }
  };
  const pathOf = ({ appointmentId }: Occupation) => `/api/appointments/${appointmentId}`;

  return {
    async book(slot: Slot): Promise<Occupation | undefined> {
      const mark = `${CANARY} booking ${notes.creations.length}`;
      const creation: Creation = { mark, isAcknowledged: false };
      notes.creations.push(creation);
      const body = { clinicId, ...timesOf(slot), reminders: [{ mark }] };
      const key = { 'idempotency-key': newId() };
      const response = await settle('POST', '/api/appointments?onlyIfFree=true', body, key);
      if (response.status !== 200) return void notes.refuse(slot, response);
      creation.isAcknowledged = true;
      notes.acknowledge('created', response);
      return notes.occupy(slot, response);
    },

    async move(held: Occupation, slot: Slot): Promise<Occupation> {
      const body = { providerId: null, ...timesOf(slot) };
      const response = await settle('PUT', `${pathOf(held)}?onlyIfFree=true`, body);
      if (response.status !== 200) {
        notes.refuse(slot, response, held);
        return held;
      }
      notes.acknowledge('updated', response);
      notes.release(held, response);
      return notes.occupy(slot, response);
    },

    async cancel(held: Occupation): Promise<undefined> {
      const response = await settle('PUT', pathOf(held), { status: 'CANCELED' });
      if (response.status !== 200) return void notes.refuse(held, response, held);
      notes.release(held, response);
      notes.acknowledge('updated', response);
    },

    async delete(held: Occupation): Promise<undefined> {
      const response = await settle('DELETE', pathOf(held));
      // After a deletion whose response was lost, the appointment does not exist.
      const wasDeleted = response.status === 404 && response.isRepeated;
      if (response.status !== 200 && !wasDeleted) return void notes.refuse(held, response, held);
      notes.release(held, response);
      if (!wasDeleted) notes.acknowledge('deleted', response);
    },
  };
};

/**
 * Starts callers that book, move, cancel and delete appointments of one clinic with `onlyIfFree`, through two apis, while
 * faults happen. Nobody else writes appointments of this clinic. Each appointment has one caller.
 */
export const startBookings = async (
  service: Service,
  seed: number,
  signal: AbortSignal,
): Promise<Bookings> => {
  const clinicId = await openClinic(service);
  const providerIds = await addProviders(service, clinicId);
  const notes = createNotes();
  const { api, call, secondApi, callSecond } = service;
  const apis: Api[] = [
    { target: api, call },
    { target: secondApi, call: callSecond },
  ];
  let isStopping = false;

  const slotOf = (random: Random): Slot => {
    const start = random.pick(STARTS);
    const end = start + random.pick(MINUTES) * 60_000;
    return random.below(2) === 0 ? { start, end } : { start, end, providerId: random.pick(providerIds) };
  };

  const run = async (number: number): Promise<void> => {
    const random = openRandom(seed, `booking caller ${number}`);
    const caller = openCaller(apis[number % apis.length] as Api, notes, clinicId, signal);
    const held: Occupation[] = [];
    /** The bookings without a definite response. */
    const inFlight = new Set<Promise<void>>();
    const keep = (kept: Occupation | undefined) => void (kept && held.push(kept));
    while (!isStopping) {
      await sleep(random.below(REST_MS), undefined, { signal });
      const action = random.weighted(ACTIONS);
      const slot = slotOf(random);
      const index = random.below(1_000_000) % Math.max(1, held.length);
      if (action === 'book' && held.length + inFlight.size < MAX_HELD) {
        // The booking is not awaited, because taking over a key of a crashed process has to wait until its lease expires.
        const booking = caller
          .book(slot)
          .then(keep)
          .finally(() => inFlight.delete(booking));
        booking.catch(() => {});
        inFlight.add(booking);
      } else if (action !== 'book') {
        const [one] = held.splice(index, 1);
        if (one !== undefined) keep(await caller[action](one, slot));
      }
    }
    await Promise.all(inFlight);
  };
  const runs = Promise.all(Array.from({ length: CALLERS }, (_, number) => run(number)));
  runs.catch(() => {});

  return {
    evidence: { clinicId, chairs: CHAIRS, occupations: notes.occupations, refusals: notes.refusals },
    acknowledged: notes.acknowledged,
    creations: notes.creations,
    async stop() {
      isStopping = true;
      const ended = await Promise.race([
        runs.then(() => true),
        sleep(RESPONSE_TIMEOUT_MS, false, { signal }),
      ]);
      return ended ? [] : ['bookings get no definite response'];
    },
  };
};
