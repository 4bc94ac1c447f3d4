import { type BusyInterval, occupiesChair } from './busy-interval.ts';

const MINUTE = 60_000;

/** A span of time from `start` up to, but not including, `end`, in milliseconds since 1970. */
export type Span = { start: number; end: number };

/** Times as two columns in milliseconds since 1970, in no order: 16 bytes each, where an object takes ten times as much. */
export type Times = { readonly starts: Float64Array; readonly ends: Float64Array };

const AT_CLINIC = 1;
const OF_PROVIDER = 2;
/** The number of times for which there is room at first. */
const FIRST_ROOM = 256;

/** Whose appointments matter: those of a clinic, and those of a provider at any clinic if one is given. */
export type BusyPlace = { clinicId: string; providerId?: string | undefined };

/**
 * The times at which appointments occupy a clinic or a provider, filled while they are read. An appointment of another
 * place, or one that occupies no chair, adds nothing.
 */
export class BusyTimes {
  readonly #place: BusyPlace;
  #starts = new Float64Array(FIRST_ROOM);
  /** NaN for an appointment without an end. */
  #ends = new Float64Array(FIRST_ROOM);
  #marks = new Uint8Array(FIRST_ROOM);
  #count = 0;
  /** The times of appointments that are being moved, by `sharedChair`. There are few. */
  readonly #moving = new Map<string, BusyInterval[]>();

  constructor(place: BusyPlace) {
    this.#place = place;
  }

  /** The number of times, without those of appointments that are being moved. */
  get count(): number {
    return this.#count;
  }

  add(interval: BusyInterval): void {
    const { clinicId, providerId, startTime, endTime, status, sharedChair } = interval;
    const place = this.#place;
    const mark =
      (clinicId === place.clinicId ? AT_CLINIC : 0) +
      (providerId !== undefined && providerId === place.providerId ? OF_PROVIDER : 0);
    if (mark === 0 || !occupiesChair(status)) return;
    if (sharedChair !== undefined) {
      const some = this.#moving.get(sharedChair) ?? [];
      this.#moving.set(sharedChair, [...some, interval]);
      return;
    }
    if (this.#count === this.#marks.length) this.#grow();
    this.#starts[this.#count] = startTime.getTime();
    this.#ends[this.#count] = endTime?.getTime() ?? Number.NaN;
    this.#marks[this.#count++] = mark;
  }

  #grow(): void {
    const room = 2 * this.#marks.length;
    const grown = <A extends Float64Array | Uint8Array>(column: A, larger: A): A => {
      larger.set(column);
      return larger;
    };
    this.#starts = grown(this.#starts, new Float64Array(room));
    this.#ends = grown(this.#ends, new Float64Array(room));
    this.#marks = grown(this.#marks, new Uint8Array(room));
  }

  /** The groups of times of which each belongs to one appointment that is being moved, and needs one chair. */
  get moving(): readonly (readonly BusyInterval[])[] {
    return [...this.#moving.values()];
  }

  /**
   * The times of appointments at the clinic.
   *
   * @param slotMinutes how long an appointment without an end lasts
   * @param more times that are added
   * @returns without times of zero length
   */
  atClinic(slotMinutes: number, more: readonly Span[] = []): Times {
    return this.#times(AT_CLINIC, slotMinutes, more);
  }

  /** The same for the appointments of the provider, at any clinic. */
  ofProvider(slotMinutes: number, more: readonly Span[] = []): Times {
    return this.#times(OF_PROVIDER, slotMinutes, more);
  }

  #times(mark: number, slotMinutes: number, more: readonly Span[]): Times {
    const starts = new Float64Array(this.#count + more.length);
    const ends = new Float64Array(this.#count + more.length);
    let count = 0;
    const add = (start: number, end: number): void => {
      if (end <= start) return;
      starts[count] = start;
      ends[count++] = end;
    };
    for (let index = 0; index < this.#count; index++) {
      if (((this.#marks[index] as number) & mark) === 0) continue;
      const start = this.#starts[index] as number;
      const end = this.#ends[index] as number;
      add(start, Number.isNaN(end) ? start + slotMinutes * MINUTE : end);
    }
    for (const { start, end } of more) add(start, end);
    return { starts: starts.subarray(0, count), ends: ends.subarray(0, count) };
  }
}
