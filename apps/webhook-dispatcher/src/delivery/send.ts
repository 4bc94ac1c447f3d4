import type { IncomingHttpHeaders } from 'node:http';
import {
  type Attempt,
  clock,
  MAX_RESPONSE_BODY_BYTES,
  type ResourceLimit,
  type ResponseHeaders,
  responseText,
} from '@chairside/domain';
import { MAX_ADDRESSES, MAX_HANDSHAKE_BYTES } from '@chairside/network';
import { type Dispatcher, errors } from 'undici';
import { type ConnectorOptions, MAX_READ_BYTES } from './connect.ts';
import { type ConnectionPool, createConnectionPool, type PooledConnection } from './connection-pool.ts';
import { keptHeadersOf } from './kept-headers.ts';
import {
  DeadlineError,
  rounded,
  timingsOf,
  type Verdict,
  verdictOnError,
  verdictOnStatus,
} from './verdict.ts';

/**
 * Maximum duration of an attempt, from the name lookup to the status line (service description, Delivery behaviour 1).
 */
const ATTEMPT_TIMEOUT_MS = 5000;
/** If a timer fires more than this time late, the process was paused. */
const LATE_MS = 250;
/** Maximum number of informational responses before the response of an attempt. */
const MAX_INFORMATIONAL = 100;
/** How long the body of a response is read before the connection is dropped. */
const BODY_TIMEOUT_MS = 1000;

export type WebhookRequest = { url: string; headers: Record<string, string>; body: string };

/** POSTs webhooks. A failure of the receiver is an outcome, not an error. */
export type Sender = {
  /** Makes one attempt: one POST, with at most five seconds until the status line. Redirects are not followed. */
  send(request: WebhookRequest): Promise<Attempt>;
  /** Stops reading bodies of responses. Attempts that have a status line end at once. */
  stopReading(): void;
  close(): Promise<void>;
};

/** The beginning of a response's body. */
const createExcerpt = () => {
  // Copies, because a chunk is a view of what was read from the socket, which may have many more bytes.
  const chunks: Buffer[] = [];
  let length = 0;
  return {
    /** @returns whether the body exceeds the limit */
    add(chunk: Buffer): boolean {
      if (length <= MAX_RESPONSE_BODY_BYTES)
        chunks.push(Buffer.from(chunk.subarray(0, MAX_RESPONSE_BODY_BYTES + 1 - length)));
      length += chunk.length;
      return length > MAX_RESPONSE_BODY_BYTES;
    },
    text: () => responseText(Buffer.concat(chunks)),
  };
};

/** The attempts that have an outcome and are still reading a body. */
type Reading = { attempts: Set<OpenAttempt>; isStopped: boolean };

/** An attempt in flight. The client calls its methods while the request makes progress. */
class OpenAttempt implements Dispatcher.DispatchHandler {
  readonly #attemptTime = clock.now();
  readonly #startedAt = performance.now();
  readonly #excerpt = createExcerpt();
  readonly #pool: ConnectionPool;
  readonly #reading: Reading;
  readonly #resolve: (attempt: Attempt) => void;
  readonly #line: PooledConnection;
  readonly #url: string;
  #timer: NodeJS.Timeout;
  /** Undefined until the attempt has an outcome. */
  #decided: Omit<Attempt, 'responseBody'> | undefined;
  #informational = 0;
  /** Whether the body of the response was read to its end. */
  #isRead = false;

  constructor(url: URL, pool: ConnectionPool, reading: Reading, resolve: (attempt: Attempt) => void) {
    this.#url = url.href;
    this.#pool = pool;
    this.#reading = reading;
    this.#resolve = resolve;
    this.#line = pool.take(url.origin);
    this.#line.connection.beginAttempt();
    this.#timer = setTimeout(() => this.#expire(), ATTEMPT_TIMEOUT_MS);
  }

