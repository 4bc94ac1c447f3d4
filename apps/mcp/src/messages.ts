import { fullQueueBehind, refusalOfFullQueue } from '@chairside/concurrency';
import { clock, Refusal } from '@chairside/domain';
import { closedSignal, RETRY_AFTER, serviceUnavailable } from '@chairside/http-server';
import { hostHeaderValidation, originValidation } from '@modelcontextprotocol/fastify';
import { type AuthInfo, createMcpHandler } from '@modelcontextprotocol/server';
import type { FastifyRequest, HTTPMethods } from 'fastify';
import { requireAccessToken } from './authorization/bearer-tokens.ts';
import { createReports } from './authorization/tool-reports.ts';
import type { App, Dependencies } from './context.ts';
import { messageErrorHandler } from './http/error-handler.ts';
import { checkMessage } from './http/message-bounds.ts';
import { serverFactory, toolCalledBy } from './server.ts';
import { createTurns } from './tools/turns.ts';

const METHODS: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** The headers that the protocol handler reads. It receives no other headers, and so no access token. */
const PROTOCOL_HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];

/** The request without its body, which is parsed already. */
const toWebRequest = (url: string, { headers }: FastifyRequest): Request => {
  const known = PROTOCOL_HEADERS.flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return new Request(url, { method: 'POST', headers: Object.fromEntries(known) });
};

/** Refuses all methods except POST. The connector is stateless, so there is no stream to open or to end. */
const onlyPost = async (
  { method }: FastifyRequest,
  reply: { header(name: string, value: string): unknown },
) => {
  if (method === 'POST') return;
  reply.header('Allow', 'POST');
  throw new Refusal('MethodNotAllowed', 'This connector keeps no session and opens no stream. Use POST.');
};

/** Whether a message opens a stream of changes. */
const isSubscription = (body: unknown): boolean =>
  (body as { method?: unknown } | null)?.method === 'subscriptions/listen';

/**
 * Counts the call of a tool. Logs why it failed, and refuses the request if the database cannot be read or too many
 * calls wait.
 */
const settle = (request: FastifyRequest, metrics: Dependencies['metrics'], seconds: number): void => {
  const { toolCall } = request;
  if (toolCall === null) return;
  const { tool, outcome, cause } = toolCall;
  metrics.called({ tool, outcome, seconds });
  if (outcome === 'failed') {
    metrics.faulted();
    request.log.error({ err: cause, details: (cause as { details?: unknown }).details }, 'tool call failed');
  }
  if (outcome !== 'unavailable') return;
  const full = fullQueueBehind(cause);
  if (full === undefined) throw serviceUnavailable('The database is unreachable. Try again later.', cause);
  throw refusalOfFullQueue(full, {
    what: 'calls',
    whose: 'organization',
    retryAfter: RETRY_AFTER,
    limit: 'tool_calls_waiting',
  });
};

/**
 * The endpoint of the protocol, at the path of MCP_URL. It serves both revisions of the protocol without any state:
 * 2026-07-28, and 2025-11-25 with its handshake.
 */
export const messageRoutes = (app: App, dependencies: Dependencies): void => {
  const { config, metrics } = dependencies;
  const { hostname, pathname } = new URL(config.MCP_URL);
  const { now = () => clock.now() } = dependencies;
  const factory = serverFactory({ ...dependencies, now, turns: createTurns() });
  const openHandler = () =>
    createMcpHandler(factory, {
      keepAliveMs: 0,
      onerror: (error) => app.log.debug({ err: error }, 'message refused'),
    });
  const handler = openHandler();
  const report = createReports(now);
  app.addHook('onClose', () => handler.close());

  /** Responds to a message. No response is endless, so each is read completely before it is sent. */
  const respond = async (request: FastifyRequest): Promise<{ response: Response; text: string }> => {
    const { body, authInfo } = request;
    const options = { authInfo: authInfo as AuthInfo, parsedBody: body };
    if (!isSubscription(body)) {
      const response = await handler.fetch(toWebRequest(config.MCP_URL, request), options);
      return { response, text: await response.text() };
    }
    // There are no changes to wait for. The stream gets a handler of its own, which acknowledges the message and ends
    // the stream.
    const own = openHandler();
    const response = await own
      .fetch(toWebRequest(config.MCP_URL, request), options)
      .finally(() => own.close());
    return { response, text: await response.text() };
  };

  // Some clients add a slash to the address that a person enters.
  for (const url of [pathname, `${pathname}/`])
    app.route({
      method: METHODS,
      url,
      exposeHeadRoute: false,
      config: { door: 'connector-messages' },
      errorHandler: messageErrorHandler(metrics),
      // These hooks refuse requests before their body is read.
      onRequest: [
        // A web page of another site, or one that uses DNS rebinding, must not reach a connector on a loopback address.
        hostHeaderValidation([hostname]),
        originValidation([hostname]),
        requireAccessToken(dependencies),
        onlyPost,
      ],
      handler: async (request, reply) => {
        const { body } = request;
        checkMessage(body);
        request.gone = closedSignal(reply.raw);
        const called = toolCalledBy(body);
        // The outcome stays `invalid` if the arguments do not match the input schema, because the tool is not called
        // then.
        if (called !== undefined) request.toolCall = { tool: called.name, outcome: 'invalid', rows: 0 };
        const startedAt = performance.now();
        const reporting = called && report(request, called.name);
        const { response, text } = await respond(request);
        const seconds = (performance.now() - startedAt) / 1000;
        await reporting;
        settle(request, metrics, seconds);
        if (response.status >= 500) {
          metrics.faulted();
          request.log.error('request failed');
        }
        // The other headers of the SDK concern connections and caches, which it does not control here.
        const type = response.headers.get('content-type');
        if (type !== null) reply.type(type);
        return reply.status(response.status).send(text === '' ? undefined : text);
      },
    });
};
