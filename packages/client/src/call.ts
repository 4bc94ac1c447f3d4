import type { ResponseHeaders } from './globals.ts';
import type { TransportResponse } from './transport.ts';

/**
 * The facts about a response besides its body.
 *
 * @example
 * const { response } = await chairside.patients.get('pat_1').withResponse();
 * const info: ResponseInfo = response;
 */
export interface ResponseInfo {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** The id of the request. Quote it when you report a problem. */
  readonly requestId: string | undefined;
  /** The version of the record, for `ifMatch` and `ifNoneMatch`. Absent if the response has no version. */
  readonly etag: string | undefined;
  /** Whether this response repeats the result of an earlier request with the same `Idempotency-Key`. */
  readonly isReplay: boolean;
  /** Whether an upsert has created the record. Absent for other calls. */
  readonly isCreated: boolean | undefined;
  /** Whether an upsert has written something, and sent an event. Absent for other calls. */
  readonly isChanged: boolean | undefined;
}

/**
 * The result of a call, with its response.
 *
 * @example
 * const { data }: WithResponse<Patient> = await chairside.patients.get('pat_1').withResponse();
 */
export interface WithResponse<T> {
  readonly data: T;
  readonly response: ResponseInfo;
}

const flagOf = (headers: ResponseHeaders, name: string): boolean | undefined => {
  const value = headers.get(name);
  return value === null ? undefined : value === 'true';
};

export const infoOf = ({ status, headers }: TransportResponse): ResponseInfo => ({
  status,
  headers,
  requestId: headers.get('x-request-id') ?? undefined,
  etag: headers.get('etag') ?? undefined,
  isReplay: headers.get('idempotent-replayed') === 'true',
  isCreated: flagOf(headers, 'x-record-created'),
  isChanged: flagOf(headers, 'x-record-changed'),
});

/**
 * A call: a promise of its result. `withResponse` also returns the response.
 *
 * @example
 * const patient = await chairside.patients.get('pat_1');
 * const { data, response } = await chairside.patients.get('pat_1').withResponse();
 * console.log(data.name, response.etag);
 */
export class Call<T> extends Promise<T> {
  readonly #response: Promise<TransportResponse>;

  /** @internal */
  constructor(response: Promise<TransportResponse>) {
    // The state of this promise is not used: `then` below uses the response. Otherwise a failed call would cause two
    // rejections, and a caller who awaits only `withResponse` would leave one of them unhandled.
    super((resolve) => resolve(undefined as T));
    this.#response = response;
  }

  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** The result together with the status, the headers, the request id and the version of the record. */
  async withResponse(): Promise<WithResponse<T>> {
    const response = await this.#response;
    return { data: response.data as T, response: infoOf(response) };
  }

  // biome-ignore lint/suspicious/noThenProperty: a promise has one
  override then<A = T, B = never>(
    onDone?: ((value: T) => A | PromiseLike<A>) | null,
    onFailed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#response.then(({ data }) => data as T).then(onDone, onFailed);
  }
}
