import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Dashboard, openDashboard } from './dashboard.ts';

let dashboard: Dashboard;
let calls: ClientRequest[];
/** Responses of the api that a test holds back. */
let held: ServerResponse[];
/** The connections of the dashboard. */
let connections: Socket[];
beforeEach(async () => {
  dashboard = await openDashboard();
  calls = [];
  held = [];
  connections = [];
  dashboard.app.server.on('connection', (socket) => connections.push(socket));
});
afterEach(async () => {
  for (const call of calls) call.destroy();
  await dashboard.close();
});

/**
 * The headers of a request with the session `<organization>.<operator>.<number>`. The api of the test reads the
 * organization and the operator from this token.
 */
const session = (name: string) => ({ ...dashboard.signedIn, cookie: `chairside=${name}` });
const named = (
  received: { headers: IncomingMessage['headers'] },
  response: ServerResponse,
): ServerResponse => {
  const [organization, operator] = String(received.headers.authorization).slice('Token '.length).split('.');
  return response.setHeader('x-principal', `${organization} ${operator}`);
};

const begin = (path: string, name: string, options: { method?: string; headers?: object } = {}) => {
  const { method = 'GET', headers } = options;
  const call = request(dashboard.address + path, {
    method,
    headers: { ...session(name), ...headers },
    agent: false,
  });
  call.on('error', () => {});
  calls.push(call);
  return call;
};
const get = async (path: string, name: string): Promise<number> => {
  const [response] = await once(begin(path, name).end(), 'response');
  await text(response);
  return response.statusCode;
};
/** The sessions of one organization, whose operators the dashboard knows. */
const sessionsOf = async (organization: string, operators: number, each: number): Promise<string[]> => {
  const names = Array.from({ length: operators * each }, (_, index) =>
    [organization, `${organization}-${index % operators}`, index].join('.'),
  );
  dashboard.respond = (received, response) => void named(received, response).end('{}');
  for (const name of names) expect(await get('/api/clinics', name)).toBe(200);
  return names;
};
/** The api responds at once to the neighbour, and holds the responses to everybody else. */
const holdAllBut = (neighbour: string): void => {
  dashboard.respond = (received, response) => {
    if (named(received, response).getHeader('x-principal') === `${neighbour} ${neighbour}-0`)
      response.end('{}');
    else held.push(response);
  };
};

test('bodies that trickle in take nothing from other organizations', async () => {
  const greedy = await sessionsOf('greedy', 6, 6);
  const [neighbour = ''] = await sessionsOf('neighbour', 1, 1);
  const arrived = Promise.withResolvers<void>();
  let uploads = 0;
  dashboard.app.server.on('request', () => ++uploads === greedy.length * 22 && arrived.resolve());
  for (const name of greedy)
    for (let index = 0; index < 22; index++)
      begin('/api/patients', name, { method: 'POST', headers: { 'content-length': '9' } }).write('{');
  await arrived.promise;
  for (let index = 0; index < 20; index++) expect(await get('/api/clinics', neighbour)).toBe(200);
  // The unfinished uploads do not block requests of their own organization either.
  expect(await get('/api/clinics', greedy[0] ?? '')).toBe(200);
});

test('requests of one organization are limited by session, operator and organization, and leave room for others', async () => {
  const greedy = await sessionsOf('greedy', 6, 6);
  const [neighbour = ''] = await sessionsOf('neighbour', 1, 1);
  holdAllBut('neighbour');
  const statuses: number[] = [];
  for (const name of greedy)
    for (let index = 0; index < 3; index++)
      begin('/api/patients', name)
        .on('response', (response) => statuses.push(response.statusCode ?? 0))
        .end();
  await expect.poll(() => held.length + statuses.length).toBe(greedy.length * 3);
  expect(held).toHaveLength(42);
  expect(new Set(statuses)).toEqual(new Set([429]));
  for (let index = 0; index < 20; index++) expect(await get('/api/clinics', neighbour)).toBe(200);
  // An operator's limit applies to the requests of all sessions of the operator together.
  for (const response of held.splice(0)) response.end('{}');
  await expect.poll(() => statuses.length).toBe(greedy.length * 3);
  const own = greedy.filter((name) => name.startsWith('greedy.greedy-0.'));
  statuses.length = 0;
  for (const name of own)
    for (let index = 0; index < 6; index++)
      begin('/api/patients', name)
        .on('response', (response) => statuses.push(response.statusCode ?? 0))
        .end();
  await expect.poll(() => held.length + statuses.length).toBe(36);
  expect(held).toHaveLength(32);
});

