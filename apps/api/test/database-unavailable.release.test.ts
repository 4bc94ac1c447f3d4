import {
  type DatabaseProxy,
  type Fault,
  quickPasswords,
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

const WRITES = ['insert', 'update', 'delete', 'findAndModify'];

/** A command that a call sends to the database, and its place among all commands of the call. */
type Place = { commands: readonly string[]; place: number };

/** Of a batch, the write that met the fault tells so. */
const isUnavailable = (url: string, { status, json }: ApiResponse): boolean =>
  status === 503 ||
  (url === '/api/batch' && json.results.some((result: { status: number }) => result.status === 503));

/** Calls a route with a fault at one of its commands, and again without it. Returns the problems. */
const problemsAt = async (
  { method, url }: { method: string; url: string },
  { commands, place }: Place,
  fault: Fault,
): Promise<string[]> => {
  const command = commands[place] ?? '';
  const where = `${method} ${url}, ${command} (${place + 1} of ${commands.length})`;
  const call = await calls.prepare(method, url);
  let seen = 0;
  const removeFault = proxy.inject({ matches: () => seen++ >= place, fault });
  const response = await call();
  // This call may use cached results, and send one command less than the first call, or two of a batch with two writes.
  const isLast = commands.length - place <= (url === '/api/batch' ? 3 : 1);
  if (removeFault() === 0) return isLast ? [] : [`${where}: the fault did not occur`];
  // If the last command is an update, it may only complete an audit entry, or note what a batch has written. If that fails,
  // the call still succeeds.
  const isRecorded = isLast && commands.at(-1) === 'update' && response.status < 300;
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
  proxy.sent.length = 0;
  const { status, text } = await call();
  const commands = [...proxy.sent];
  const problems = status >= 400 ? [`${method} ${url}: ${status} ${text}`] : [];
  for (const [place, command] of commands.entries()) {
    if (fault.kind === 'writeConcernError' && !WRITES.includes(command)) continue;
    problems.push(...(await problemsAt(route, { commands, place }, fault)));
  }
  return problems;
};

describe.each<Fault>([
  { kind: 'error', code: 6 },
  { kind: 'writeConcernError', code: 64 },
])('%o', (fault) => {
  // A new api for each kind of fault, because some routes may be called only a few times in an hour.
  beforeAll(async () => {
    proxy = await startDatabaseProxy(testEngines().mongodbUrl, { replicaSet: true });
    api = await openTestApi([], [], { passwords: quickPasswords, mongodbUrl: proxy.url });
    calls = await openSuccessfulCalls(api);
  });
  afterAll(async () => {
    await api.close();
    await proxy.close();
  });

  test('every route returns 503 during the fault, never 500', async () => {
    const problems: string[] = [];
    for (const route of api.app.routeList.filter(({ method }) => method !== 'HEAD')) {
      problems.push(...(await problemsOf(route, fault)));
    }
    expect(problems).toEqual([]);
    expect(api.logs.filter((line) => line.includes('"statusCode":500'))).toEqual([]);
  });
});