  post({ origin, pathname, search }: URL, { headers, body }: WebhookRequest): void {
    this.#line.client.dispatch({ origin, path: pathname + search, method: 'POST', headers, body }, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#decided !== undefined) controller.abort(new DeadlineError());
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (statusCode < 200 && ++this.#informational > MAX_INFORMATIONAL)
      controller.abort(
        new errors.HeadersOverflowError('The receiver has sent too many informational responses.'),
      );
    if (this.#decided !== undefined || statusCode < 200) return;
    clearTimeout(this.#timer);
    const responseHeaders = keptHeadersOf(headers, this.#url);
    this.#decide(verdictOnStatus(statusCode), { statusCode, responseHeaders });
    // The status line decides the outcome. The body is only kept for people who look at the delivery.
    if (this.#reading.isStopped) {
      this.drop();
      return;
    }
    this.#timer = setTimeout(() => this.drop(), BODY_TIMEOUT_MS);
    this.#reading.attempts.add(this);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#excerpt.add(chunk)) this.drop();
  }

  onResponseEnd(): void {
    this.#isRead = true;
    // If the connection ends with this response, the client closes it right after this call. The pool must find it
    // closed.
    setImmediate(() => {
      this.#pool.keep(this.#line);
      this.#end();
    });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  /** Closes the connection. The attempt must have an outcome. */
  drop(): void {
    this.#pool.drop(this.#line);
    this.#end();
  }

  #decide(
    verdict: Verdict,
    response: { statusCode: number; responseHeaders: ResponseHeaders } | undefined,
  ): void {
    const now = performance.now();
    const { connection } = this.#line;
    // The address is absent if it is blocked. Otherwise customers could resolve the names of our internal network.
    const address = connection.address || connection.dialled;
    this.#decided = {
      attemptTime: this.#attemptTime,
      duration: rounded(now - this.#startedAt),
      timings: timingsOf(connection, this.#startedAt, now),
      url: this.#url,
      ...response,
      ...(address !== undefined && { address }),
      ...verdict,
    };
  }

  #fail(error: Error): void {
    if (error instanceof DeadlineError && this.#decided !== undefined) return;
    if (this.#decided === undefined)
      this.#decide(verdictOnError(error, this.#line.connection, ATTEMPT_TIMEOUT_MS), undefined);
    this.drop();
  }

  #expire(): void {
    const isLate = performance.now() - this.#startedAt > ATTEMPT_TIMEOUT_MS + LATE_MS;
    const fail = () => this.#fail(new DeadlineError());
    // If the process was paused, a response may wait in the socket. Node.js reads it before the second immediate runs.
    if (isLate) setImmediate(() => setImmediate(fail));
    else fail();
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#reading.attempts.delete(this);
    const responseBody = this.#excerpt.text();
    const attempt = this.#decided as Attempt;
    const isTruncated = attempt.statusCode !== undefined && !this.#isRead;
    this.#resolve({
      ...attempt,
      ...(responseBody !== '' && { responseBody }),
      ...(isTruncated && { responseBodyTruncated: true }),
    });
  }
}

export const createSender = (options: ConnectorOptions): Sender => {
  const pool = createConnectionPool(options, ATTEMPT_TIMEOUT_MS);
  const reading: Reading = { attempts: new Set(), isStopped: false };
  return {
    async send(request) {
      const url = new URL(request.url);
      return new Promise((resolve) => {
        new OpenAttempt(url, pool, reading, resolve).post(url, request);
      });
    },
    stopReading() {
      reading.isStopped = true;
      for (const attempt of [...reading.attempts]) attempt.drop();
    },
    close: () => pool.close(),
  };
};

export const sendLimits: readonly ResourceLimit[] = [
  {
    id: 'attempt_time',
    part: 'Webhooks',
    resource: 'Time of an attempt, from the name lookup to the status line',
    value: ATTEMPT_TIMEOUT_MS / 1000,
    unit: 's',
    beyond: 'the delivery ends as `failed`, cause `timeout`',
    metric: 'chairside_deliveries_total',
  },
  {
    id: 'informational_responses',
    part: 'Webhooks',
    resource: 'Informational responses (1xx) before the response of an attempt',
    value: MAX_INFORMATIONAL,
    unit: 'responses',
    beyond: 'the delivery ends as `failed`, cause `protocol`',
    metric: 'chairside_deliveries_total',
  },
  {
    id: 'addresses',
    part: 'Webhooks',
    resource: 'Addresses of the host of a receiver, or of a client document, that are checked and dialled',
    value: MAX_ADDRESSES,
    unit: 'addresses',
    beyond: 'the others are not used',
  },
  {
    id: 'handshake_bytes',
    part: 'Webhooks',
    resource: 'Bytes of a receiver, or of the host of a client document, in a TLS handshake',
    value: MAX_HANDSHAKE_BYTES / 1024,
    unit: 'KiB',
    beyond: 'the delivery ends as `failed`, cause `tls`; the document is not read',
    metric: 'chairside_deliveries_total',
  },
  {
    id: 'attempt_bytes',
    part: 'Webhooks',
    resource: 'Bytes that are read from a receiver in one attempt',
    value: MAX_READ_BYTES / 1024,
    unit: 'KiB',
    beyond:
      'the connection is closed; without a status line, the delivery ends as `failed`, cause `protocol`',
    metric: 'chairside_deliveries_total',
  },
];