test('organizations take turns while all connections to the api are in use', async () => {
  const organizations = ['a', 'b', 'c', 'd'];
  const names = await Promise.all(organizations.map((name) => sessionsOf(name, 2, 1)));
  const [neighbour = ''] = await sessionsOf('neighbour', 1, 1);
  dashboard.respond = (received, response) => void held.push(named(received, response));
  let arrivals = 0;
  dashboard.app.server.on('request', () => arrivals++);
  for (const [first = '', second = ''] of names)
    for (const name of [first, second])
      for (let index = 0; index < 20; index++) begin('/api/patients', name).end();
  await expect.poll(() => ({ arrivals, held: held.length })).toEqual({ arrivals: 160, held: 128 });
  const status = get('/api/clinics', neighbour);
  await expect.poll(() => arrivals).toBe(161);
  // The request reaches the queue without waiting for I/O, so one turn of the event loop is enough.
  await setImmediate();
  // At most one request of each other organization is sent before the neighbour's.
  for (const response of held.splice(0, organizations.length + 1)) response.end('{}');
  await expect
    .poll(() => held.some((each) => each.getHeader('x-principal') === 'neighbour neighbour-0'))
    .toBe(true);
  for (const response of held.splice(0)) response.end('{}');
  expect(await status).toBe(200);
});

test('bytes of bodies are limited by organization', async () => {
  const greedy = await sessionsOf('greedy', 6, 6);
  const [neighbour = ''] = await sessionsOf('neighbour', 1, 1);
  const statuses: number[] = [];
  // One byte is missing, so the bodies wait in memory.
  for (const name of greedy.slice(0, 20))
    begin('/api/patients', name, { method: 'POST', headers: { 'content-length': '262144' } })
      .on('response', (response) => statuses.push(response.statusCode ?? 0))
      .write(Buffer.alloc(262_143, ' '));
  await expect.poll(() => statuses.length).toBe(4);
  expect(new Set(statuses)).toEqual(new Set([429]));
  const upload = begin('/api/patients', neighbour, {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
  });
  const [response] = await once(upload.end('{}'), 'response');
  expect(response.statusCode).toBe(200);
  expect(response.headers).not.toHaveProperty('x-principal');
  expect(dashboard.received.at(-1)).toMatchObject({ body: '{}', headers: { 'content-type': 'text/plain' } });
});

test('bytes of bodies of all organizations together are limited', async () => {
  const organizations = Array.from({ length: 16 }, (_, index) => `organization-${index}`);
  const sessions = (await Promise.all(organizations.map((name) => sessionsOf(name, 1, 1)))).flat();
  const [neighbour = ''] = await sessionsOf('neighbour', 1, 1);
  const statusOf = async (name: string, size: number): Promise<number> => {
    const [response] = await once(
      begin('/api/patients', name, { method: 'POST' }).end(Buffer.alloc(size, ' ')),
      'response',
    );
    response.resume();
    return response.statusCode;
  };
  // One byte is missing, so the bodies wait in memory.
  const hold = (name: string) => {
    for (let index = 0; index < 16; index++)
      begin('/api/patients', name, { method: 'POST', headers: { 'content-length': '262144' } }).write(
        Buffer.alloc(262_143, ' '),
      );
  };
  const [first = '', ...others] = sessions;
  hold(first);
  await expect.poll(() => statusOf(first, 1000)).toBe(429);
  expect(await statusOf(neighbour, 1000)).toBe(200);
  others.forEach(hold);
  await expect.poll(() => statusOf(neighbour, 100_000)).toBe(503);
});

/** Disconnects callers. Resolves when the dashboard has noticed it. */
const disconnect = async (leaving: readonly ClientRequest[]): Promise<void> => {
  const closed = leaving.map(({ socket }) => {
    const connection = connections.find(({ remotePort }) => remotePort === socket?.localPort);
    if (connection === undefined) throw new Error('the dashboard does not know this connection');
    return once(connection, 'close');
  });
  for (const call of leaving) call.destroy();
  await Promise.all(closed);
};

test('a request whose caller has disconnected counts until the api has responded', async () => {
  const [name = ''] = await sessionsOf('greedy', 1, 1);
  const [neighbour = ''] = await sessionsOf('neighbour', 1, 1);
  holdAllBut('neighbour');
  const abandoned = Array.from({ length: 24 }, () => begin('/api/patients', name).end());
  await expect.poll(() => held.length).toBe(24);
  await disconnect(abandoned);
  expect(await get('/api/clinics', name)).toBe(429);
  expect(await get('/api/clinics', neighbour)).toBe(200);
  dashboard.respond = (received, response) => void named(received, response).end('{}');
  for (const response of held) response.end('{}');
  await expect.poll(() => get('/api/clinics', name)).toBe(200);
});

test.each([
  ['/api/patients', 24],
  ['/downloads/auditentries.csv', 2],
])('callers of %s who disconnect before they are admitted take no place', async (path, limit) => {
  dashboard.respond = (received, response) => void held.push(named(received, response));
  let arrivals = 0;
  dashboard.app.server.on('request', () => arrivals++);
  const abandoned = Array.from({ length: limit }, () => begin(path, 'one.operator.new').end());
  // The dashboard asks the api about 16 requests of a network at once.
  await expect
    .poll(() => ({ arrivals, held: held.length }))
    .toEqual({ arrivals: limit, held: Math.min(limit, 16) });
  await disconnect(abandoned);
  // The dashboard learns now whose session it is.
  dashboard.respond = (received, response) => void named(received, response).end('[]');
  for (const response of held) response.end('[]');
  await expect.poll(() => get(path, 'one.operator.new')).toBe(200);
});

