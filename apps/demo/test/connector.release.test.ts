import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis } from '@chairside/local-services';
import { nodeArgumentsOf, openEmptyDatabase } from '@chairside/test-support';
import {
  Client,
  type OAuthClientProvider,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type DemoFacts, openDataFolder, type SignedInOrganization } from '../src/data-folder.ts';
import { PORT_VARIABLES } from '../src/ports.ts';
import { start } from '../src/start.ts';
import { createSteps } from '../src/steps.ts';

/*
 * Tests the whole use of the running product by an assistant, with the client of the official SDK: it finds the
 * authorization server, registers, is sent to the consent page, exchanges its code, calls tools, refreshes its token,
 * and is disconnected.
 */
let folder: string;
let facts: DemoFacts;
let practice: SignedInOrganization;
const running: { stop(): Promise<void> }[] = [];
let closeDatabase: () => Promise<void>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chairside-connector-'));
  const { url, close } = openEmptyDatabase();
  closeDatabase = close;
  vi.stubEnv('MONGODB_URL', url);
  // The release check runs on a Redis Cluster, which the demo cannot use.
  const redis = await startRedis({ ephemeral: true, environment: { ...process.env, REDIS_URL: '' } });
  running.push(redis);
  vi.stubEnv('REDIS_URL', redis.url);
  for (const name of PORT_VARIABLES) vi.stubEnv(name, '0');
  const data = await openDataFolder(folder);
  const { signal } = new AbortController();
  const steps = createSteps(() => {}, signal);
  await start({
    data,
    steps,
    print: () => {},
    signal,
    running,
    argumentsOf: nodeArgumentsOf,
    record: async () => {},
  });
  facts = (await data.readFacts()) as DemoFacts;
  [practice] = facts.organizations as [SignedInOrganization];
});
afterAll(async () => {
  for (const part of running.toReversed()) await part.stop();
  vi.unstubAllEnvs();
  await closeDatabase();
  await rm(folder, { recursive: true });
});

const CALLBACK = 'http://127.0.0.1:9/callback';

/** An app that keeps everything in memory. `sentTo` is the address that it opens in the browser. */
const createApp = () => {
  const kept: { client?: StoredOAuthClientInformation; tokens?: StoredOAuthTokens; verifier: string } = {
    verifier: '',
  };
  const app = {
    kept,
    sentTo: undefined as URL | undefined,
    redirectUrl: CALLBACK,
    clientMetadata: { client_name: 'Test assistant', redirect_uris: [CALLBACK] },
    clientInformation: () => kept.client,
    saveClientInformation: (client: StoredOAuthClientInformation) => {
      kept.client = client;
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens: StoredOAuthTokens) => {
      kept.tokens = tokens;
    },
    redirectToAuthorization: (url: URL) => {
      app.sentTo = url;
    },
    saveCodeVerifier: (verifier: string) => {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier,
    invalidateCredentials: () => {
      delete kept.tokens;
    },
  } satisfies OAuthClientProvider & Record<string, unknown>;
  return app;
};

/** The administrator in a browser without scripts: signs in, allows, and returns what the app's address receives. */
const allow = async (url: URL): Promise<URLSearchParams> => {
  const cookies = new Map<string, string>();
  const browse = async (target: string | URL, body?: object): Promise<Response> => {
    const response = await fetch(new URL(target, facts.dashboard), {
      redirect: 'manual',
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(body !== undefined && { origin: facts.dashboard, 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
    for (const header of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
      cookies.set(name, value);
    }
    return response;
  };
  const { email, password } = practice.administrator;
  await browse('/session', { email, password });
  const consent = (await browse(url)).headers.get('location') ?? '';
  const details = await (await browse(`${consent}/details`)).json();
  expect(JSON.stringify(details)).toContain('Test assistant');
  const decided = await browse(`${consent}/decision`, { decision: 'allow' });
  const { location } = (await decided.json()) as { location: string };
  const back = new URL((await browse(location)).headers.get('location') ?? '');
  expect(back.origin + back.pathname).toBe(CALLBACK);
  return back.searchParams;
};

const openClient = (authProvider: OAuthClientProvider, mode: 'legacy' | { pin: string }) => ({
  client: new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } }),
  transport: new StreamableHTTPClientTransport(new URL(facts.mcp), { authProvider }),
});

test.each([
  ['2026-07-28', { pin: '2026-07-28' }],
  ['2025-11-25', 'legacy'],
] as const)(
  '%s: an assistant is connected, reads the schedule, and is disconnected',
  async (_revision, mode) => {
    const app = createApp();
    const first = openClient(app, mode);
    await expect(first.client.connect(first.transport)).rejects.toThrow(UnauthorizedError);
    await first.transport.finishAuth(await allow(app.sentTo as URL));

    const { client, transport } = openClient(app, mode);
    await client.connect(transport);
    expect((await client.listTools()).tools).toHaveLength(6);
    const { clinics } = (await client.callTool({ name: 'list_clinics', arguments: {} }))
      .structuredContent as { clinics: { id: string }[] };
    expect(clinics.map(({ id }) => id).toSorted()).toEqual(practice.clinicIds.toSorted());
    const today = new Date().toISOString().slice(0, 10);
    const days = {
      clinicId: clinics[0]?.id,
      from: today,
      to: new Date(Date.now() + 6 * 86_400_000).toISOString().slice(0, 10),
    };
    const free = await client.callTool({
      name: 'find_availability',
      arguments: { ...days, durationMinutes: 30 },
    });
    expect(free.structuredContent).toMatchObject({ slots: expect.arrayContaining([expect.any(Object)]) });

    // The access token is lost: the client gets another one with its refresh token, without a person.
    app.sentTo = undefined;
    app.kept.tokens = { ...(app.kept.tokens as StoredOAuthTokens), access_token: 'lost' };
    expect((await client.callTool({ name: 'count_appointments', arguments: days })).isError).toBeFalsy();
    expect(app.sentTo).toBeUndefined();

    const authorization = `Token ${practice.administrator.token}`;
    const listed = await fetch(`${facts.api}/api/connections`, { headers: { authorization } });
    const [connection, ...others] = (await listed.json()) as { _id: string }[];
    expect(others).toEqual([]);
    const ended = await fetch(`${facts.api}/api/connections/${connection?._id}`, {
      method: 'DELETE',
      headers: { authorization },
    });
    expect(ended.ok).toBe(true);
    await expect(client.callTool({ name: 'list_clinics', arguments: {} })).rejects.toThrow(UnauthorizedError);
    expect(app.sentTo).toBeDefined();
    await client.close();
  },
);
