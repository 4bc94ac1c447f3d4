import type { FastifyInstance } from 'fastify';
import { boundConnections, type ConnectionMetrics, drain, ignoreExpectations } from './connections.ts';
import { closeStalledResponses, type StallMetrics, type Watch } from './stalled-responses.ts';

/**
 * Bounds the connections, lets those in use end while the app closes, and closes responses whose reader is stalled.
 * Nothing here refuses a request, so the order does not matter.
 *
 * @param watch the clock by which stalled responses are found; real time by default
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