test('bytes of bodies are free when the api fails after the callers have disconnected', async () => {
  const names = await sessionsOf('one', 1, 1);
  const [name = ''] = names;
  dashboard.respond = (received, response) => void held.push(named(received, response));
  const headers = { 'content-length': '262144' };
  const abandoned = Array.from({ length: 16 }, () =>
    begin('/api/patients', name, { method: 'POST', headers }).end(Buffer.alloc(262_144, ' ')),
  );
  await expect.poll(() => held.length).toBe(16);
  await disconnect(abandoned);
  for (const response of held) response.destroy();
  dashboard.respond = (received, response) => void named(received, response).end('{}');
  const status = async (): Promise<number> => {
    const [response] = await once(begin('/api/patients', name, { method: 'POST' }).end('{}'), 'response');
    response.resume();
    return response.statusCode;
  };
  await expect.poll(status).toBe(200);
});

test('downloads are limited by session and organization, and a slow reader holds one page', async () => {
  const greedy = await sessionsOf('greedy', 6, 1);
  const [neighbour = ''] = await sessionsOf('neighbour', 1, 1);
  const row = {
    _id: 'e',
    time: '',
    action: 'read',
    principal: { kind: 'operator', id: 'o' },
    kind: 'patient',
    ids: [],
  };
  const page = JSON.stringify(Array.from({ length: 1000 }, () => row));
  let pages = 0;
  dashboard.respond = (received, response) => {
    const isNeighbour = named(received, response).getHeader('x-principal') === 'neighbour neighbour-0';
    if (!isNeighbour) response.setHeader('x-next-cursor', String(++pages));
    response.end(page);
  };
  const open = async (name: string): Promise<IncomingMessage> => {
    const [response] = await once(begin('/downloads/auditentries.csv', name).end(), 'response');
    return response;
  };
  const statusesOf = async (names: readonly string[]) =>
    (await Promise.all(names.map(open))).map(({ statusCode }) => statusCode).sort();
  const [first = '', ...others] = greedy;
  expect(await statusesOf([first, first, first])).toEqual([200, 200, 429]);
  expect(await statusesOf([...others, ...others])).toEqual([...Array(6).fill(200), ...Array(4).fill(429)]);
  const whole = await open(neighbour);
  expect((await text(whole)).split('\r\n')).toHaveLength(1002);
});

test('two pages of one organization are read at once for downloads, and those of others meanwhile', async () => {
  const greedy = await sessionsOf('greedy', 3, 1);
  const [neighbour = ''] = await sessionsOf('neighbour', 1, 1);
  dashboard.respond = (received, response) => void held.push(named(received, response));
  let arrivals = 0;
  dashboard.app.server.on('request', () => arrivals++);
  for (const name of greedy) begin('/downloads/auditentries.csv', name).end();
  await expect.poll(() => ({ arrivals, held: held.length })).toEqual({ arrivals: 3, held: 2 });
  begin('/downloads/auditentries.csv', neighbour).end();
  await expect.poll(() => held.length).toBe(3);
  const organizations = held.map((each) => String(each.getHeader('x-principal')).split(' ')[0]);
  expect(organizations.toSorted()).toEqual(['greedy', 'greedy', 'neighbour']);
});

test('sessions that the dashboard sees for the first time count for their organization', async () => {
  dashboard.respond = (received, response) => {
    if (received.url === '/api/sessions/current') named(received, response).end('{}');
    else held.push(named(received, response));
  };
  const statuses: number[] = [];
  // Twelve sessions of six operators, each with the requests that one session may have.
  for (let session = 0; session < 12; session++)
    for (let index = 0; index < 24; index++)
      begin('/api/patients', `fresh.fresh-${session % 6}.${session}`)
        .on('response', (response) => statuses.push(response.statusCode ?? 0))
        .end();
  await expect.poll(() => held.length + statuses.length).toBe(12 * 24);
  expect(held).toHaveLength(42);
  expect(new Set(statuses)).toEqual(new Set([429]));
});

test('a request with an invented cookie is refused before its body is read', async () => {
  dashboard.respond = (_received, response) => void response.writeHead(401).end('{}');
  const call = begin('/api/patients', 'invented', {
    method: 'POST',
    headers: { 'content-length': '200000' },
  });
  call.write('{');
  const [response] = await once(call, 'response');
  expect(response.statusCode).toBe(401);
  expect(String(response.headers['set-cookie'])).toContain('Expires=Thu, 01 Jan 1970');
});
