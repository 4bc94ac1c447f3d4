import {
  type DoorName,
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
import type { UsageCount } from '@chairside/mongodb';
import compress from '@fastify/compress';
import Fastify, { type RouteOptions } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { z } from 'zod';
import { apiKeyRoutes } from './api-keys/routes.ts';
import { appointmentRoutes } from './appointments/routes.ts';
import { auditEntryRoutes } from './audit-entries/routes.ts';
import { batchRoutes } from './batch/routes.ts';
import { clinicRoutes } from './clinics/routes.ts';
import type { Config } from './config.ts';
import { connectionRoutes } from './connections/routes.ts';
import type { App, Dependencies } from './context.ts';
import { eventRoutes } from './events/routes.ts';
import { openAnswers } from './factors/answers.ts';
import { openPasskeys } from './factors/passkeys.ts';
import { healthRoutes } from './health/routes.ts';
import { authentication, newNetworks } from './http/authentication.ts';
import { authorization } from './http/authorization.ts';
import { browsers } from './http/browsers.ts';
import { callerAddress } from './http/caller-address.ts';
import { compressedResponses } from './http/compressed-responses.ts';
import { errorHandler } from './http/error-handler.ts';
import { idempotencyKeys } from './http/idempotency-key.ts';
import { jsonBodies, MAX_BODY_BYTES } from './http/json-bodies.ts';
import { refuseOtherMethods } from './http/method-not-allowed.ts';
import { organizationStore } from './http/organization-store.ts';
import { refuseUnknownPaths } from './http/paths.ts';
import { createRejectionGuard, rateLimit } from './http/rate-limit.ts';
import { requestTurns } from './http/requests-in-flight.ts';
import { collectRoutes } from './http/route-list.ts';
import { serializerOf } from './http/serialization.ts';
import { countUsage } from './http/usage.ts';
import { validation } from './http/validation.ts';
import { invoiceRoutes } from './invoices/routes.ts';
import { listAdmission } from './lists/admission.ts';
import { rememberMail } from './mail/known-mail.ts';
import { noticeRoutes } from './notices/routes.ts';
import { operatorLinkRoutes } from './operator-links/routes.ts';
import { operatorRoutes } from './operators/routes.ts';
import { organizationRoutes } from './organization/routes.ts';
import { factorRoutes } from './own-factors/routes.ts';
import { createPasswordGuard } from './passwords/password-guard.ts';
import { patientRoutes } from './patients/routes.ts';
import { paymentRoutes } from './payments/routes.ts';
import { openApiDocument } from './reference/document.ts';
import { documentation } from './reference/route-documentation.ts';
import { referenceRoutes } from './reference/routes.ts';
import { scheduleRoutes } from './schedule/routes.ts';
import { serviceStatusRoutes } from './service-status/routes.ts';
import { sessionRoutes } from './sessions/routes.ts';
import { treatmentRoutes } from './treatments/routes.ts';
import { requestedDeliveryRoutes } from './webhook-deliveries/requested.ts';
import { webhookDeliveryRoutes } from './webhook-deliveries/routes.ts';
import { webhookStatisticsRoutes } from './webhook-statistics/routes.ts';
import { webhookSubscriptionRoutes } from './webhook-subscriptions/routes.ts';

type AppDependencies = Dependencies & {
  /** Counts who uses the api; absent in tests. */
  usage?: Pick<UsageCount, 'add'>;
  config: Pick<Config, 'LOG_LEVEL' | 'TRUST_PROXY' | 'PROXY_SECRET' | 'CORS_ORIGINS'>;
};
type AppOptions = {
  /** Receives the lines of the log. Standard output by default. */
  stream?: { write(line: string): void };
  /** The clock by which stalled responses are found. Real time by default. */
  watch?: Watch;
};

const createFastify = (config: AppDependencies['config'], { stream }: AppOptions): App => {
  const app = Fastify(
    serverOptions(config, { service: 'api', maxBodyBytes: MAX_BODY_BYTES, stream }),
  ).withTypeProvider<ZodTypeProvider>();
  app.setSerializerCompiler(({ schema }) => serializerOf(schema as z.ZodType));
  return app;
};

/** Installs the hooks of every request. Hooks of one kind run in the order in which this function installs them. */
const installHooks = async (
  app: App,
  { config, store, limiter, metrics, usage, tracer }: AppDependencies,
  { watch }: AppOptions,
): Promise<void> => {
  // The errors of all hooks and routes below go to this handler.
  app.setErrorHandler(errorHandler(metrics));
  // This hook comes before all that read the address of the caller.
  forwardedAddresses(app, config.TRUST_PROXY);
  // The span contains the work of all hooks below.
  if (tracer !== undefined)
    requestSpans(app, tracer, ({ principal }) => ({
      'chairside.organization_id': principal?.organizationId,
    }));
  compressedResponses(app);
  // The plugin comes before the routes, because it compresses only the responses of routes that are registered later.
  await app.register(compress, { encodings: ['gzip'], threshold: 1024, globalDecompression: false });
  watchConnections(app, metrics, watch);
  // The log and the metrics come before all hooks that refuse requests, so that their refusals have a request id, a
  // line in the log and a count in the metrics.
  requestLog(
    app,
    ({ principal }) =>
      principal && {
        organizationId: principal.organizationId,
        principal: `${principal.kind}:${principal.id}`,
      },
  );
  requestMetrics(app, metrics);
  if (usage !== undefined) countUsage(app, usage);
  refuseWhilePreparing(app);
  // This check comes before the hooks below, which read headers.
  requireOneHost(app);
  // The headers for browsers come before authentication, because preflight requests have no credentials, and because
  // refusals need these headers too.
  await browsers(app, config.CORS_ORIGINS);
  // This check comes before authentication, because a path without a route is refused without credentials.
  refuseUnknownPaths(app);
  // The address is set before authentication, because callers with wrong credentials are counted by their network.
  callerAddress(app, config.PROXY_SECRET);
  authentication(app, store.everyOrganization, createRejectionGuard(limiter));
  organizationStore(app, store);
  // Rate limits come after authentication, because each principal has a limit, and before authorization, because a
  // request that gets a 403 counts too.
  rateLimit(app, limiter);
  newNetworks(app, store.everyOrganization);
  // Authorization runs before the body is read, and again before the handler, because the body may take half a minute
  // to arrive.
  authorization(app);
  // The body is read here, and the turn begins.
  jsonBodies(app);
  requestTurns(app, metrics);
  // This check comes before validation, so that a wrong Idempotency-Key is reported before a wrong body.
  idempotencyKeys(app);
  validation(app);
  // The handlers of lists use this.
  listAdmission(app, metrics);
};

/** Registers the routes, in the order of the OpenAPI document. */
const registerRoutes = (app: App, dependencies: AppDependencies): void => {
  healthRoutes(app, dependencies);
  const { challenges, factorChecks } = dependencies.store.everyOrganization;
  const passkeys = openPasskeys(dependencies.config.DASHBOARD_URL);
  const answers = openAnswers({ challenges, factorChecks }, passkeys);
  const ownPassword = { guard: createPasswordGuard(dependencies.limiter), challenges, answers };
  const knowsMail = rememberMail(dependencies.store.everyOrganization.sendsMail);
  sessionRoutes(app, { ...dependencies, ownPassword, passkeys, knowsMail });
  factorRoutes(app, { ...dependencies, passkeys });
  organizationRoutes(app);
  operatorRoutes(app, dependencies);
  operatorLinkRoutes(app, { ...dependencies, answers, knowsMail });
  noticeRoutes(app, dependencies.store);
  apiKeyRoutes(app, { ...dependencies, ownPassword });
  connectionRoutes(app, dependencies.store);
  clinicRoutes(app, dependencies);
  patientRoutes(app, dependencies);
  appointmentRoutes(app, dependencies);
  batchRoutes(app, dependencies);
  invoiceRoutes(app, dependencies);
  paymentRoutes(app, dependencies);
  treatmentRoutes(app, dependencies);
  scheduleRoutes(app, dependencies);
  webhookSubscriptionRoutes(app, dependencies);
  webhookDeliveryRoutes(app, dependencies);
  requestedDeliveryRoutes(app, dependencies);
  webhookStatisticsRoutes(app, dependencies);
  eventRoutes(app, dependencies);
  auditEntryRoutes(app, dependencies);
  serviceStatusRoutes(app);
  referenceRoutes(app, dependencies);
};

const SIGN_IN_ROUTES: readonly string[] = [
  '/api/sessions',
  '/api/sessions/challenge',
  '/api/sessions/passkey',
];
const LINK_ROUTES: readonly string[] = [
  '/api/invitations/complete',
  '/api/passwordresets',
  '/api/passwordresets/complete',
];

/** The public routes with a body: the sign-in, and those of links. */
const doorOf = ({ config, method, url }: RouteOptions): DoorName | undefined => {
  if (config?.access !== 'public') return 'api-with-credentials';
  if (method === 'GET' || method === 'HEAD') return 'api-public';
  if (method !== 'POST') return undefined;
  if (SIGN_IN_ROUTES.includes(url)) return 'api-sign-in';
  return LINK_ROUTES.includes(url) ? 'api-links' : undefined;
};

/** Builds the whole API, ready to listen. The caller closes the store, the queue and the limiter. */
export const buildApp = async (dependencies: AppDependencies, options: AppOptions = {}): Promise<App> => {
  const app = createFastify(dependencies.config, options);
  await installHooks(app, dependencies, options);
  // Routes are collected after the hooks are installed, because @fastify/cors registers a route without `access`.
  const routes = collectRoutes(app);
  requireDoors(app, doorOf);
  const documented = documentation(app);
  registerRoutes(app, dependencies);

  app.decorate('routeList', [...routes]);
  app.decorate('openApi', JSON.stringify(openApiDocument(documented)));
  // This call comes after the last route, because it adds a route for each other method of each path.
  refuseOtherMethods(app, app.routeList);
  return app;
};
