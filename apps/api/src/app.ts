import type { IncomingMessage, ServerResponse } from 'node:http';
import { loggableError, newId, type Tracer } from '@chairside/domain';
import type { Store } from '@chairside/mongodb';
import type { EventProducer, RateLimiter } from '@chairside/queue';
import compress from '@fastify/compress';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  LogController,
  type RawServerDefault,
} from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { z } from 'zod';
import { apiKeyRoutes } from './api-keys/routes.ts';
import { appointmentRoutes } from './appointments/routes.ts';
import { auditEntryRoutes } from './audit-entries/routes.ts';
import { clinicRoutes } from './clinics/routes.ts';
import type { Config } from './config.ts';
import { eventRoutes } from './events/routes.ts';
import { healthRoutes } from './health/routes.ts';
import { invoiceRoutes } from './invoices/routes.ts';
import type { Metrics } from './metrics.ts';
import { operatorRoutes } from './operators/routes.ts';
import { patientRoutes } from './patients/routes.ts';
import { paymentRoutes } from './payments/routes.ts';
import { authentication, authorization, type RouteEntry } from './plugins/authentication.ts';
import { browsers } from './plugins/browsers.ts';
import {
  boundConnections,
  connections,
  drain,
  ignoreExpectations,
  refuseSeveralHosts,
} from './plugins/connections.ts';
import { documentation } from './plugins/documentation.ts';
import { errorHandler, MAX_BODY_BYTES } from './plugins/error-handler.ts';
import { idempotency } from './plugins/idempotency.ts';
import { jsonBodies } from './plugins/json-bodies.ts';
import { refuseOtherMethods } from './plugins/method-not-allowed.ts';
import { createPasswordGuard } from './plugins/password-guard.ts';
import { refuseUnknownPaths, undecodablePaths } from './plugins/paths.ts';
import { createRejectionGuard, rateLimit } from './plugins/rate-limit.ts';
import { requestLog } from './plugins/request-log.ts';
import { requestMetrics } from './plugins/request-metrics.ts';
import { requestSpans } from './plugins/request-spans.ts';
import { serializerOf } from './plugins/serialization.ts';
import { breakStalledAnswers, type Watch } from './plugins/stalled-answers.ts';
import { streams } from './plugins/streams.ts';
import { validation } from './plugins/validation.ts';
import { openApiDocument } from './reference/document.ts';
import { referenceRoutes } from './reference/routes.ts';
import { sessionRoutes } from './sessions/routes.ts';
import { treatmentRoutes } from './treatments/routes.ts';
import { webhookDeliveryRoutes } from './webhook-deliveries/routes.ts';
import { redeliveryRoutes } from './webhook-subscriptions/redeliver.ts';
import { webhookSubscriptionRoutes } from './webhook-subscriptions/routes.ts';

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route of the API, with who may call it. */
    routeList: readonly RouteEntry[];
    /** The OpenAPI document, as JSON. */
    openApi: string;
  }
}

/** What the routes work with. */
export type Dependencies = {
  config: Pick<Config, 'WEBHOOK_ALLOWED_NETWORKS' | 'EVENT_BYTES_PER_MINUTE'>;
  store: Store;
  queue: Pick<EventProducer, 'publish' | 'isReady'>;
  limiter: RateLimiter;
  metrics: Omit<Metrics, 'expose'>;
  /** Absent where nothing is traced. */
  tracer?: Tracer | undefined;
};

/** The whole API, ready to listen. Whoever gave the store and the queue closes them. */
export const buildApp = async (
  dependencies: Dependencies & { config: Pick<Config, 'LOG_LEVEL' | 'TRUST_PROXY' | 'CORS_ORIGINS'> },
  options: {
    stream?: { write(line: string): void };
    /** What is looked at instead of the clock. */
    watch?: Watch;
  } = {},
): Promise<App> => {
  const app = Fastify({
    ...connections,
    bodyLimit: MAX_BODY_BYTES,
    genReqId: () => newId(),
    requestIdHeader: false,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    logger: {
      level: dependencies.config.LOG_LEVEL,
      base: { service: 'api' },
      serializers: { err: loggableError },
      ...(options.stream && { stream: options.stream }),
    },
    trustProxy: dependencies.config.TRUST_PROXY.length > 0 ? dependencies.config.TRUST_PROXY : false,
    // While it closes, what still comes on an open connection is answered like any other request.
    return503OnClosing: false,
    ...undecodablePaths,
  }).withTypeProvider<ZodTypeProvider>();

  app.setSerializerCompiler(({ schema }) => serializerOf(schema as unknown as z.ZodType));
  app.setErrorHandler(errorHandler(dependencies.metrics));

  if (dependencies.tracer !== undefined) requestSpans(app, dependencies.tracer);
  await app.register(compress, { encodings: ['gzip'], threshold: 1024, globalDecompression: false });
  ignoreExpectations(app);
  boundConnections(app, dependencies.metrics);
  drain(app);
  breakStalledAnswers(app, dependencies.metrics, options.watch);
  streams(app, dependencies.metrics);
  requestLog(app);
  requestMetrics(app, dependencies.metrics);
  refuseSeveralHosts(app);
  await browsers(app, dependencies.config.CORS_ORIGINS);
  refuseUnknownPaths(app);
  jsonBodies(app);
  idempotency(app);
  validation(app);
  const routes = authentication(
    app,
    dependencies.store.everyOrganization,
    createRejectionGuard(dependencies.limiter),
  );
  rateLimit(app, dependencies.limiter);
  authorization(app);
  const documented = documentation(app);

  const passwordGuard = createPasswordGuard(dependencies.limiter);
  healthRoutes(app, dependencies);
  sessionRoutes(app, { ...dependencies, passwordGuard });
  operatorRoutes(app, dependencies);
  apiKeyRoutes(app, { ...dependencies, passwordGuard });
  clinicRoutes(app, dependencies);
  patientRoutes(app, dependencies);
  appointmentRoutes(app, dependencies);
  invoiceRoutes(app, dependencies);
  paymentRoutes(app, dependencies);
  treatmentRoutes(app, dependencies);
  webhookSubscriptionRoutes(app, dependencies);
  webhookDeliveryRoutes(app, dependencies);
  redeliveryRoutes(app, dependencies);
  eventRoutes(app, dependencies);
  auditEntryRoutes(app, dependencies);
  referenceRoutes(app);

  app.decorate('routeList', [...routes]);
  app.decorate('openApi', JSON.stringify(openApiDocument(documented)));
  refuseOtherMethods(app, app.routeList);
  return app;
};
