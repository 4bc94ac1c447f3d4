import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { newId, Refusal, type ResourceLimit } from '@chairside/domain';
import type { FastifyInstance } from 'fastify';

/** The maximum size of the path, the query and all headers of a request together, in bytes. */
const MAX_HEADER_BYTES = 16_384;
/** How long the headers may take to arrive, and how long the whole request may take. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** How long an idle connection stays open. Load balancers usually close theirs earlier. */
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
/** The maximum number of connections of a process. An idle connection uses about 10 kB. */
const MAX_CONNECTIONS = 4000;
/** How often the timeouts of connections are checked. */
const CHECK_INTERVAL_MS = 1000;

/** How long a refused connection stays open for the caller to read the response. */
const LINGER_MS = 2000;

type Described = { statusCode: number; name: string; message: string };

const describe = ({ code }: NodeJS.ErrnoException): Described => {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return {
        statusCode: 400,
        name: 'BadRequest',
        message: `The headers are larger than ${MAX_HEADER_BYTES} bytes in total. Send fewer or shorter headers.`,
      };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return {
        statusCode: 408,
        name: 'RequestTimeout',
        message: `The request timed out. Its headers must arrive within ${HEADERS_TIMEOUT_MS / 1000} s, and the whole request within ${REQUEST_TIMEOUT_MS / 1000} s. Send it again.`,
      };
    default:
      return {
        statusCode: 400,
        name: 'BadRequest',
        message: 'This is not a valid HTTP/1.1 request. Check the client or the proxy that sent it.',
      };
  }
};

/**
 * Responds with the error body of the API to a request that is not valid HTTP, has too large headers, or arrives too
 * slowly, and closes the connection.
 */
const respondToClientError = (error: Error, socket: Socket): void => {
  // The response was sent before the whole request had arrived. The rest of the request is read and dropped, because a
  // reset of the connection could reach the caller before the response.
  if (socket.writableEnded && !socket.destroyed) return;
  if (!socket.writable || (error as NodeJS.ErrnoException).code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
  const { statusCode, name, message } = describe(error);
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

export const connectionLimits: readonly ResourceLimit[] = [
  {
    id: 'connections',
    part: 'Connections and requests',
    resource: 'Open connections',
    value: MAX_CONNECTIONS,
    unit: 'in each process',
    beyond: 'a new connection is closed immediately',
    metric: 'chairside_api_connections',
  },
  {
    id: 'headers',
    part: 'Connections and requests',
    resource: 'Headers of a request, with its path and query',
    value: MAX_HEADER_BYTES / 1024,
    unit: 'KiB',
    beyond: '400 BadRequest',
  },
  {
    id: 'headers_time',
    part: 'Connections and requests',
    resource: 'Time for the headers of a request to arrive',
    value: HEADERS_TIMEOUT_MS / 1000,
    unit: 's',
    beyond: '408 RequestTimeout',
  },
  {
    id: 'request_time',
    part: 'Connections and requests',
    resource: 'Time for a whole request to arrive',
    value: REQUEST_TIMEOUT_MS / 1000,
    unit: 's',
    beyond: '408 RequestTimeout',
  },
  {
    id: 'idle_connection',
    part: 'Connections and requests',
    resource: 'Time between two requests on one connection',
    value: KEEP_ALIVE_TIMEOUT_MS / 1000,
    unit: 's',
    beyond: 'the connection is closed',
    metric: 'chairside_api_connections',
  },
];

/** The Fastify options for connections: the maximum size of the headers, the timeouts, and the response to errors. */
export const connections = {
  requestTimeout: REQUEST_TIMEOUT_MS,
  keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
  http: {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    // `requireOneHost` checks it.
    requireHostHeader: false,
  },
  clientErrorHandler: respondToClientError,
};

/** @param count the number of open connections */
export type ConnectionMetrics = { connections(count: number): void; dropped(): void };

/** Limits the number of connections, because each uses memory before it has sent a byte. */
export const boundConnections = (
  app: FastifyInstance,
  metrics: ConnectionMetrics,
  max: number = MAX_CONNECTIONS,
): void => {
  let open = 0;
  const change = (by: 1 | -1) => {
    open += by;
    metrics.connections(open);
  };
  app.server.on('connection', (socket: Socket) => {
    if (open >= max) {
      socket.destroy();
      metrics.dropped();
      return;
    }
    change(1);
    socket.once('close', () => change(-1));
  });
};

/**
 * Refuses a request with several Host headers, and one of HTTP/1.1 with none (RFC 9112, section 3.2). Node.js would use the
 * first one, but a proxy in front of it may use another. To a request with none, it would respond without a body.
 */
export const requireOneHost = (app: FastifyInstance): void => {
  app.addHook('onRequest', async ({ raw: { rawHeaders, httpVersion } }) => {
    // rawHeaders alternates names and values.
    const hosts = rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host');
    if (hosts.length > 1)
      throw new Refusal('BadRequest', 'The request has several Host headers. Send exactly one.');
    if (hosts.length === 0 && httpVersion !== '1.0')
      throw new Refusal('BadRequest', 'The request has no Host header. Send exactly one.');
  });
};

/**
 * Ignores an `Expect` header other than 100-continue (RFC 9110, 10.1.1). Otherwise Node.js would respond without a
 * body.
 */
export const ignoreExpectations = (app: FastifyInstance): void => {
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
};

/**
 * Closes each connection after its current response while the app closes, and at once if no byte has arrived on it.
 * Node.js closes only the connections that are idle at that moment. It waits for the others until their callers close
 * them.
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
  // This hook handles responses whose headers were sent before the app began to close.
  app.addHook('onResponse', async ({ raw }) => {
    if (isClosing) raw.socket.end();
  });
};
