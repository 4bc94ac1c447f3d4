import type { FastifyInstance } from 'fastify';
import { boundConnections, type ConnectionMetrics, drain, ignoreExpectations } from './connections.ts';
import { closeStalledResponses, type StallMetrics, type Watch } from './stalled-responses.ts';

/**
 * Ignores unknown expectations, limits the number of connections, drains them while the app closes, and closes the
 * connections of stalled or slow readers.
 * None of these functions refuses a request, so their order does not matter.
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
};
