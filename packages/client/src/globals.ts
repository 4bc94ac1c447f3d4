/*
 * The types of the web platform come from the project that uses the client: from `lib.dom`, @types/node, Deno, Bun or
 * Workers. The client also compiles in a project that has none of them.
 */

/** The part of `AbortSignal` that the client needs. */
interface MinimalSignal {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * The `AbortSignal` of your runtime.
 *
 * @example
 * const signal: Signal = AbortSignal.timeout(5000);
 * const patient = await chairside.patients.get('pat_1', { signal });
 */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer S extends MinimalSignal } }
  ? S
  : MinimalSignal;

/**
 * The options that the client passes to `fetch`.
 *
 * @example
 * const traced = (url: string, init: FetchInit) =>
 *   fetch(url, { ...init, headers: { ...init.headers, traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' } });
 */
export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  body?: string;
  redirect: 'manual';
  /** Set only by a client with `cookie: true`. */
  credentials?: 'same-origin';
  signal: Signal;
}

/**
 * The headers of a response.
 *
 * @example
 * const age = (headers: ResponseHeaders) => headers.get('date');
 */
export interface ResponseHeaders {
  get(name: string): string | null;
}

/**
 * The part of a `Response` that the client reads.
 *
 * @example
 * const stub = async (): Promise<FetchedResponse> => new Response('[]');
 */
export interface FetchedResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  text(): Promise<string>;
}

/**
 * A function like the `fetch` of the platform.
 *
 * @example
 * const logged: Fetch = (url, init) => {
 *   console.log(init.method, url);
 *   return fetch(url, init);
 * };
 */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchedResponse>;
