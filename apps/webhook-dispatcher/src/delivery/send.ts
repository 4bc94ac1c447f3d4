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

/** From the name look-up to the status line, in milliseconds (service description, Delivery behaviour 1). */
const ATTEMPT_TIMEOUT = 5000;
/** How late a timer must be to tell that the process stood still, in milliseconds. */
const LATE = 250;
/** How long an answer's body is read before the connection is dropped, in milliseconds. */
const BODY_TIMEOUT = 1000;

export type WebhookRequest = { url: string; headers: Record<string, string>; body: string };

/** POSTs webhooks. Never throws for a fault of the receiver: that is an outcome. */
export type Sender = {
  /** One attempt: one POST, no redirect followed, five seconds in all. */
  send(request: WebhookRequest): Promise<Attempt>;
  /** From now on no answer's body is waited for: what has a verdict ends at once. */
  stopReading(): void;
  close(): Promise<void>;
};

class DeadlineError extends Error {}

type Verdict = { outcome: 'succeeded' } | ({ outcome: 'failed'; cause: FailureCause } & FailureReason);

const CONNECT_CAUSES = { lookup: 'dns', connect: 'connect', tls: 'tls' } as const;

const causeOf = (error: Error, { phase }: Connection): Exclude<FailureCause, 'status' | 'redirect'> => {
  if (error instanceof DeadlineError || error instanceof errors.ConnectTimeoutError) return 'timeout';
  if (error instanceof BlockedAddressError) return 'blocked_address';
  // The client refuses what cannot be a request, such as a header with a line break.
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

/** What the phases of an attempt took that began then and had its verdict now. */
const timingsOf = (connection: Connection, begun: number, now: number): Timings => {
  const { phase, since, timings } = connection;
  if (phase === 'open' && since < begun) return { firstByte: rounded(now - begun) };
  const last = phase === 'open' ? 'firstByte' : phase;
  return Object.fromEntries(
    Object.entries({ ...timings, [last]: now - since }).map(([name, value]) => [name, rounded(value)]),
  );
};

/** What has been received of an answer's body, as far as it is kept. */
const createExcerpt = () => {
  const chunks: Buffer[] = [];
  let length = 0;
  return {
    /** @returns whether more than enough has come */
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
  /** Ends the attempts that have their verdict and read on. */
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
        // Absent for a blocked address: customers could look up the names of our internal network with it.
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
          const { phase } = connection;
          decide({
            outcome: 'failed',
            cause,
            ...reasonOf(error, cause, { phase, seconds: ATTEMPT_TIMEOUT / 1000 }),
          });
        }
        dropAndEnd();
      };
      const expire = (): void => {
        const isLate = performance.now() - begun > ATTEMPT_TIMEOUT + LATE;
        // If this process stood still, what arrived meanwhile is in the socket, and is read before the immediates run.
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
          // The verdict is out; what follows is kept for who reads the Delivery, and decides nothing.
          if (!isReading) return dropAndEnd();
          timer = setTimeout(dropAndEnd, BODY_TIMEOUT);
          reading.add(dropAndEnd);
        },
        onResponseData(_controller, chunk) {
          if (excerpt.add(chunk)) dropAndEnd();
        },
        onResponseEnd() {
          // Not at once: a connection that ends with this answer is closed by the client right after this call.
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
    resource: 'Time of an attempt, from the name look-up to the status line',
    value: ATTEMPT_TIMEOUT / 1000,
    unit: 's',
    beyond: 'the Delivery ends as `failed`, cause `timeout`',
    metric: 'chairside_deliveries_total',
  },
];
