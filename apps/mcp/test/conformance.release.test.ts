import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openSchedule } from '@chairside/mongodb/schedule';
import { createPractice, openTestStore, type TestStore } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Connector, openConnector } from './connector.ts';
import { plantSchedule } from './practice-schedule.ts';

/*
 * Tests the connector with the programs of the Model Context Protocol's maintainers: their conformance suite, in both
 * revisions, and the command line of their Inspector.
 */
const modules = join(import.meta.dirname, '../node_modules/@modelcontextprotocol');
const CONFORMANCE = join(modules, 'conformance/dist/index.js');
const INSPECTOR = join(modules, 'inspector/clients/launcher/build/index.js');

let store: TestStore;
let connector: Connector;
let proxy: Server;
let url: string;
let folder: string;
let issue: () => string;

beforeAll(async () => {
  store = await openTestStore();
  const practice = await createPractice(store.store);
  await plantSchedule(store, practice);
  const schedule = openSchedule({ url: store.url, appName: 'chairside-test' });
  connector = await openConnector({ schedule, redisPrefix: store.redisPrefix });
  issue = () => connector.authorization.issue({ organization_id: practice.organizationId });
  proxy = await startProxy(connector.address, issue);
  url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;
  folder = mkdtempSync(join(tmpdir(), 'conformance-'));
});
afterAll(async () => {
  proxy.closeAllConnections();
  proxy.close();
  await connector.close();
  await store.close();
  rmSync(folder, { recursive: true });
});

/**
 * The suite cannot send an access token, so a proxy adds one. Each request has a grant of its own, so it never reaches
 * the limit of a grant.
 */
const startProxy = async (target: string, token: () => string): Promise<Server> => {
  const { port } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const authorized = { authorization: `Bearer ${token()}`, ...headers };
    const forwarded = request({ port, method, path, headers: authorized }, (response) => {
      outgoing.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
};

/** Runs a program of Node.js in a temporary folder. */
const run = async (program: string, args: readonly string[]): Promise<{ code: number; output: string }> => {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: { ...process.env, HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [[code], out, error] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code: code as number, output: out + error };
};

const scenarios = [
  ['2026-07-28', 'tools-list'],
  ['2026-07-28', 'dns-rebinding-protection'],
  ['2026-07-28', 'http-header-validation'],
  ['2026-07-28', 'server-stateless'],
  ['2026-07-28', 'caching'],
  ['2025-11-25', 'server-initialize'],
  ['2025-11-25', 'ping'],
  ['2025-11-25', 'tools-list'],
  ['2025-11-25', 'dns-rebinding-protection'],
] as const;

test.each(scenarios)('%s: passes the scenario %s', async (revision, scenario) => {
  const baseline = join(import.meta.dirname, 'conformance-baseline.yaml');
  const options = ['--url', url, '--spec-version', revision, '--scenario', scenario];
  const { code, output } = await run(CONFORMANCE, ['server', ...options, '--expected-failures', baseline]);
  expect({ code, output }).toMatchObject({ code: 0 });
});

test('the Inspector lists and calls a tool', async () => {
  const call = async (...args: string[]) => {
    const { code, output } = await run(INSPECTOR, [
      '--cli',
      `${connector.address}/mcp`,
      '--transport',
      'http',
      '--header',
      `Authorization: Bearer ${issue()}`,
      ...args,
    ]);
    expect({ code, output }).toMatchObject({ code: 0 });
    return output;
  };
  expect(await call('--method', 'tools/list', '--strict')).toContain('"find_availability"');
  expect(await call('--method', 'tools/call', '--tool-name', 'list_providers')).toContain('Dr. Ines Albers');
});
