import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AuthorizationServer,
  closeIntrospection,
  createIntrospectionServer,
  type OAuthConfig,
  openAuthorizationServer,
} from '@chairside/authorization-server';
import { freePort } from '@chairside/processes';
import {
  Browser,
  LONGEST_WAIT_MS,
  startWholeService,
  testEngines,
  type WholeService,
} from '@chairside/test-support';
import * as oauth from 'oauth4webapi';
import { createApi } from '../src/api.ts';
import { buildApp } from '../src/app.ts';
import type { App, Dependencies } from '../src/context.ts';
import { createMetrics } from '../src/metrics.ts';
import { createSessionCookie } from '../src/session-cookie.ts';

export const MCP_URL = 'https://mcp.example.com/mcp';
export const CALLBACK = 'http://127.0.0.1:9/callback';
const INSECURE = { [oauth.allowInsecureRequests]: true } as const;

/** A request of an app, up to the consent page. */
export type Started = { verifier: string; state: string; uid: string; response: Response };

export type Tokens = { access_token: string; refresh_token?: string | undefined };

/** The running parts of the product, and the functions that observe them. */
type Parts = {
  service: WholeService;
  config: OAuthConfig & Dependencies['config'];
  /** The dependencies of the dashboard, from which a test can build another one. */
  dependencies: Dependencies;
  app: App;
  oauth: AuthorizationServer;
  /** The address of the dashboard, which is also the issuer. */
  issuer: string;
  introspection: Introspection;
  secrets: readonly string[];
  lines: string[];
  /** Documents of clients by their address. */
  documents: Map<string, () => Promise<Response>>;
  metrics(): Promise<string>;
  close(): Promise<void>;
};

/** Settings that a test can change. By default, the failures of client documents are not remembered. */
type More = { schemes?: string[]; hosts?: string[]; failureMs?: number };

/** The introspection endpoint of an authorization server. `ask` calls it as the connector does. */
type Introspection = {
  url: string;
  ask(token: string, secret: string, tool?: string): Promise<Response>;
  close(): Promise<void>;
};

export type Authorization = Parts & {
  as: oauth.AuthorizationServer;
  browser(): Browser;
  register(metadata?: object): Promise<oauth.Client>;
  authorizeUrl(
    client: oauth.Client,
    parameters?: Record<string, string | undefined>,
  ): Promise<{ url: string; verifier: string; state: string }>;
  /** Begins an authorization in a browser. */
  start(
    browser: Browser,
    client: oauth.Client,
    parameters?: Record<string, string | undefined>,
  ): Promise<Started>;
  /** Reads the details of the request and decides. @returns the redirect to the app */
  decide(browser: Browser, uid: string, decision: 'allow' | 'deny'): Promise<URL>;
  exchange(
    client: oauth.Client,
    response: URL,
    started: Pick<Started, 'verifier' | 'state'>,
    more?: Record<string, string>,
  ): Promise<Response>;
  refresh(client: oauth.Client, token: string): Promise<Response>;
  /** Connects an app as the administrator, from the registration to the tokens. */
  connect(client?: oauth.Client): Promise<{ client: oauth.Client; tokens: Tokens; grantId: string }>;
  introspect(token: string, secret?: string): Promise<Record<string, unknown> & { active: boolean }>;
};

/**
 * The time at which every request counts, so that no period ends during a test. It is later than any test, because the
 * database deletes the counts of periods that have ended.
 */
const LIMITS_TIME = new Date(Date.now() + 24 * 3_600_000);

const pagesOf = (): string => {
  const pages = mkdtempSync(join(tmpdir(), 'pages-'));
  mkdirSync(join(pages, 'assets'));
  for (const file of ['index.html', 'favicon.svg', 'robots.txt'])
    writeFileSync(join(pages, file), '<!doctype html>');
  return pages;
};

export const startIntrospection = async (
  ...options: Parameters<typeof createIntrospectionServer>
): Promise<Introspection> => {
  const server = createIntrospectionServer(...options);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/introspect`;
  return {
    url,
    ask: (token, secret, tool) =>
      fetch(url, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`connector:${secret}`)}` },
        body: new URLSearchParams({ token, ...(tool !== undefined && { tool }) }),
      }),
    close: () => closeIntrospection(server),
  };
};

