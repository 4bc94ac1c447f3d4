import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { newId } from '@chairside/domain';
import type { FastifyInstance } from 'fastify';

/** All headers of a request together, in bytes. */
const MAX_HEADER_BYTES = 16_384;
/** How long a caller may take to send the headers, and the whole request, in milliseconds. */
const HEADERS_TIMEOUT = 10_000;
const REQUEST_TIMEOUT = 30_000;
/** How often connections are looked at for one that is over its time, in milliseconds. */
const CHECK_INTERVAL = 1000;

/** How long a connection that had to be refused stays open for its caller to read why, in milliseconds. */
const LINGER = 2000;

type Fault = { statusCode: number; name: string; message: string };

const faultOf = ({ code }: NodeJS.ErrnoException): Fault => {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return {
        statusCode: 400,
        name: 'BadRequest',
        message: `The headers are larger than ${MAX_HEADER_BYTES} bytes together. Send less.`,
      };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return {
        statusCode: 408,
        name: 'RequestTimeout',
        message: `The request took too long to arrive: its headers may take ${HEADERS_TIMEOUT / 1000} s, all of it ${REQUEST_TIMEOUT / 1000} s.`,
      };
    default:
      return { statusCode: 400, name: 'BadRequest', message: 'This is not a valid HTTP request.' };
  }
};

/** Answers what never became a request with the one error body, and closes the connection. */
const answerFault = (error: Error, socket: Socket): void => {
  // What still comes of a request that has its answer is read and dropped: a reset would overtake the answer.
  if (socket.writableEnded && !socket.destroyed) return;
  if (!socket.writable || (error as NodeJS.ErrnoException).code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  setTimeout(() => socket.destroy(), LINGER).unref();
  const { statusCode, name, message } = faultOf(error);
  const requestId = newId();
  const body = JSON.stringify({ message, name, statusCode, details: { requestId } });
  socket.end(
    [
      `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Cache-Control: no-store',
      `X-Request-Id: ${requestId}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
};

/** How the server treats its connections: what may arrive, and how long it may take. */
export const connections = {
  requestTimeout: REQUEST_TIMEOUT,
  http: {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: HEADERS_TIMEOUT,
    connectionsCheckingInterval: CHECK_INTERVAL,
  },
  clientErrorHandler: answerFault,
};

/** What a caller expects besides 100-continue (RFC 9110, 10.1.1) is ignored: by itself the server answers without a body. */
export const ignoreExpectations = (app: FastifyInstance): void => {
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
};

/**
 * While the app closes, has each connection end with the answer that is under way: by itself the server closes those
 * only that are idle after a request at that moment, and waits for the others as long as their callers keep them open.
 */
export const drain = (app: FastifyInstance): void => {
  let isClosing = false;
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  app.addHook('preClose', async () => {
    isClosing = true;
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isClosing) reply.header('Connection', 'close');
    done(null, payload);
  });
  // An answer whose headers had left before.
  app.addHook('onResponse', async ({ raw }) => {
    if (isClosing) raw.socket.end();
  });
};
