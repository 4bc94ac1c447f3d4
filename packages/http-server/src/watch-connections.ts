import type { Socket } from 'node:net';
import { Refusal, type ResourceLimit } from '@chairside/domain';
import type { FastifyInstance } from 'fastify';
import { untilClosed } from './closed-response.ts';
import { boundConnections, type ConnectionMetrics, drain, ignoreExpectations } from './connections.ts';
import { closeStalledResponses, type StallMetrics, type Watch } from './stalled-responses.ts';

/** The log, the metrics, compression and the limits each listen for the end of a response: more than Node.js expects. */
const MAX_LISTENERS = 32;

/**
 * Requests of one connection in flight. Node.js starts every pipelined request at once, so without this limit the number
 * of connections would bound nothing. The limit is more than 1, because a client may send its next request a moment
 * before the server has noticed the end of the previous response.
 */
const MAX_PIPELINED = 4;

export const pipeliningLimits: readonly ResourceLimit[] = [
  {
    id: 'pipelined',
    part: 'Connections and requests',
    resource: 'Requests of one connection in flight (pipelining)',
    value: MAX_PIPELINED,
    unit: 'requests',
    beyond: 'the connection is closed',
  },
];

/** Closes connections with too many pipelined requests. */
const boundPipelining = (app: FastifyInstance): void => {
  const inFlight = new WeakMap<Socket, number>();
  app.addHook('onRequest', async ({ raw: { socket } }, { raw: response }) => {
    const count = (inFlight.get(socket) ?? 0) + 1;
    inFlight.set(socket, count);
    untilClosed(response).then(() => inFlight.set(socket, (inFlight.get(socket) ?? 1) - 1));
    if (count <= MAX_PIPELINED) return;
    socket.destroy();
    throw new Refusal('TooManyRequests', `Send at most ${MAX_PIPELINED} requests at once on a connection.`, {
      retryAfter: 1,
      limit: 'pipelined',
    });
  });
};

/**
 * Ignores unknown expectations, limits the number of connections, drains them while the app closes, and closes the
 * connections of stalled or slow readers. The order of these functions does not matter.
 *
 * @param watch the clock and interval of the checks for stalled responses; real time by default
 */
export const watchConnections = (
  app: FastifyInstance,
  metrics: ConnectionMetrics & StallMetrics,
  watch?: Watch,
): void => {
  ignoreExpectations(app);
  boundConnections(app, metrics);
  drain(app);
  closeStalledResponses(app, metrics, watch);
  app.addHook('onRequest', async (_request, { raw }) => {
    raw.setMaxListeners(MAX_LISTENERS);
  });
  boundPipelining(app);
};
