import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Watch } from '@chairside/http-server';
import { createApi } from '../src/api.ts';
import { buildApp } from '../src/app.ts';
import type { App } from '../src/context.ts';
import { createMetrics } from '../src/metrics.ts';
import { createSessionCookie } from '../src/session-cookie.ts';

export const SECRET = 'x'.repeat(40);
export const TOKEN = `chairside_token_${'a'.repeat(43)}`;

/** A request that reached the api. */
export type Received = {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage['headers'];
  body: string;
};

export type Dashboard = {
  app: App;
  /** The address on which the dashboard listens. */
  address: string;
  publicUrl: string;
  /** The folder of the built pages. */
  pages: string;
  /** The requests that the api received, in order. */
  received: Received[];
  /** How the api responds. Default: 200 with an empty object. */
  respond: (received: Received, response: ServerResponse) => void;
  /** Called before the api reads the body of a request. Returns true if this function has handled the request. */
  early: (request: IncomingMessage, response: ServerResponse) => boolean;
  api: Server;
  metrics(): Promise<string>;
  lines: string[];
  /** The headers of a request from a signed-in page: the host, the origin and the cookie. */
  signedIn: Record<string, string>;
  close(): Promise<void>;
};

const listen = async (server: Server): Promise<string> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const json = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

/** A dashboard whose api is a server of the test, so that the test sees each request that reaches the api. */
export const openDashboard = async (publicUrl?: string, watch?: Watch): Promise<Dashboard> => {
  const received: Received[] = [];
  const api = createServer(async (request, response) => {
    if (dashboard.early(request, response)) return;
    const body = await text(request).catch(() => 'aborted');
    const one = { method: request.method, url: request.url, headers: request.headers, body };
    received.push(one);
    dashboard.respond(one, response);
  });
  const apiUrl = await listen(api);
  const pages = mkdtempSync(join(tmpdir(), 'pages-'));
  mkdirSync(join(pages, 'assets'));
  writeFileSync(join(pages, 'index.html'), '<!doctype html><title>Chairside</title>');
  writeFileSync(join(pages, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  writeFileSync(join(pages, 'robots.txt'), 'User-agent: *');
  writeFileSync(join(pages, 'assets', 'index-1a2b.js'), 'export {};');
  const lines: string[] = [];
  const origin = publicUrl ?? 'http://127.0.0.1:3004';
  const cookie = createSessionCookie(origin);
  const metrics = createMetrics();
  const client = createApi(apiUrl, SECRET);
  // The session of `signedIn` is known, so that the api receives only the requests of the test.
  client.principals.learn(TOKEN, 'organization operator');
  const app = await buildApp(
    {
      config: {
        PUBLIC_URL: origin,
        API_URL: apiUrl,
        TRUST_PROXY: [],
        LOG_LEVEL: 'info',
      },
      proxySecret: SECRET,
      api: client,
      cookie,
      metrics,
      pages,
    },
    { stream: { write: (line) => void lines.push(line) }, ...(watch && { watch }) },
  );
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  const name = origin.startsWith('https:') ? '__Host-chairside' : 'chairside';
  const dashboard: Dashboard = {
    app,
    address,
    publicUrl: origin,
    pages,
    received,
    respond: (_received, response) => json(response, 200, {}),
    early: () => false,
    api,
    metrics: async () => (await metrics.expose()).text,
    lines,
    signedIn: { host: new URL(origin).host, origin, cookie: `${name}=${TOKEN}` },
    async close() {
      await app.close();
      api.closeAllConnections();
      api.close();
      rmSync(pages, { recursive: true });
    },
  };
  return dashboard;
};
