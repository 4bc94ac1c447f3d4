import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@chairside/domain';
import type { ApiResponse } from '@chairside/test-support';
import { openRandom, type Random } from './random.ts';
import type { Service } from './service.ts';
import type { Acknowledged, Creation } from './writes.ts';

/** The chairs of the clinic at which the callers book. */
export const CHAIRS = 2;
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

type Held = Occupation & { lastEditTime: string };
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

const timesOf = ({ start, end }: Slot) => ({
  startTime: new Date(start).toISOString(),
  endTime: new Date(end).toISOString(),
});

/**
 * Starts callers that book, move, cancel and delete appointments of one clinic with `onlyIfFree`, while faults happen.
 * Nobody else writes appointments of this clinic. Each appointment has one caller, which repeats a request until its
 * response is definite.
 */
export const startBookings = async (
  service: Service,
  seed: number,
  signal: AbortSignal,
): Promise<Bookings> => {
  const clinicId = await openClinic(service);
  const providerIds = await addProviders(service, clinicId);
  const acknowledged: Acknowledged[] = [];
  const creations: Creation[] = [];
  const occupations: Occupation[] = [];
  const refusals: RefusedBooking[] = [];
  let isStopping = false;

  /** Repeats a request until its response says what happened. */
  const settle = async (
    method: string,
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<Settled> => {
    const requested = Date.now();
    for (let count = 0; ; count++) {
      await service.api.whenUp();
      const response = await service.call(method, path, body, headers).catch(() => undefined);
      const { status = 503, json } = response ?? {};
      // A 409 without a reason is about the key: its first request still counts as running.
      const isDefinite = status < 500 && (status !== 409 || json.details.reason !== undefined);
      if (isDefinite) return { status, json, requested, settled: Date.now(), isRepeated: count > 0 };
      await sleep(RETRY_DELAY_MS, undefined, { signal });
    }
  };

  const slotOf = (random: Random): Slot => {
    const start = random.pick(STARTS);
    const end = start + random.pick(MINUTES) * 60_000;
    return random.below(2) === 0 ? { start, end } : { start, end, providerId: random.pick(providerIds) };
  };

  const acknowledge = (what: string, json: { _id: string; lastEditTime: string }): void =>
    void acknowledged.push({
      event: `appointment.${what}`,
      recordId: json._id,
      lastEditTime: json.lastEditTime,
    });

  const occupy = (slot: Slot, { json, requested, settled }: Settled): Held => {
    const occupation = { ...slot, appointmentId: json._id, requested, confirmed: settled };
    occupations.push(occupation);
    return Object.assign(occupation, { lastEditTime: json.lastEditTime });
  };

  const refuse = (slot: Slot, { status, json, requested, settled, isRepeated }: Settled, held?: Held): void =>
    void refusals.push({
      ...slot,
      ...(held && { appointmentId: held.appointmentId }),
      requested,
      refused: settled,
      reason: json.details.reason ?? `status ${status}`,
      isRepeated,
    });

  const release = (held: Held, { requested, settled }: Settled): void =>
    void Object.assign(held, { releasing: requested, released: settled });

  const book = async (slot: Slot): Promise<Held | undefined> => {
    const mark = `booking ${creations.length}`;
    const creation: Creation = { mark, isAcknowledged: false };
    creations.push(creation);
    const body = {
      clinicId,
      ...timesOf(slot),
      ...(slot.providerId && { providerId: slot.providerId }),
      reminders: [{ mark }],
    };
    const response = await settle('POST', '/api/appointments?onlyIfFree=true', body, {
      'idempotency-key': newId(),
    });
    if (response.status !== 200) {
      refuse(slot, response);
      return undefined;
    }
    creation.isAcknowledged = true;
    acknowledge('created', response.json);
    return occupy(slot, response);
  };

  const move = async (held: Held, random: Random): Promise<Held> => {
    const slot = slotOf(random);
    const path = `/api/appointments/${held.appointmentId}?onlyIfFree=true`;
    const body = { ...timesOf(slot), providerId: slot.providerId ?? null };
    const response = await settle('PUT', path, body);
    if (response.status !== 200) {
      refuse(slot, response, held);
      return held;
    }
    acknowledge('updated', response.json);
    release(held, response);
    return occupy(slot, response);
  };

  const end = async (held: Held, how: Exclude<keyof typeof ACTIONS, 'book' | 'move'>): Promise<void> => {
    const path = `/api/appointments/${held.appointmentId}`;
    const response =
      how === 'cancel' ? await settle('PUT', path, { status: 'CANCELED' }) : await settle('DELETE', path);
    release(held, response);
    // The response to a repeated deletion is 404 if the first request was executed.
    if (response.status === 200) acknowledge(how === 'cancel' ? 'updated' : 'deleted', response.json);
    else if (!(how === 'delete' && response.status === 404 && response.isRepeated))
      refuse(held, response, held);
  };

  const run = async (caller: number): Promise<void> => {
    const random = openRandom(seed, `booking caller ${caller}`);
    const held: Held[] = [];
    /** The bookings without a definite response. */
    const inFlight = new Set<Promise<void>>();
    while (!isStopping) {
      await sleep(random.below(REST_MS), undefined, { signal });
      const action = random.weighted(ACTIONS);
      const index = random.below(1_000_000) % Math.max(1, held.length);
      const one = held[index];
      if (action === 'book') {
        if (held.length + inFlight.size >= MAX_HELD) continue;
        // The booking is not awaited, because taking over a key of a crashed process has to wait until its lease expires.
        const booking = book(slotOf(random))
          .then((made) => void (made && held.push(made)))
          .finally(() => inFlight.delete(booking));
        booking.catch(() => {});
        inFlight.add(booking);
      } else if (one === undefined) {
      } else if (action === 'move') {
        held[index] = await move(one, random);
      } else {
        held.splice(index, 1);
        await end(one, action);
      }
    }
    await Promise.all(inFlight);
  };
  const runs = Promise.all(Array.from({ length: CALLERS }, (_, caller) => run(caller)));
  runs.catch(() => {});

  return {
    evidence: { clinicId, chairs: CHAIRS, occupations, refusals },
    acknowledged,
    creations,
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
