import type { AllowedNetworks, Attempt, FailureCause } from '@chairside/domain';
import { Client, type Dispatcher, errors } from 'undici';
import { BlockedAddressError, type Connection, guardedConnector } from './connect.ts';

/** From the name look-up to the status line, in milliseconds (service description, Delivery behaviour 1). */
export const ATTEMPT_TIMEOUT = 5000;
/** How much of an answer's body is read before the connection is dropped, in bytes and in milliseconds. */
const MAX_BODY_BYTES = 4096;
const BODY_TIMEOUT = 1000;
/** A socket is used again only so soon after its last answer, in milliseconds: later its end may be on the way. */
const REUSE_WITHIN = 1000;
const MAX_HEADER_BYTES = 16_384;

type Line = { client: Client; connection: Connection };

export type WebhookRequest = { url: string; headers: Record<string, string>; body: string };

/** POSTs webhooks. Never throws for a fault of the receiver: that is an outcome. */
export type Sender = {
  /** One attempt: one POST, no redirect followed, five seconds in all. */
  send(request: WebhookRequest): Promise<Attempt>;
  close(): Promise<void>;
};

class DeadlineError extends Error {}

const CONNECT_CAUSES = { lookup: 'dns', connect: 'connect', tls: 'tls' } as const;

const causeOf = (error: Error, { phase }: Connection): FailureCause => {
  if (error instanceof DeadlineError || error instanceof errors.ConnectTimeoutError) return 'timeout';
  if (error instanceof BlockedAddressError) return 'blocked_address';
  if (phase !== 'open') return CONNECT_CAUSES[phase];
  const { code = '' } = error as NodeJS.ErrnoException;
  const isGarbage =
    code.startsWith('HPE_') || code === 'UND_ERR_HEADERS_OVERFLOW' || /^bad /.test(error.message);
  return isGarbage ? 'protocol' : 'reset';
};

/** What a receiver's answer or failure is called in the Delivery; nothing of the answer's text gets in. */
const reasonOf = (error: Error, cause: FailureCause): string => {
  if (cause === 'timeout') return `no answer within ${ATTEMPT_TIMEOUT} ms`;
  return (error as NodeJS.ErrnoException).code ?? error.message;
};

type Verdict = { outcome: 'succeeded' } | { outcome: 'failed'; cause: FailureCause; reason: string };

const verdictOn = (statusCode: number): Verdict => {
  if (statusCode >= 200 && statusCode < 300) return { outcome: 'succeeded' };
  const cause = statusCode >= 300 && statusCode < 400 ? 'redirect' : 'status';
  return { outcome: 'failed', cause, reason: `status ${statusCode}` };
};

/** @param allowed networks that may be dialled besides the public internet */
export const createSender = (allowed: AllowedNetworks): Sender => {
  const idle = new Map<string, Line[]>();
  const lines = new Set<Line>();

  const open = (origin: string): Line => {
    const connection: Connection = { phase: 'lookup' };
    const client = new Client(origin, {
      connect: guardedConnector(connection, allowed, ATTEMPT_TIMEOUT),
      pipelining: 1,
      keepAliveTimeout: REUSE_WITHIN,
      keepAliveMaxTimeout: REUSE_WITHIN,
      keepAliveTimeoutThreshold: 0,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    const line = { client, connection };
    lines.add(line);
    // One client is one connection: when that ends, nothing may wait for another one inside it.
    client.on('disconnect', () => drop(origin, line));
    return line;
  };

  const drop = (origin: string, line: Line): void => {
    lines.delete(line);
    const others = idle.get(origin)?.filter((other) => other !== line) ?? [];
    if (others.length === 0) idle.delete(origin);
    else idle.set(origin, others);
    line.client.destroy().catch(() => {});
  };

  const keep = (origin: string, line: Line): void => {
    if (line.client.closed || line.client.destroyed) return;
    idle.set(origin, [...(idle.get(origin) ?? []), line]);
  };

  const attempt = (url: URL, { headers, body }: WebhookRequest): Promise<Attempt> =>
    new Promise((resolve) => {
      const attemptTime = new Date();
      const begun = performance.now();
      const line = idle.get(url.origin)?.pop() ?? open(url.origin);
      const { connection, client } = line;
      let statusCode: number | undefined;
      let received = 0;
      let isOver = false;

      const end = (verdict: Verdict, duration: number) => {
        isOver = true;
        clearTimeout(timer);
        resolve({
          attemptTime,
          duration,
          ...(statusCode !== undefined && { statusCode }),
          ...(connection.address !== undefined && { address: connection.address }),
          ...verdict,
        });
      };
      const elapsed = () => Math.round((performance.now() - begun) * 10) / 10;
      const fail = (error: Error) => {
        if (isOver) return;
        const cause = causeOf(error, connection);
        end({ outcome: 'failed', cause, reason: reasonOf(error, cause) }, elapsed());
        drop(url.origin, line);
      };
      let timer = setTimeout(() => fail(new DeadlineError()), ATTEMPT_TIMEOUT);

      const handler: Dispatcher.DispatchHandler = {
        onRequestStart(controller) {
          if (isOver) controller.abort(new DeadlineError());
        },
        onResponseStart(_controller, status) {
          if (isOver || status < 200) return;
          statusCode = status;
          end(verdictOn(status), elapsed());
          // The verdict is out; the rest of the answer decides only whether the connection can be used again.
          timer = setTimeout(() => drop(url.origin, line), BODY_TIMEOUT);
        },
        onResponseData(_controller, chunk) {
          received += chunk.length;
          if (received > MAX_BODY_BYTES) {
            clearTimeout(timer);
            drop(url.origin, line);
          }
        },
        onResponseEnd() {
          clearTimeout(timer);
          keep(url.origin, line);
        },
        onResponseError(_controller, error) {
          clearTimeout(timer);
          fail(error);
          drop(url.origin, line);
        },
      };
      client.dispatch(
        { origin: url.origin, path: url.pathname + url.search, method: 'POST', headers, body },
        handler,
      );
    });

  return {
    send: (request) => attempt(new URL(request.url), request),
    async close() {
      await Promise.all([...lines].map(({ client }) => client.destroy().catch(() => {})));
    },
  };
};
