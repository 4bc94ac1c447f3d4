import { randomBytes } from 'node:crypto';
import { openSchedule, type Schedule } from '@chairside/mongodb/schedule';
import { openRateLimiter } from '@chairside/queue';
import { LONGEST_WAIT_MS, steadyLimiter, testEngines } from '@chairside/test-support';
import { buildApp } from '../src/app.ts';
import type { App } from '../src/context.ts';
import { openIntrospection } from '../src/introspection.ts';
import { createMetrics } from '../src/metrics.ts';
import { type AuthorizationServer, startAuthorizationServer } from './authorization-server.ts';

/** The address that people enter. The connector listens on another port, as behind a proxy. */
export const MCP_URL = 'http://127.0.0.1:3007/mcp';
export const ISSUER = 'http://127.0.0.1:3004';
/** The revisions of the protocol that the connector serves. */
export const ERAS = ['2026-07-28', '2025-11-25'] as const;
export type Era = (typeof ERAS)[number];

/** A response with its body as text. It was not parsed by the SDK, which drops fields that it does not expect. */
export type Reply = { status: number; headers: Headers; text: string };

type Options = { token?: string; era?: Era; headers?: Record<string, string> };

export type Connector = {
  app: App;
  /** The address on which the connector listens. */
  address: string;
  authorization: AuthorizationServer;
  lines: string[];
  /** The responses to all requests of `send`, `message` and `call`. */
  replies: Reply[];
  metrics(): Promise<string>;
  /** Sends a request to the endpoint of the protocol. */
  send(method: string, headers: Record<string, string>, body?: string): Promise<Reply>;
  message(method: string, params: object, options?: Options): Promise<Reply>;
  call(tool: string, input: unknown, options: Options): Promise<Reply>;
  close(): Promise<void>;
};

const META = 'io.modelcontextprotocol';

/** The message and the headers of a revision: 2026-07-28 repeats parts of the message in headers. */
const encoded = (era: Era, method: string, params: Record<string, unknown>) => {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': era,
  };
  if (era === '2025-11-25') return { headers, body: { jsonrpc: '2.0', id: 1, method, params } };
  headers['mcp-method'] = method;
  if (typeof params.name === 'string') headers['mcp-name'] = params.name;
  const _meta = {
    [`${META}/protocolVersion`]: era,
    [`${META}/clientInfo`]: { name: 'test', version: '1' },
    [`${META}/clientCapabilities`]: {},
  };
  return { headers, body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } } };
};

/** The message in a response of either revision: JSON, or one event of a stream. */
export const messageIn = ({ headers, text }: Reply): any => {
  const isStream = headers.get('content-type')?.startsWith('text/event-stream');
  return JSON.parse(isStream ? (/^data: (.*)$/m.exec(text)?.[1] ?? '') : text);
};

/** The result of a tool, after a check that its text equals its structured content; `{ error }` if the call failed. */
export const resultIn = (reply: Reply): any => {
  const { result } = messageIn(reply);
  if (result?.isError) return { error: result.content[0].text };
  if (JSON.stringify(result.structuredContent) !== result.content[0].text)
    throw new Error(`The text differs from the structured content: ${reply.text}`);
  return result.structuredContent;
};

type Setup = { schedule: Schedule; redisPrefix?: string; now?: () => Date; timeout?: number };

/** A connector with an introspection endpoint of its own. `close` closes the schedule too. */
export const openConnector = async ({
  schedule,
  redisPrefix,
  now,
  timeout = LONGEST_WAIT_MS,
}: Setup): Promise<Connector> => {
  const authorization = await startAuthorizationServer(MCP_URL, ISSUER);
  const limiter = steadyLimiter(
    openRateLimiter({
      commandTimeout: LONGEST_WAIT_MS,
      url: testEngines().redisUrl,
      prefix: redisPrefix ?? `{${randomBytes(6).toString('hex')}}`,
      onUnavailable() {},
      onAvailable() {},
    }),
  );
  const introspection = openIntrospection(authorization.introspectionUrl, authorization.secret, timeout);
  const metrics = createMetrics();
  const lines: string[] = [];
  const config = {
    MCP_URL,
    AUTHORIZATION_SERVER_URL: ISSUER,
    LOG_LEVEL: 'trace' as const,
    TRUST_PROXY: ['127.0.0.1'],
  };
  const app = buildApp(
    { config, schedule, introspection, limiter, metrics, ...(now && { now }) },
    { stream: { write: (line) => void lines.push(line) } },
  );
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  const replies: Reply[] = [];

  const self: Connector = {
    app,
    address,
    authorization,
    lines,
    replies,
    metrics: async () => (await metrics.expose()).text,
    async send(method, headers, body) {
      const response = await fetch(`${address}/mcp`, {
        method,
        headers,
        ...(body !== undefined && { body }),
      });
      const reply = { status: response.status, headers: response.headers, text: await response.text() };
      replies.push(reply);
      return reply;
    },
    message(method, params, { token, era = '2026-07-28', headers: more } = {}) {
      const { headers, body } = encoded(era, method, params as Record<string, unknown>);
      const authorized = token === undefined ? {} : { authorization: `Bearer ${token}` };
      return self.send('POST', { ...headers, ...authorized, ...more }, JSON.stringify(body));
    },
    call: (tool, input, options) => self.message('tools/call', { name: tool, arguments: input }, options),
    async close() {
      await app.close();
      await Promise.all([limiter.close(), introspection.close()]);
      await schedule.close();
      await authorization.close();
    },
  };
  return self;
};

/** A schedule for tests that do not depend on its content. */
export const unreadSchedule = (): Schedule =>
  openSchedule({ url: testEngines().mongodbUrl, appName: 'chairside-test' });