/** Starts api, database and a dashboard with its authorization server. */
const startParts = async (more: More): Promise<Parts> => {
  const proxySecret = randomBytes(32).toString('base64url');
  const [service, port] = await Promise.all([
    startWholeService(testEngines().redisUrl, {
      dispatcher: false,
      environment: { PROXY_SECRET: proxySecret },
    }),
    freePort(),
  ]);
  const issuer = `http://127.0.0.1:${port}`;
  const [pages, metrics, lines] = [pagesOf(), createMetrics(), [] as string[]];
  const secrets = ['first', 'second'].map((name) => name + randomBytes(32).toString('base64url'));
  const documents: Parts['documents'] = new Map();
  const config = {
    PUBLIC_URL: issuer,
    API_URL: service.address,
    TRUST_PROXY: ['127.0.0.1'],
    LOG_LEVEL: 'trace' as const,
    MCP_URL,
    MONGODB_URL: service.url,
    OAUTH_KEYS: `a:${randomBytes(32).toString('base64')},b:${randomBytes(32).toString('base64')}`,
    OAUTH_REDIRECT_SCHEMES: more.schemes ?? [],
    OAUTH_CLIENT_HOSTS: more.hosts ?? [],
    AUDIT_RETENTION_DAYS: 1,
  };
  const server = openAuthorizationServer(config, metrics, {
    // Tests have no public hosts. Documents that a test does not have are fetched as in production.
    fetchDocument: (fetchPublic) => async (url, init) =>
      (await documents.get(String(url))?.()) ?? fetchPublic(url, init),
    documentLife: { min: 0, max: 0, failureMs: more.failureMs ?? 0 },
    limitsNow: () => LIMITS_TIME,
    // On a busy machine, many requests at once would wait for the database for too long.
    patience: { waitMs: LONGEST_WAIT_MS, operationMs: LONGEST_WAIT_MS },
  });
  const dependencies: Dependencies = {
    config,
    proxySecret,
    api: createApi(service.address, proxySecret),
    cookie: createSessionCookie(issuer),
    metrics,
    pages,
    oauth: server,
  };
  const app = await buildApp(dependencies, { stream: { write: (line) => void lines.push(line) } });
  const [introspection] = await Promise.all([
    startIntrospection(server, { secrets, metrics, log: app.log }),
    app.listen({ host: '127.0.0.1', port }),
  ]);
  return {
    service,
    config,
    dependencies,
    app,
    oauth: server,
    issuer,
    introspection,
    secrets,
    lines,
    documents,
    metrics: async () => (await metrics.expose()).text,
    async close() {
      await app.close();
      await introspection.close();
      await server.close();
      await service.close();
      rmSync(pages, { recursive: true });
    },
  };
};

/**
 * Starts api, database and a dashboard with its authorization server. Returns them with functions that act as an app
 * and as a browser.
 */
export const startAuthorization = async (more: More = {}): Promise<Authorization> => {
  const parts = await startParts(more);
  const { service, issuer, introspection, secrets } = parts;
  const found = await oauth.discoveryRequest(new URL(issuer), { algorithm: 'oauth2', ...INSECURE });
  const as = await oauth.processDiscoveryResponse(new URL(issuer), found);

  const authorization: Authorization = {
    ...parts,
    as,
    browser: () => new Browser(issuer),
    async register(metadata = {}) {
      const request = { client_name: 'Inspector', redirect_uris: [CALLBACK], ...metadata };
      const response = await oauth.dynamicClientRegistrationRequest(as, request, INSECURE);
      return oauth.processDynamicClientRegistrationResponse(response);
    },
    async authorizeUrl({ client_id }, parameters = {}) {
      const verifier = oauth.generateRandomCodeVerifier();
      const state = oauth.generateRandomState();
      const query = {
        response_type: 'code',
        client_id,
        redirect_uri: CALLBACK,
        scope: 'clinic:read',
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        resource: MCP_URL,
        ...parameters,
      };
      const url = new URL(as.authorization_endpoint ?? '');
      for (const [name, value] of Object.entries(query))
        if (value !== undefined) url.searchParams.set(name, value);
      return { url: url.href, verifier, state };
    },
    async start(browser, client, parameters) {
      const { url, verifier, state } = await authorization.authorizeUrl(client, parameters);
      const response = await browser.get(url);
      const [, uid = ''] = /\/oauth\/consent\/([^/]+)$/.exec(response.headers.get('location') ?? '') ?? [];
      return { verifier, state, uid, response };
    },
    async decide(browser, uid, decision) {
      const details = await browser.get(`/oauth/consent/${uid}/details`);
      if (!details.ok) throw new Error(`details: ${details.status} ${await details.text()}`);
      const decided = await browser.post(`/oauth/consent/${uid}/decision`, { decision });
      if (!decided.ok) throw new Error(`decision: ${decided.status} ${await decided.text()}`);
      const { location } = (await decided.json()) as { location: string };
      const resumed = await browser.get(location);
      return new URL(resumed.headers.get('location') ?? '', issuer);
    },
    async exchange(client, response, { verifier, state }, more = {}) {
      const parameters = oauth.validateAuthResponse(as, client, response, state);
      return oauth.authorizationCodeGrantRequest(as, client, oauth.None(), parameters, CALLBACK, verifier, {
        additionalParameters: { resource: MCP_URL, ...more },
        ...INSECURE,
      });
    },
    refresh: (client, token) => oauth.refreshTokenGrantRequest(as, client, oauth.None(), token, INSECURE),
    async connect(given) {
      const client = given ?? (await authorization.register());
      const browser = new Browser(issuer);
      await browser.signIn(service.practice.administrator);
      const started = await authorization.start(browser, client);
      const redirect = await authorization.decide(browser, started.uid, 'allow');
      const response = await authorization.exchange(client, redirect, started);
      const tokens = await oauth.processAuthorizationCodeResponse(as, client, response);
      const { grant_id: grantId } = await authorization.introspect(tokens.access_token);
      return { client, tokens, grantId: String(grantId) };
    },
    async introspect(token, secret = secrets[0] ?? '') {
      const response = await introspection.ask(token, secret);
      return { status: response.status, ...((await response.json()) as { active: boolean }) };
    },
  };
  return authorization;
};
