import type { Call } from './call.ts';
import { ChairsideError } from './errors.ts';
import {
  type ChangeOptions,
  type CreateOptions,
  change,
  createOnce,
  pathOf,
  read,
  remove,
} from './groups.ts';
import { List, type ListOptions } from './list.ts';
import type { RequestOptions } from './options.ts';
import { backoff } from './retry.ts';
import type { Transport } from './transport.ts';

/** The first and the longest wait after a conflict with another edit, before jitter, in milliseconds. */
const EDIT_WAIT_MS = 100;
const MAX_EDIT_WAIT = 2000;

/**
 * The options of `edit`.
 *
 * @example
 * const options: EditOptions = { maxAttempts: 10 };
 * await chairside.patients.edit('pat_1', ({ name }) => ({ name: `Dr. ${name}` }), options);
 */
export interface EditOptions extends RequestOptions {
  /** The maximum number of times that the record is read and written. Default: 5. */
  maxAttempts?: number | undefined;
}

/**
 * The options of `get` for a record that you have read before.
 *
 * @example
 * const known: IfNoneMatch = { ifNoneMatch: '"3"' };
 * const changed = await chairside.patients.get('pat_1', known);
 */
export interface IfNoneMatch extends RequestOptions {
  /** The version that you have. If the record still has this version, the call resolves with `undefined`. */
  ifNoneMatch: string;
}

/** The names of filters that are lists in a body. */
const LISTS: readonly string[] = ['_ids', 'fields'];

/** The filters of a search as a JSON object. */
const bodyOf = (given: readonly (readonly [string, unknown])[]): object =>
  Object.fromEntries(given.map(([name, value]) => [name, LISTS.includes(name) ? [value].flat() : value]));

/**
 * A kind of records that can be read.
 *
 * @example
 * const count = async <R extends { _id: string }>(records: ReadableRecords<R, object>) =>
 *   (await records.list().toArray()).length;
 */
export class ReadableRecords<R, Filter extends object> {
  readonly #transport: Transport;
  readonly #path: string;
  readonly #searched: readonly string[];

  /** @internal */
  constructor(transport: Transport, path: string, searched: readonly string[] = []) {
    this.#transport = transport;
    this.#path = path;
    this.#searched = searched;
  }

