import { Refusal } from '@chairside/domain';
import {
  boundedJsonBodies,
  forwardedAddresses,
  refuseWhilePreparing,
  requestLog,
  requestMetrics,
  requestSpans,
  requireDoors,
  requireOneHost,
  serverOptions,
  type Watch,
  watchConnections,
} from '@chairside/http-server';
import Fastify from 'fastify';
import { metadataRoutes } from './authorization/resource-metadata.ts';
import type { App, Dependencies } from './context.ts';
import { healthRoutes } from './health/routes.ts';
import { bodyBounds, errorHandler, MAX_BODY_BYTES } from './http/error-handler.ts';
import { messageRoutes } from './messages.ts';

type AppOptions = {
  /** Receives the lines of the log. Standard output by default. */
  stream?: { write(line: string): void };
  /** The clock by which stalled responses are found. Real time by default. */
  watch?: Watch;
};

/** Builds the connector, ready to listen. Hooks of one kind run in the order in which this function installs them. */
export const buildApp = (dependencies: Dependencies, { stream, watch }: AppOptions = {}): App => {
  const { config, metrics, tracer } = dependencies;
  const app: App = Fastify(serverOptions(config, { service: 'mcp', maxBodyBytes: MAX_BODY_BYTES, stream }));
  app.setErrorHandler(errorHandler(metrics));
  app.setNotFoundHandler(() => {
    throw new Refusal('NotFound', 'This path does not exist. Check the address of the connector.');
  });
  app.decorateRequest('authInfo', null);
  app.decorateRequest('grant', null);
  app.decorateRequest('toolCall', null);
  app.decorateRequest('reportCall', null);
  app.decorateRequest('gone', null);
  // Bodies are counted by the organization of the access token.
  boundedJsonBodies(app, bodyBounds, ({ grant }) => grant?.organizationId);
  // This hook comes before all that read the address of the caller.
  forwardedAddresses(app, config.TRUST_PROXY);
  // The span contains the work of all hooks below.
  if (tracer !== undefined)
    requestSpans(app, tracer, ({ grant, toolCall }) => ({
      'chairside.organization_id': grant?.organizationId,
      'chairside.grant_id': grant?.grantId,
      'chairside.tool': toolCall?.tool,
      'chairside.outcome': toolCall?.outcome,
    }));
  watchConnections(app, metrics, watch);
  // These hooks come before all hooks that refuse requests, so that every refusal has a request id, a line in the log,
  // a count and the headers.
  requestLog(app, ({ grant, toolCall }) => ({
    ...grant,
    ...(toolCall && { tool: toolCall.tool, outcome: toolCall.outcome, rows: toolCall.rows }),
  }));
  requestMetrics(app, metrics);
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('Cache-Control', 'no-store').header('X-Content-Type-Options', 'nosniff');
  });
  refuseWhilePreparing(app);
  // This check comes before all hooks that read a header.
  requireOneHost(app);

  requireDoors(app, ({ url }) => (/^\/(health|\.well-known)\//.test(url) ? 'connector-public' : undefined));
  healthRoutes(app, dependencies);
  metadataRoutes(app, dependencies);
  messageRoutes(app, dependencies);
  return app;
};
