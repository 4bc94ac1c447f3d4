import { Call } from './call.ts';
import { invalid } from './errors.ts';
import type { RequestOptions } from './options.ts';
import type { Request, Transport } from './transport.ts';

/**
 * The options of a call with an `Idempotency-Key`.
 *
 * @example
 * const options: CreateOptions = { idempotencyKey: 'import-2030-01-31-line-17' };
 * const patient = await chairside.patients.create({ clinicId: 'cli_1' }, options);
 */
export interface CreateOptions extends RequestOptions {
  /**
   * 1 to 255 printable ASCII characters. For 24 hours, calls with the same key create only one record, even if
   * they come from different processes. Default: a new key for each call, and the same key for its retries.
   */
  idempotencyKey?: string | undefined;
}

/**
 * The options of a call that changes or deletes a record.
 *
 * @example
 * const { data, response } = await chairside.patients.get('pat_1').withResponse();
 * const options: ChangeOptions = { ifMatch: response.etag };
 * await chairside.patients.update(data._id, { language: 'en' }, options);
 */
export interface ChangeOptions extends RequestOptions {
  /**
   * The version that you have read. If the record has another version now, the call fails with
   * `PreconditionFailed`.
   */
  ifMatch?: string | undefined;
}

/**
 * The options of a call that changes a record, or creates it if it does not exist.
 *
 * @example
 * const options: SetOptions = { ifNoneMatch: '*' };
 * await chairside.openingHours.set('cli_1', { weekdays: {} }, options);
 */
export interface SetOptions extends ChangeOptions {
  /**
   * `*` only creates the record: if it exists already, the call fails with `PreconditionFailed`. It cannot be sent
   * together with `ifMatch`.
   */
  ifNoneMatch?: '*' | undefined;
}

/** The path of one record. */
export const pathOf = (list: string, id: string, action = ''): string => {
  if (typeof id !== 'string' || id === '') throw invalid('An id must be a text, and not empty.');
  return `${list}/${encodeURIComponent(id)}${action}`;
};

type MakeRequest = () => Omit<Request, 'options'>;

/** Sends a request. Invalid arguments reject the call instead of throwing an exception. */
const call = <T>(transport: Transport, options: RequestOptions | undefined, make: MakeRequest): Call<T> =>
  new Call((async () => transport.send({ ...make(), options }))());

export const read = <T>(
  transport: Transport,
  options: RequestOptions | undefined,
  path: () => string,
  headers?: Request['headers'],
): Call<T> =>
  call(transport, options, () => ({
    method: 'GET',
    path: path(),
    isRepeatable: true,
    ...(headers && { headers }),
  }));

/** Sends a POST with an `Idempotency-Key`, which may be retried. */
export const createOnce = <T>(
  transport: Transport,
  options: CreateOptions | undefined,
  path: () => string,
  body?: unknown,
  problemOf?: Request['problemOf'],
): Call<T> =>
  call(transport, options, () => ({
    method: 'POST',
    path: path(),
    body,
    headers: { 'idempotency-key': options?.idempotencyKey ?? crypto.randomUUID() },
    isRepeatable: true,
    ...(problemOf && { problemOf }),
  }));

/** Sends a POST or PUT that must not be executed twice. */
export const sendOnce = <T>(
  transport: Transport,
  options: RequestOptions | undefined,
  method: 'POST' | 'PUT',
  path: () => string,
  body?: unknown,
): Call<T> => call(transport, options, () => ({ method, path: path(), body, isRepeatable: false }));

export const change = <T>(
  transport: Transport,
  options: SetOptions | undefined,
  path: () => string,
  body: unknown,
  onUncertain?: () => void,
): Call<T> =>
  call(transport, options, () => ({
    method: 'PUT',
    path: path(),
    body,
    headers: { 'if-match': options?.ifMatch, 'if-none-match': options?.ifNoneMatch },
    isRepeatable: true,
    ...(onUncertain && { onUncertain }),
  }));

export const remove = <T>(
  transport: Transport,
  options: ChangeOptions | undefined,
  path: () => string,
): Call<T> =>
  call(transport, options, () => ({
    method: 'DELETE',
    path: path(),
    headers: { 'if-match': options?.ifMatch },
    isRepeatable: true,
  }));