  /**
   * Lists records, all of them or those that match the filter.
   *
   * With `fields` the records have only these fields, and `_id`. A filter with the name, the telephone number or the e-mail
   * address of a patient is sent in a body, so no proxy writes it into its log.
   *
   * @example
   * for await (const patient of chairside.patients.list({ clinicId: 'cli_1' })) console.log(patient.name);
   * const names = await chairside.patients.list({ fields: ['name'] }).toArray();
   * const found = await chairside.patients.list({ name: 'ada bei' }).toArray();
   */
  list<Field extends keyof R & string>(
    filter: Filter & { fields: readonly Field[] },
    options?: ListOptions,
  ): List<Pick<R, Field | Extract<'_id', keyof R>>>;
  list(filter?: Filter, options?: ListOptions): List<R>;
  list(filter?: Filter, options?: ListOptions): List<R> {
    const given = Object.entries(filter ?? {}).filter(([, value]) => value !== undefined);
    const isSearch = given.some(([name]) => this.#searched.includes(name));
    const source = isSearch
      ? { path: `${this.#path}/search`, query: bodyOf(given), isSearch }
      : { path: this.#path, query: filter };
    return new List(this.#transport, { ...source, isPaged: true }, options);
  }

  /**
   * Reads one record.
   *
   * @example
   * const patient = await chairside.patients.get('pat_1');
   * const { data, response } = await chairside.patients.get('pat_1').withResponse();
   */
  get(id: string, options: IfNoneMatch): Call<R | undefined>;
  get(id: string, options?: RequestOptions): Call<R>;
  get(id: string, options?: RequestOptions & { ifNoneMatch?: string }): Call<R> {
    return read(this.#transport, options, () => pathOf(this.#path, id), {
      'if-none-match': options?.ifNoneMatch,
    });
  }
}

/**
 * The options of a call that books an appointment.
 *
 * @example
 * const options: BookingOptions = { onlyIfFree: true };
 * await chairside.appointments.update('app_1', { startTime: '2030-01-31T09:30:00Z' }, options);
 */
export interface BookingOptions {
  /**
   * Whether the appointment is written only if its time is free. Otherwise the call fails with `Conflict`, and
   * `details.reason` and `details.nextSlots` of the error say why, and which times are free. Default: false.
   */
  onlyIfFree?: boolean | undefined;
}

const queryOf = (options: BookingOptions | undefined): string =>
  options?.onlyIfFree === true ? '?onlyIfFree=true' : '';

/** A time with a zone. The api returns it in UTC. */
const INSTANT = /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/;

/** Whether the record contains these changes. */
const hasChanges = (record: unknown, changes: unknown): boolean => {
  if (changes === null || changes === undefined) return changes === undefined || record === undefined;
  if (typeof changes === 'string' && typeof record === 'string') {
    const areTimes = INSTANT.test(changes) && INSTANT.test(record);
    return areTimes ? Date.parse(changes) === Date.parse(record) : changes === record;
  }
  if (typeof changes !== 'object' || typeof record !== 'object' || record === null) return changes === record;
  if (Array.isArray(changes) && changes.length !== (record as unknown[]).length) return false;
  return Object.entries(changes).every(
    ([key, value]) => key === 'lastEditTime' || hasChanges((record as Record<string, unknown>)[key], value),
  );
};

/**
 * A kind of records that can be created, changed and deleted.
 *
 * @example
 * const rename = (records: EditableRecords<Patient, PatientFilter, CreatePatient, UpdatePatient>, id: string) =>
 *   records.update(id, { name: 'Ada Beispiel' });
 */
export class EditableRecords<
  R,
  Filter extends object,
  Create,
  Update,
  Options = unknown,
> extends ReadableRecords<R, Filter> {
  readonly #transport: Transport;
  readonly #path: string;

  /** @internal */
  constructor(transport: Transport, path: string, searched?: readonly string[]) {
    super(transport, path, searched);
    this.#transport = transport;
    this.#path = path;
  }

  #pathOf(id: string, options: unknown): string {
    return pathOf(this.#path, id) + queryOf(options as BookingOptions | undefined);
  }

  /**
   * Creates a record. If the request is retried, the record is still created only once.
   *
   * @example
   * const patient = await chairside.patients.create({ clinicId: 'cli_1', name: 'Ada Beispiel' });
   */
  create(fields: Create, options?: CreateOptions & Options): Call<R> {
    return createOnce(
      this.#transport,
      options,
      () => this.#path + queryOf(options as BookingOptions),
      fields,
    );
  }

  /**
   * Changes the given fields of a record. An absent field stays as it is; `null` clears a field.
   *
   * Without `ifMatch`, the last writer wins. With it, `PreconditionFailed` after a retry can mean that the first
   * attempt succeeded. {@link edit} handles this case.
   *
   * @example
   * await chairside.patients.update('pat_1', { phone: '+1 202 555 0100' });
   * await chairside.patients.update('pat_1', { phone: null }, { ifMatch: '"3"' });
   */
  update(id: string, changes: Update, options?: ChangeOptions & Options): Call<R> {
    return change(this.#transport, options, () => this.#pathOf(id, options), changes);
  }

  /**
   * Reads a record, calls your function for the changes, and writes them with `If-Match`. If the record was changed in
   * between, it starts again, so your function can be called several times.
   *
   * @param changes returns what to change, or `undefined` to leave the record as it is
   * @returns the record after the edit
   * @example
   * await chairside.appointments.edit('app_1', ({ procedures }) => ({
   *   procedures: procedures.filter(({ name }) => name !== 'Check-up'),
   * }));
   */
  async edit(
    id: string,
    changes: (record: R) => Update | undefined | Promise<Update | undefined>,
    options?: EditOptions & Options,
  ): Promise<R> {
    const { maxAttempts = 5, ...rest }: EditOptions = options ?? {};
    const { random, sleep } = this.#transport.runtime;
    /** Changes that may have been written although no response confirms this. */
    let maybeWritten: Update | undefined;
    let conflict: unknown;
    for (let count = 1; ; count++) {
      const { data, response } = await this.get(id, rest).withResponse();
      if (maybeWritten !== undefined && hasChanges(data, maybeWritten)) return data;
      if (count > maxAttempts) throw conflict;
      const wanted = await changes(data);
      if (wanted === undefined) return data;
      maybeWritten = undefined;
      const path = () => this.#pathOf(id, options);
      try {
        return await change<R>(this.#transport, { ...rest, ifMatch: response.etag }, path, wanted, () => {
          maybeWritten = wanted;
        });
      } catch (error) {
        if (!(error instanceof ChairsideError) || error.status !== 412) throw error;
        // The record is read once more after the last attempt, if that may have succeeded.
        if (count >= maxAttempts && maybeWritten === undefined) throw error;
        conflict = error;
        await sleep(backoff(count, EDIT_WAIT_MS, MAX_EDIT_WAIT, random()), rest.signal);
      }
    }
  }

  /**
   * Deletes a record.
   *
   * @returns the deleted record
   * @example
   * await chairside.patients.delete('pat_1');
   */
  delete(id: string, options?: ChangeOptions): Call<R> {
    return remove(this.#transport, options, () => pathOf(this.#path, id));
  }
}

/**
 * A kind of records that can also be read and written by their external ids.
 *
 * @example
 * const sync = (records: SyncedRecords<Patient, PatientFilter, CreatePatient, UpdatePatient>) =>
 *   records.upsert('pms:4711', { clinicId: 'cli_1', name: 'Ada Beispiel' });
 */
export class SyncedRecords<
  R,
  Filter extends object,
  Create,
  Update,
  Options = unknown,
> extends EditableRecords<R, Filter, Create, Update, Options> {
  readonly #transport: Transport;
  readonly #path: string;

  /** @internal */
  constructor(transport: Transport, path: string, searched?: readonly string[]) {
    super(transport, path, searched);
    this.#transport = transport;
    this.#path = `${path}/external`;
  }

  /**
   * Reads the record that has this `externalId`.
   *
   * @example
   * const patient = await chairside.patients.getByExternalId('pms:4711');
   */
  getByExternalId(externalId: string, options: IfNoneMatch): Call<R | undefined>;
  getByExternalId(externalId: string, options?: RequestOptions): Call<R>;
  getByExternalId(externalId: string, options?: RequestOptions & { ifNoneMatch?: string }): Call<R> {
    return read(this.#transport, options, () => pathOf(this.#path, externalId), {
      'if-none-match': options?.ifNoneMatch,
    });
  }

  /**
   * Changes the record that has this `externalId`, or creates it; then `clinicId` is required. If nothing changes, nothing
   * is written or sent. `isCreated` and `isChanged` of the response tell which.
   *
   * @example
   * const { data, response } = await chairside.patients
   *   .upsert('pms:4711', { clinicId: 'cli_1', name: 'Ada Beispiel' })
   *   .withResponse();
   * console.log(data._id, response.isCreated, response.isChanged);
   */
  upsert(externalId: string, changes: Update, options?: ChangeOptions & Options): Call<R> {
    const path = () => pathOf(this.#path, externalId) + queryOf(options as BookingOptions | undefined);
    return change(this.#transport, options, path, changes);
  }
}
