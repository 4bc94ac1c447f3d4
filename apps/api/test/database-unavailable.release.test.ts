import {
  type DatabaseProxy,
  type Fault,
  quickPasswords,
  redisServers,
  startDatabaseProxy,
  testEngines,
} from '@chairside/test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiResponse, openTestApi, type TestApi } from './api.ts';
import { openSuccessfulCalls, type SuccessfulCalls } from './successful-calls.ts';

/*
 * The tests call every route of the app's own list, except HEAD, with a fault at each command that the route sends to
 * the database. The response must be a 503, and a repeated call must not get a 5xx. `problemsAt` has the exceptions.
 */

let proxy: DatabaseProxy;
let api: TestApi;
let calls: SuccessfulCalls;
let servers: ReturnType<typeof redisServers>;

const WRITES = ['insert', 'update', 'delete', 'findAndModify'];
/**
 * What the api remembers for some time, or notes once in a minute. Whether a call sends such a command depends on the time
 * since the calls before it.
 */
const REMEMBERED = [
  ...['sessions', 'operators', 'apiKeys', 'programTokens', 'organizations', 'clinics', 'dataKeys'],
  // The driver asks for the version of the server once.
  'buildInfo 1',
];
/** All requests together read them twice a second, so any call may send it, at any place. */
const ANY_CALL = 'find stops';
/** The commands that met the fault. */
const faulted = new Set<string>();

/** A command that a call sends to the database, as `find patients`, and its place among all commands of the call. */
type Place = { commands: readonly string[]; place: number };

/** Names a command and its collection. */
const stepOf = (name: string, command: Readonly<Record<string, unknown>>): string =>
  `${name} ${command[name]}`;

/** Of a batch, the write that met the fault tells so. */
const isUnavailable = (url: string, { status, json }: ApiResponse): boolean =>
  status === 503 ||
  (url === '/api/batch' && json.results.some((result: { status: number }) => result.status === 503));

/** Forgets the calls that were counted, because some routes may be called only a few times in an hour. */
const forgetCalls = async (): Promise<void> => {
  for (const redis of servers) {
    const keys = await redis.keys(`${api.redisPrefix}:limit:*`);
    // The keys of a cluster are deleted one by one, because they may have different slots.
    for (const key of keys) await redis.del(key);
  }
};

/** Calls a route with a fault at one of its commands, and again without it. Returns the problems. */
const problemsAt = async (
  { method, url }: { method: string; url: string },
  { commands, place }: Place,
  fault: Fault,
): Promise<string[]> => {
  const command = commands[place] ?? '';
  const where = `${method} ${url}, ${command} (${place + 1} of ${commands.length})`;
  await forgetCalls();
  const call = await calls.prepare(method, url);
  let before = commands.slice(0, place).filter((each) => each === command).length;
  let isFaulty = false;
  const removeFault = proxy.inject({
    matches(...sent) {
      isFaulty ||= stepOf(...sent) === command && before-- === 0;
      return isFaulty;
    },
    fault,
  });
  const response = await call();
  // This call may use what others have read, and send one command less than the first call, or two of a batch with two writes.
  const isLast = commands.length - place <= (url === '/api/batch' ? 3 : 1);
  const isRemembered = REMEMBERED.some((each) => command.endsWith(each));
  if (removeFault() > 0) faulted.add(command);
  else return isLast || isRemembered ? [] : [`${where}: the fault did not occur`];
  // If the last command is an update, it may only complete an audit entry, or note what a batch has written. If that fails,
  // the call still succeeds.
  const isRecorded = isLast && commands.at(-1)?.startsWith('update ') && response.status < 300;
  const during =
    isUnavailable(url, response) || isRecorded ? [] : [`${where}: ${response.status} ${response.text}`];
  // The call may have succeeded although the response was 503, so the retry may be refused.
  const after = await call();
  return after.status < 500 ? during : [...during, `${where}, again: ${after.status} ${after.text}`];
};

/**
 * Calls a route, and again with a fault at each of its commands, or at each of its writes for a `writeConcernError`.
 * Returns the problems.
 */
const problemsOf = async (route: { method: string; url: string }, fault: Fault): Promise<string[]> => {
  const { method, url } = route;
  const call = await calls.prepare(method, url);
  const commands: string[] = [];
  const stopNoting = proxy.inject({
    matches(...sent) {
      if (stepOf(...sent) !== ANY_CALL) commands.push(stepOf(...sent));
      return false;
    },
    fault,
  });
  const { status, text } = await call();
  stopNoting();
  const problems = status >= 400 ? [`${method} ${url}: ${status} ${text}`] : [];
  for (const [place, command] of commands.entries()) {
    if (fault.kind === 'writeConcernError' && !WRITES.includes(command.split(' ')[0] ?? '')) continue;
    problems.push(...(await problemsAt(route, { commands, place }, fault)));
  }
  return problems;
};

describe.each<Fault>([
  { kind: 'error', code: 6 },
  { kind: 'writeConcernError', code: 64 },
])('%o', (fault) => {
  beforeAll(async () => {
    servers = redisServers();
    proxy = await startDatabaseProxy(testEngines().mongodbUrl, { replicaSet: true });
    api = await openTestApi([], [], { passwords: quickPasswords, mongodbUrl: proxy.url });
    calls = await openSuccessfulCalls(api);
  });
  afterAll(async () => {
    for (const redis of servers) redis.disconnect();
    await api.close();
    await proxy.close();
  });

  test('every route returns 503 during the fault, never 500', async () => {
    const problems: string[] = [];
    for (const route of api.app.routeList.filter(({ method }) => method !== 'HEAD')) {
      problems.push(...(await problemsOf(route, fault)));
    }
    expect(problems).toEqual([]);
    if (fault.kind === 'error') {
      const steps = ['find sessions', 'find operators', 'find apiKeys', 'find clinics'];
      expect(steps.filter((step) => !faulted.has(step))).toEqual([]);
    }
    expect(api.logs.filter((line) => line.includes('"statusCode":500'))).toEqual([]);
  });
});
