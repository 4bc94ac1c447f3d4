import { loggableError, newId } from '@chairside/domain';
import compress from '@fastify/compress';
import Fastify, { LogController } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { z } from 'zod';
import { apiKeyRoutes } from './api-keys/routes.ts';
import { appointmentRoutes } from './appointments/routes.ts';
import { auditEntryRoutes } from './audit-entries/routes.ts';
import { clinicRoutes } from './clinics/routes.ts';
import type { Config } from './config.ts';
import type { App, Dependencies } from './context.ts';
import { eventRoutes } from './events/routes.ts';
import { healthRoutes } from './health/routes.ts';
import { authentication, authorization, type RouteEntry } from './http/authentication.ts';
import { browsers } from './http/browsers.ts';
import {
  boundConnections,
  connections,
  drain,
  ignoreExpectations,
  refuseSeveralHosts,
} from './http/connections.ts';
import { errorHandler, MAX_BODY_BYTES } from './http/error-handler.ts';
import { jsonBodies } from './http/json-bodies.ts';
import { refuseOtherMethods } from './http/method-not-allowed.ts';
import { refuseUnknownPaths, undecodablePaths } from './http/paths.ts';
import { createRejectionGuard, rateLimit } from './http/rate-limit.ts';
import { requestLog } from './http/request-log.ts';
import { requestMetrics } from './http/request-metrics.ts';
import { requestSpans } from './http/request-spans.ts';
import { serializerOf } from './http/serialization.ts';
import { breakStalledAnswers, type Watch } from './http/stalled-responses.ts';
import { validation } from './http/validation.ts';
import { invoiceRoutes } from './invoices/routes.ts';
import { streams } from './lists/admission.ts';
import { operatorRoutes } from './operators/routes.ts';
import { createPasswordGuard } from './passwords/password-guard.ts';
import { patientRoutes } from './patients/routes.ts';
import { paymentRoutes } from './payments/routes.ts';
import { idempotency } from './records/idempotency.ts';
import { openApiDocument } from './reference/document.ts';
import { documentation } from './reference/route-documentation.ts';
import { referenceRoutes } from './reference/routes.ts';
import { sessionRoutes } from './sessions/routes.ts';
import { treatmentRoutes } from './treatments/routes.ts';
import { redeliveryRoutes } from './webhook-deliveries/requested.ts';
import { webhookDeliveryRoutes } from './webhook-deliveries/routes.ts';
import { webhookSubscriptionRoutes } from './webhook-subscriptions/routes.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route of the API, with who may call it. */
    routeList: readonly RouteEntry[];
    /** The OpenAPI document, as JSON. */
    openApi: string;
  }
}

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
