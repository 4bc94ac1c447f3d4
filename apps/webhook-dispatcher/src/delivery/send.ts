import {
  type Attempt,
  type FailureCause,
  MAX_RESPONSE_BODY_BYTES,
  type ResourceLimit,
  responseText,
  type Timings,
} from '@chairside/domain';
import { type Dispatcher, errors } from 'undici';
import { BlockedAddressError, type Connection, type ConnectorOptions } from './connect.ts';
import { createConnectionPool, type PooledConnection } from './connection-pool.ts';
import { type FailureReason, reasonOf, reasonOfStatus } from './failure-reasons.ts';

/** From the name lookup to the status line, in milliseconds (service description, Delivery behaviour 1). */
const ATTEMPT_TIMEOUT = 5000;
/** How late a timer must fire to show that the process was paused, in milliseconds. */
const LATE = 250;
/** How long the body of a response is read before the connection is dropped, in milliseconds. */
const BODY_TIMEOUT = 1000;

export type WebhookRequest = { url: string; headers: Record<string, string>; body: string };

/** POSTs webhooks. A failure of the receiver is an outcome, not an error. */
export type Sender = {
  /** Makes one attempt: one POST, five seconds in total. Redirects are not followed. */
  send(request: WebhookRequest): Promise<Attempt>;
  /** Stops reading bodies of responses. Attempts that have a status line end at once. */
  stopReading(): void;
  close(): Promise<void>;
};

class DeadlineError extends Error {}

type Verdict = { outcome: 'succeeded' } | ({ outcome: 'failed'; cause: FailureCause } & FailureReason);

const CONNECT_CAUSES = { lookup: 'dns', connect: 'connect', tls: 'tls' } as const;

const causeOf = (error: Error, { phase }: Connection): Exclude<FailureCause, 'status' | 'redirect'> => {
  if (error instanceof DeadlineError || error instanceof errors.ConnectTimeoutError) return 'timeout';
  if (error instanceof BlockedAddressError) return 'blocked_address';
  // The client refuses to build an invalid request, for example with a line break in a header.
  if (error instanceof errors.InvalidArgumentError) return 'configuration';
  if (phase !== 'open') return CONNECT_CAUSES[phase];
  const isGarbage =
    error instanceof errors.HTTPParserError ||
    error instanceof errors.HeadersOverflowError ||
    /^bad (response|upgrade)$/.test(error.message);
  return isGarbage ? 'protocol' : 'reset';
};

const verdictOn = (statusCode: number): Verdict => {
  if (statusCode >= 200 && statusCode < 300) return { outcome: 'succeeded' };
  const cause = statusCode >= 300 && statusCode < 400 ? 'redirect' : 'status';
  return { outcome: 'failed', cause, reason: reasonOfStatus(statusCode, cause) };
};

const rounded = (milliseconds: number): number => Math.round(milliseconds * 10) / 10;

/** The durations of the phases of an attempt that began at `begun` and has its outcome now. */
const timingsOf = (connection: Connection, begun: number, now: number): Timings => {
  const { phase, since, timings } = connection;
  if (phase === 'open' && since < begun) return { firstByte: rounded(now - begun) };
  const last = phase === 'open' ? 'firstByte' : phase;
  return Object.fromEntries(
    Object.entries({ ...timings, [last]: now - since }).map(([name, value]) => [name, rounded(value)]),
  );
};

/** The beginning of a response's body. */
const createExcerpt = () => {
  const chunks: Buffer[] = [];
  let length = 0;
  return {
    /** @returns whether the body exceeds the limit */
    add(chunk: Buffer): boolean {
      if (length <= MAX_RESPONSE_BODY_BYTES) chunks.push(chunk);
      length += chunk.length;
      return length > MAX_RESPONSE_BODY_BYTES;
    },
    text: () => responseText(Buffer.concat(chunks)),
  };
};

