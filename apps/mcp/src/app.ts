import { newId, Refusal } from '@chairside/domain';
import {
  boundConnections,
  closeStalledResponses,
  connections,
  drain,
  ignoreExpectations,
  refuseSeveralHosts,
  requestLog,
  requestSpans,
  undecodablePaths,
  type Watch,
} from '@chairside/http-server';
import { loggableError } from '@chairside/runtime';
import Fastify, { LogController } from 'fastify';
import { metadataRoutes } from './authorization/resource-metadata.ts';
import type { App, Dependencies } from './context.ts';
import { healthRoutes } from './health/routes.ts';
import { errorHandler, MAX_BODY_BYTES } from './http/error-handler.ts';
import { messageRoutes } from './messages.ts';

type AppOptions = {
  /** Receives the lines of the log. Standard output by default. */
  stream?: { write(line: string): void };
  /** The clock by which stalled responses are found. Real time by default. */
  watch?: Watch;
};

const createFastify = ({ config }: Dependencies, { stream }: AppOptions): App =>
  Fastify({
    ...connections,
    bodyLimit: MAX_BODY_BYTES,
    genReqId: () => newId(),
    requestIdHeader: false,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    logger: {
      level: config.LOG_LEVEL,
      base: { service: 'mcp' },
      serializers: { err: loggableError },
      ...(stream && { stream }),
    },
    // A request on an open connection gets its normal response while the app closes.
    return503OnClosing: false,
    ...undecodablePaths,
  });

/** Builds the connector, ready to listen. Hooks of one kind run in the order of this function. */
export const buildApp = (dependencies: Dependencies, options: AppOptions = {}): App => {
  const { metrics, tracer } = dependencies;
  const app = createFastify(dependencies, options);
  app.setErrorHandler(errorHandler);
  app.setNotFoundHandler(() => {
    throw new Refusal('NotFound', 'This path does not exist. Check the address of the connector.');
  });
  app.decorateRequest('authInfo', null);
  app.decorateRequest('grant', null);
  app.decorateRequest('toolCall', null);
  app.removeContentTypeParser('text/plain');
  // First, so that the span contains the work of all other hooks.
  if (tracer !== undefined)
    requestSpans(app, tracer, ({ grant, toolCall }) => ({
      'chairside.organization_id': grant?.organizationId,
      'chairside.grant_id': grant?.grantId,
      'chairside.tool': toolCall?.tool,
      'chairside.outcome': toolCall?.outcome,
    }));
  // These four watch connections and responses. They refuse nothing, so their order does not matter.
  ignoreExpectations(app);
  boundConnections(app, metrics);
  drain(app);
  closeStalledResponses(app, metrics, options.watch);
  // Before all hooks that refuse: every refusal has a request id, a line in the log, a count and the headers.
  requestLog(app, ({ grant, toolCall }) => ({
    ...grant,
    ...(toolCall && { tool: toolCall.tool, outcome: toolCall.outcome, rows: toolCall.rows }),
  }));
  app.addHook('onResponse', async ({ method, routeOptions }, { statusCode, elapsedTime }) => {
    metrics.responded({ method, route: routeOptions.url ?? 'none', statusCode, seconds: elapsedTime / 1000 });
  });
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('Cache-Control', 'no-store').header('X-Content-Type-Options', 'nosniff');
  });
  // Before all hooks that read a header.
  refuseSeveralHosts(app);

  healthRoutes(app, dependencies);
  metadataRoutes(app, dependencies);
  messageRoutes(app, dependencies);
  return app;
};
