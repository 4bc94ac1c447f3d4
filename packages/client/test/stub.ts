import { Chairside, type ChairsideOptions, type FetchInit } from '../src/index.ts';
import type { Runtime } from '../src/runtime.ts';

export const BASE_URL = 'https://api.example.com';
const SECRET = `chairside_key_${'k'.repeat(43)}`;

export type Seen = {
  method: string;
  path: string;
  query: Record<string, string>;
  body: any;
  init: FetchInit;
};
/** A response, or an error that `fetch` rejects with. */
export type Reply = { status?: number; headers?: Record<string, string>; body?: unknown } | Error;

const respond = (reply: Reply): Response => {
  if (reply instanceof Error) throw reply;
  const { status = 200, headers = {}, body = {} } = reply;
  const isEmpty = status === 204 || status === 304;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return new Response(isEmpty ? null : text, { status, headers });
};

export const failure = (
  status: number,
  name: string,
  headers: Record<string, string> = {},
  details = {},
) => ({
  status,
  headers,
  body: {
    message: `refused with ${status}`,
    name,
    statusCode: status,
    details: { requestId: 'req_1', ...details },
  },
});

/** An error with which the `fetch` of Node.js rejects. */
export const networkError = (code: string): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('inner'), { code }) });

/** A clock that advances with the waits of the client and with `pass`, and random numbers that are all 0. */
export const createClock = (start = Date.parse('2030-01-31T00:00:00Z')) => {
  const waits: number[] = [];
  let now = start;
  const runtime: Runtime = {
    now: () => now,
    random: () => 0,
    async sleep(milliseconds, signal) {
      if (signal?.aborted) throw signal.reason;
      waits.push(milliseconds);
      // Waits take no time here, so an endless loop would use all memory.
      if (waits.length > 200) throw new Error('the client waits without end');
      now += milliseconds;
    },
  };
  const pass = (milliseconds: number): void => {
    now += milliseconds;
  };
  return { runtime, waits, pass };
};

type Options = Partial<ChairsideOptions> & { clock?: ReturnType<typeof createClock> };

/** Creates a client whose responses come from a function. */
export const createStub = (
  reply: (seen: Seen, count: number) => Reply | Promise<Reply>,
  options: Options = {},
) => {
  const { clock = createClock(), ...rest } = options;
  const seen: Seen[] = [];
  const fetch = async (url: string, init: FetchInit): Promise<Response> => {
    const { origin, pathname, searchParams } = new URL(url);
    const one: Seen = {
      method: init.method,
      path: (origin === BASE_URL ? '' : origin) + pathname,
      query: Object.fromEntries(searchParams),
      body: init.body === undefined ? undefined : JSON.parse(init.body),
      init,
    };
    seen.push(one);
    if (seen.length > 200) throw new Error('the client sends requests without end');
    return respond(await reply(one, seen.length));
  };
  const credential = rest.accessToken === undefined && { apiKey: SECRET };
  const client = new Chairside(
    { baseUrl: BASE_URL, fetch, ...credential, ...rest } as ChairsideOptions,
    clock.runtime,
  );
  return { client, seen, ...clock };
};

/** Returns the replies one after the other. */
export const inOrder =
  (...replies: Reply[]) =>
  (_: Seen, count: number): Reply => {
    const reply = replies[count - 1];
    if (reply === undefined) throw new Error(`there is no reply for request ${count}`);
    return reply;
  };