export const createSender = (options: ConnectorOptions): Sender => {
  const pool = createConnectionPool(options, ATTEMPT_TIMEOUT);
  /** Functions that end the attempts that have an outcome and are still reading a body. */
  const reading = new Set<() => void>();
  let isReading = true;

  const attempt = (url: URL, { headers, body }: WebhookRequest): Promise<Attempt> =>
    new Promise((resolve) => {
      const attemptTime = new Date();
      const begun = performance.now();
      const line: PooledConnection = pool.take(url.origin);
      const { connection, client } = line;
      const excerpt = createExcerpt();
      let verdict: Omit<Attempt, 'responseBody'> | undefined;

      const decide = (result: Verdict, statusCode?: number): void => {
        const now = performance.now();
        // Absent for a blocked address. Otherwise customers could resolve the names of our internal network.
        const address = connection.address || connection.dialled;
        verdict = {
          attemptTime,
          duration: rounded(now - begun),
          timings: timingsOf(connection, begun, now),
          ...(statusCode !== undefined && { statusCode }),
          ...(address !== undefined && { address }),
          ...result,
        };
      };
      const end = (): void => {
        clearTimeout(timer);
        reading.delete(dropAndEnd);
        const responseBody = excerpt.text();
        resolve({ ...(verdict as Attempt), ...(responseBody !== '' && { responseBody }) });
      };
      const dropAndEnd = (): void => {
        pool.drop(line);
        end();
      };
      const fail = (error: Error): void => {
        if (error instanceof DeadlineError && verdict !== undefined) return;
        if (verdict === undefined) {
          const cause = causeOf(error, connection);
          const { phase, certificate } = connection;
          decide({
            outcome: 'failed',
            cause,
            ...reasonOf(error, cause, { phase, seconds: ATTEMPT_TIMEOUT / 1000, certificate }),
          });
        }
        dropAndEnd();
      };
      const expire = (): void => {
        const isLate = performance.now() - begun > ATTEMPT_TIMEOUT + LATE;
        // If the process was paused, a response may wait in the socket. Node.js reads it before the second immediate
        // runs.
        if (isLate) setImmediate(() => setImmediate(() => fail(new DeadlineError())));
        else fail(new DeadlineError());
      };
      let timer = setTimeout(expire, ATTEMPT_TIMEOUT);

      const handler: Dispatcher.DispatchHandler = {
        onRequestStart(controller) {
          if (verdict !== undefined) controller.abort(new DeadlineError());
        },
        onResponseStart(_controller, statusCode) {
          if (verdict !== undefined || statusCode < 200) return;
          clearTimeout(timer);
          decide(verdictOn(statusCode), statusCode);
          // The status line decides the outcome. The body is only kept for people who look at the delivery.
          if (!isReading) return dropAndEnd();
          timer = setTimeout(dropAndEnd, BODY_TIMEOUT);
          reading.add(dropAndEnd);
        },
        onResponseData(_controller, chunk) {
          if (excerpt.add(chunk)) dropAndEnd();
        },
        onResponseEnd() {
          // If the connection ends with this response, the client closes it right after this call.
          setImmediate(() => {
            pool.keep(line);
            end();
          });
        },
        onResponseError(_controller, error) {
          fail(error);
        },
      };
      client.dispatch(
        { origin: url.origin, path: url.pathname + url.search, method: 'POST', headers, body },
        handler,
      );
    });

  return {
    send: (request) => attempt(new URL(request.url), request),
    stopReading() {
      isReading = false;
      for (const dropAndEnd of [...reading]) dropAndEnd();
    },
    close: () => pool.close(),
  };
};

export const sendLimits: readonly ResourceLimit[] = [
  {
    id: 'attempt_time',
    part: 'Webhooks',
    resource: 'Time of an attempt, from the name lookup to the status line',
    value: ATTEMPT_TIMEOUT / 1000,
    unit: 's',
    beyond: 'the delivery ends as `failed`, cause `timeout`',
    metric: 'chairside_deliveries_total',
  },
];
