// Whether the time of a response tells who has an account: requests for a new password with addresses of operators and
// with unknown ones, in random order, one at a time. Also whether the mail that follows the response delays the next
// request. Usage: pnpm --filter @chairside/bench links [--write "what else ran on the machine"]
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { newId } from '@chairside/domain';
import { startEngines } from '@chairside/local-services';
import { startApp } from '../apps.ts';
import { machine, optionOf, today } from '../report.ts';
import { openService } from '../service.ts';
import { quantile, shuffled } from '../statistics.ts';

const WARM_UP = 100;
/** Half of them with addresses of operators. */
const CALLS = 1000;
/** An address gets one mail in five minutes, so each operator gets one of the calls. */
const OPERATORS = CALLS / 2;

const engines = await startEngines({ ephemeral: true });
const service = await openService(engines.mongodb.url, engines.redis.url);
// The operators have no password that works. Hashing one for each would take minutes.
const emails = Array.from({ length: OPERATORS }, () => `${newId()}@practice.example.com`);
const now = new Date();
await service.database.collection('operators').insertMany(
  emails.map((email) => ({
    _id: newId(now) as never,
    organizationId: service.organizationId,
    email,
    emailLowerCase: email.toLowerCase(),
    role: 'staff',
    passwordHash: 'none',
    createdTime: now,
  })),
);
const api = await startApp('api', { ...service.environment, TRUST_PROXY: '127.0.0.1' });
const holdLease = () => service.store.everyOrganization.lanes.lease('mail', 'bench', 60_000);
await holdLease();
const timer = setInterval(() => void holdLease(), 20_000);

let calls = 0;
/** Each call comes from a network of its own. @returns milliseconds, and what the caller sees */
const request = async (email: string) => {
  const network = `10.${Math.floor(calls / 65_536)}.${Math.floor(calls / 256) % 256}.${calls++ % 256}`;
  const startedAt = performance.now();
  const response = await fetch(`${api.url}/api/passwordresets`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': network },
    body: JSON.stringify({ email }),
  });
  const text = await response.text();
  const headers = [...response.headers.keys()].join();
  return { ms: performance.now() - startedAt, seen: `${response.status} ${text} ${headers}` };
};
const unknown = () => `${newId()}@practice.example.com`;
for (let call = 0; call < WARM_UP; call++) await request(unknown());

const order = shuffled([
  ...emails.map((email) => ({ email, isKnown: true })),
  ...emails.map(() => ({ email: unknown(), isKnown: false })),
]);
const own = { known: [] as number[], unknown: [] as number[] };
const next = { known: [] as number[], unknown: [] as number[] };
const seen = new Set<string>();
let before: 'known' | 'unknown' | undefined;
for (const { email, isKnown } of order) {
  const response = await request(email);
  const group = isKnown ? 'known' : 'unknown';
  own[group].push(response.ms);
  if (before !== undefined) next[before].push(response.ms);
  before = group;
  seen.add(response.seen);
}
// The last mails follow up to two seconds after their responses.
await sleep(5000);
const mails = await service.database.collection('mails').countDocuments({});
clearInterval(timer);
await api.stop();
await service.close();
await engines.stop();

/** The part of all pairs in which the first value is the larger one. 0.50: the two cannot be told apart. */
const shareLarger = (one: readonly number[], other: readonly number[]): number => {
  let larger = 0;
  for (const left of one) for (const right of other) larger += left > right ? 1 : left === right ? 0.5 : 0;
  return larger / (one.length * other.length);
};
const row = (name: string, { known, unknown: others }: typeof own): string =>
  `| ${name} | ${[known, others].map((each) => [0.5, 0.95].map((part) => quantile(each, part).toFixed(2)).join(' / ')).join(' | ')} | ${shareLarger(known, others).toFixed(3)} |`;
const table = `| | operators: median / 95 %, ms | unknown: median / 95 %, ms | operator slower |
| --- | --- | --- | --- |
${row('the call', own)}
${row('the call after it', next)}`;
console.log(table);
console.log(`${seen.size} different responses, ${mails} mails`);
const circumstances = optionOf('--write');
if (circumstances !== undefined)
  writeFileSync(
    fileURLToPath(new URL('results.md', import.meta.url)),
    `# Whether a request for a new password tells who has an account

\`pnpm --filter @chairside/bench links\`, ${today()}, ${machine()}, ${circumstances}. ${CALLS} calls one at a time, in random order, each from
another network; half with addresses of operators, who get a mail after the response. Client, api and both engines share the machine. *Operator
slower* is the part of all pairs in which the call for an operator took longer: 0.5 tells nothing.

${table}

${seen.size} different responses, by status, body and names of the headers; ${mails} mails.
`,
  );
