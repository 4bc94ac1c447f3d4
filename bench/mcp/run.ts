// Measures what the connector adds to a call of a tool: the time of a call beside that of the same statements and the
// same question to the introspection endpoint, made by hand. Usage: pnpm --filter @chairside/bench mcp
// [--write "what else ran on the machine"]
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { startEngines } from '@chairside/local-services';
import { openSchedule } from '@chairside/mongodb/schedule';
import { countWindow, slotWindow } from '@chairside/schedule';
import { Pool } from 'undici';
import { profiling, startApp, startServer } from '../apps.ts';
import { machine, optionOf, today } from '../report.ts';
import { openService } from '../service.ts';
import { quantile, shuffled, spread } from '../statistics.ts';
import { fillPractice } from './practice.ts';

const ROUNDS = 4;
/** The calls of each way in a round. */
const CALLS = 60;
/** The most that a call may take, as a multiple of the same work by hand. */
const GOAL = 1.5;
const MCP_URL = 'http://127.0.0.1:3007/mcp';
const ISSUER = 'http://127.0.0.1:3004';
const META = 'io.modelcontextprotocol';

const engines = await startEngines({ ephemeral: true });
const service = await openService(engines.mongodb.url, engines.redis.url);
const practice = await fillPractice(service);
const claims = {
  scope: 'clinic:read',
  client_id: 'bench',
  iss: ISSUER,
  aud: MCP_URL,
  exp: Math.floor(Date.now() / 1000) + 86_400,
  token_type: 'Bearer',
  organization_id: service.organizationId,
};
const introspection = await startServer(
  ['--conditions=@chairside/source', join(import.meta.dirname, 'introspection-process.ts')],
  'PORT',
  { CLAIMS: JSON.stringify(claims) },
);
const settings = {
  MCP_URL,
  AUTHORIZATION_SERVER_URL: ISSUER,
  INTROSPECTION_URL: `${introspection.url}/introspect`,
  INTROSPECTION_SECRET: randomBytes(32).toString('base64url'),
  MONGODB_URL: service.environment.MONGODB_URL ?? '',
  REDIS_URL: service.environment.REDIS_URL ?? '',
  REDIS_PREFIX: service.environment.REDIS_PREFIX ?? '',
};
const connector = await startApp('mcp', settings, profiling());
const schedule = openSchedule({ url: service.environment.MONGODB_URL ?? '', appName: 'chairside-bench' });
const own = schedule.organization(service.organizationId);
const [toConnector, toIntrospection] = [new Pool(connector.url), new Pool(introspection.url)];

const call = async (name: string, input: object): Promise<void> => {
  const version = '2026-07-28';
  const _meta = {
    [`${META}/protocolVersion`]: version,
    [`${META}/clientInfo`]: { name: 'bench', version: '1' },
    [`${META}/clientCapabilities`]: {},
  };
  const response = await toConnector.request({
    path: '/mcp',
    method: 'POST',
    headers: {
      host: '127.0.0.1',
      authorization: 'Bearer bench',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: input, _meta },
    }),
  });
  const { result } = (await response.body.json()) as { result?: { structuredContent?: unknown } };
  if (result?.structuredContent === undefined)
    throw new Error(`${name} responded with ${response.statusCode}`);
};

const introspect = async (): Promise<void> => {
  const { body } = await toIntrospection.request({
    path: '/introspect',
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: 'Basic YmVuY2g=' },
    body: 'token=bench',
  });
  await body.json();
};

const { clinicId, from, to } = practice;
const days = { clinicId, from, to };
const search = { ...days, durationMinutes: 30 };

/** The statements of each tool. Those that the tool sends together are sent together. */
const byHand: Record<string, { input: object; statements(): Promise<unknown> }> = {
  list_clinics: { input: {}, statements: () => own.clinics() },
  list_procedures: {
    input: { clinicId },
    statements: () => Promise.all([own.procedures({ clinicId }), own.findClinic(clinicId)]),
  },
  find_availability: {
    input: search,
    async statements() {
      await Promise.all([own.findClinic(clinicId), own.openingHours(clinicId)]);
      const range = { clinicId, ...(slotWindow('UTC', search) as { from: Date; to: Date }) };
      await Promise.all([own.calendarBlocks(range), own.busyIntervals(range)]);
    },
  },
  count_appointments: {
    input: days,
    async statements() {
      await own.findClinic(clinicId);
      for await (const _ of own.appointmentStarts({ clinicId, ...countWindow('UTC', days) }));
    },
  },
};

const millisecondsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
};

type Turn = { tool: number[]; hand: number[] };

/** Makes the calls of a round one after the other, both ways in a new order each time. */
const measureRound = async (name: string): Promise<Turn> => {
  const turn: Turn = { tool: [], hand: [] };
  const { input, statements } = byHand[name] as (typeof byHand)[string];
  const ways: [keyof Turn, () => Promise<unknown>][] = [
    ['tool', () => call(name, input)],
    ['hand', () => introspect().then(statements)],
  ];
  for (let index = 0; index < CALLS; index++)
    for (const [way, work] of shuffled(ways)) turn[way].push(await millisecondsOf(work));
  return turn;
};

const turns: Record<string, Turn[]> = Object.fromEntries(Object.keys(byHand).map((name) => [name, []]));
for (let round = -1; round < ROUNDS; round++) {
  for (const name of shuffled(Object.keys(byHand))) {
    const turn = await measureRound(name);
    // The first round is a warm-up.
    if (round >= 0) turns[name]?.push(turn);
  }
}
const rows = Object.entries(turns).map(([name, all]) => {
  const medians = all.map(({ tool, hand }) => ({ tool: quantile(tool, 0.5), hand: quantile(hand, 0.5) }));
  const tool = spread(
    medians.map((each) => each.tool),
    2,
  );
  const hand = spread(
    medians.map((each) => each.hand),
    2,
  );
  const ratio = spread(
    medians.map((each) => each.tool / each.hand),
    2,
  );
  return `| \`${name}\` | ${tool} | ${hand} | ${ratio} |`;
});
const table = [
  `| | tool, ms | by hand, ms | tool / by hand (goal: ${GOAL}) |`,
  '|---|---|---|---|',
  ...rows,
].join('\n');
console.log(table);
const load = loadavg()[0]?.toFixed(1);

await Promise.all([toConnector.close(), toIntrospection.close(), schedule.close()]);
await connector.stop();
await introspection.stop();
await service.close();
await engines.stop();

const remark = optionOf('--write');
if (remark !== undefined) {
  const text = `# The connector

- Command: \`pnpm --filter @chairside/bench mcp\`
- Date: ${today()}
- Machine: ${machine()}; everything on it: engines, connector, introspection endpoint, client; load ${load}; ${remark}
- Node ${process.versions.node}; ${engines.mongodb.source}, without fsync; ${engines.redis.source}
- ${ROUNDS} rounds of ${CALLS} calls each, one at a time, both ways in a new order. Each cell has the median of the medians (p50) of the rounds, with the
  lowest and the highest.

"By hand" is the same question to the introspection endpoint, then the same statements in the same order, in the process of the client. A call
of the tool adds to it the request of the client, the rate limit in Redis, the protocol, the arithmetic, and the parse of the result.

${table}
`;
  writeFileSync(join(import.meta.dirname, 'results.md'), text);
}
