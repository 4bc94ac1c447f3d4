// Measures what the connector adds to a tool call. It compares the time of a call with the time of the same statements
// and the same introspection request, made by hand. Usage: pnpm --filter @chairside/bench mcp [--write "what else ran
// on the machine"]
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { startEngines } from '@chairside/local-services';
import { Pool } from 'undici';
import { profiling, startApp, startServer } from '../apps.ts';
import { machine, optionOf, today } from '../report.ts';
import { openService } from '../service.ts';
import { quantile, shuffled, spread } from '../statistics.ts';
import { type Ground, inputsOf, openByHand } from './by-hand.ts';
import { fillPractice } from './practice.ts';

const ROUNDS = 9;
/** Number of calls of each way in a round. */
const CALLS = 60;
/** Maximum duration of a call, as a multiple of the same work by hand. */
const GOAL = 1.5;
const MCP_URL = 'http://127.0.0.1:3007/mcp';
const ISSUER = 'http://127.0.0.1:3004';
const META = 'io.modelcontextprotocol';

const processOf = (name: string, environment: Record<string, string>) =>
  startServer(
    ['--conditions=@chairside/source', join(import.meta.dirname, `${name}-process.ts`)],
    'PORT',
    environment,
  );

const engines = await startEngines({ ephemeral: true });
const service = await openService(engines.mongodb.url, engines.redis.url);
const practice = await fillPractice(service);
const { MONGODB_URL = '', REDIS_URL = '', REDIS_PREFIX = '' } = service.environment;
const claims = {
  scope: 'clinic:read',
  client_id: 'bench',
  iss: ISSUER,
  aud: MCP_URL,
  exp: Math.floor(Date.now() / 1000) + 86_400,
  token_type: 'Bearer',
  organization_id: service.organizationId,
};
const introspection = await processOf('introspection', { CLAIMS: JSON.stringify(claims) });
const settings = {
  MCP_URL,
  AUTHORIZATION_SERVER_URL: ISSUER,
  INTROSPECTION_URL: `${introspection.url}/introspect`,
  INTROSPECTION_SECRET: randomBytes(32).toString('base64url'),
  MONGODB_URL,
  REDIS_URL,
  REDIS_PREFIX,
};
const connector = await startApp('mcp', settings, profiling());
const ground: Ground = {
  mongodbUrl: MONGODB_URL,
  introspectionUrl: introspection.url,
  organizationId: service.organizationId,
  practice,
};
const byHand = openByHand(ground);
const overHttp = await processOf('by-hand', { GROUND: JSON.stringify(ground) });
const [toConnector, toHand] = [new Pool(connector.url), new Pool(overHttp.url)];
const inputs = inputsOf(practice);

const callTool = async (name: string): Promise<void> => {
  const version = '2026-07-28';
  const _meta = {
    [`${META}/protocolVersion`]: version,
    [`${META}/clientInfo`]: { name: 'bench', version: '1' },
    [`${META}/clientCapabilities`]: {},
  };
  const params = { name, arguments: inputs[name], _meta };
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
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  const { result } = (await response.body.json()) as { result?: { structuredContent?: unknown } };
  if (result?.structuredContent === undefined)
    throw new Error(`${name} responded with ${response.statusCode}`);
};

const callHand = async (name: string): Promise<void> => {
  const { statusCode, body } = await toHand.request({ path: `/${name}`, method: 'POST', body: '{}' });
  await body.json();
  if (statusCode !== 200) throw new Error(`by hand responded with ${statusCode}`);
};

const ways = {
  tool: callTool,
  hand: async (name: string) => byHand.work[name]?.(),
  http: callHand,
} as const;
type Way = keyof typeof ways;
type Medians = Record<Way, number>;

/** Makes the calls of a round one after the other, all ways in a new order each time. Returns the median of each. */
const measureRound = async (name: string): Promise<Medians> => {
  const taken: Record<Way, number[]> = { tool: [], hand: [], http: [] };
  for (let index = 0; index < CALLS; index++) {
    for (const way of shuffled(Object.keys(ways) as Way[])) {
      const startedAt = performance.now();
      await ways[way](name);
      taken[way].push(performance.now() - startedAt);
    }
  }
  return {
    tool: quantile(taken.tool, 0.5),
    hand: quantile(taken.hand, 0.5),
    http: quantile(taken.http, 0.5),
  };
};

const rounds: Record<string, Medians[]> = Object.fromEntries(Object.keys(inputs).map((name) => [name, []]));
for (let round = -1; round < ROUNDS; round++) {
  for (const name of shuffled(Object.keys(inputs))) {
    const medians = await measureRound(name);
    // The first round is a warm-up.
    if (round >= 0) rounds[name]?.push(medians);
  }
}
const rows = Object.entries(rounds).map(([name, all]) => {
  const of = (value: (medians: Medians) => number) => spread(all.map(value), 2);
  const times = (['tool', 'hand', 'http'] as const).map((way) => of((medians) => medians[way]));
  const ratios = (['hand', 'http'] as const).map((way) => of((medians) => medians.tool / medians[way]));
  return `| \`${name}\` | ${[...times, ...ratios].join(' | ')} |`;
});
const table = [
  `| | tool, ms | by hand, ms | by hand over HTTP, ms | tool / by hand (goal: ${GOAL}) | tool / by hand over HTTP |`,
  '|---|---|---|---|---|---|',
  ...rows,
].join('\n');
console.log(table);
const load = loadavg()[0]?.toFixed(1);

await Promise.all([toConnector.close(), toHand.close(), byHand.close()]);
await connector.stop();
await overHttp.stop();
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
- ${ROUNDS} rounds of ${CALLS} calls each, one at a time, all ways in a new order. A cell has the median of the medians (p50) of the rounds, with the
  lowest and the highest. Ratios compare medians of the same round.

*By hand* is the same question to the introspection endpoint, then the same statements in the same order, in the process of the client. *By
hand over HTTP* is that work behind Node's own HTTP server. A call of a tool adds the checks of the token, the rate limit in Redis, the
protocol, the arithmetic, the parse of the result, the log and the metrics.

The cheap tools miss the goal. A CPU profile of the connector (\`BENCH_PROFILE\`, 2026-11-22) has no single cause: 29 % driver, 16 % SDK of the
protocol and Zod, 9 % garbage collection, 8 % Fastify, 5 % the question to the introspection endpoint, 4 % the arithmetic, 3 % Redis, 2 % the log.

${table}
`;
  writeFileSync(join(import.meta.dirname, 'results.md'), text);
}
