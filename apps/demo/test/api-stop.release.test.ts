import { once } from 'node:events';
import { Agent, type ClientRequest, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  basic,
  plantTreatments,
  startWholeService,
  testEngines,
  type WholeService,
} from '@chairside/test-support';
import { afterEach, beforeEach, expect, test } from 'vitest';

/** Longer than the buffers of the sockets. */
const LONG_LIST = { rows: 10_000, nameLength: 2400 };

let service: WholeService;
/** A client that keeps its connections open until the server closes them. */
let agent: Agent;
beforeEach(async () => {
  agent = new Agent({ keepAlive: true });
  service = await startWholeService(testEngines().redisUrl, { dispatcher: false });
});
afterEach(async () => {
  agent.destroy();
  await service.close();
});

/** Resolves with the exit code of the api, and with whether the api had to abort a request. */
const end = async (): Promise<{ code: number | null; hasAborted: boolean }> => ({
  code: await service.api.exited,
  hasAborted: service.api.lines.some(({ msg }) => msg === 'closing the connections of unfinished requests'),
});
const authorization = () => basic(service.practice.apiKey);
const port = () => Number(new URL(service.address).port);

/** Sends SIGTERM. Resolves when the api accepts no more connections. */
const stop = async (): Promise<void> => {
  service.api.send('SIGTERM');
  await service.api.logged(({ msg }) => msg === 'stopping');
  const refusal = async () => {
    const socket = connect(port(), '127.0.0.1');
    const [error] = await once(socket, 'connect').then(
      () => [undefined],
      (refused) => [refused],
    );
    socket.destroy();
    return error?.code;
  };
  await expect.poll(refusal).toBe('ECONNREFUSED');
};

/** Sends the headers of a POST, and waits until the api asks for the body. */
const beginPost = async (socket: Socket, body: string): Promise<void> => {
  const head = [
    'POST /api/patients HTTP/1.1',
    'Host: x',
    `Authorization: ${authorization()}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Expect: 100-continue',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const [response] = await once(socket, 'data');
  expect(String(response)).toMatch(/^HTTP\/1.1 100 /);
};

test('SIGTERM with a request in flight: responds to it, accepts no more connections, exits with 0', async () => {
  const [clinicId] = service.practice.clinicIds;
  const body = JSON.stringify({ clinicId, name: 'Slow' });
  const socket = connect(port(), '127.0.0.1');
  await beginPost(socket, body);
  await stop();
  socket.write(body);
  const [response] = await once(socket, 'data');
  expect(String(response)).toMatch(/^HTTP\/1.1 200 .*\r\nconnection: close\r\n/is);
  // The caller keeps its connection open. That must not delay the shutdown.
  expect(await end()).toEqual({ code: 0, hasAborted: false });
  const { _id } = JSON.parse(String(response).split('\r\n\r\n')[1] ?? '');
  expect((await service.practice.store.patients.find(_id))?.record.name).toBe('Slow');
  socket.destroy();
});

test('SIGTERM during the headers of a request: responds as usual and closes the connection', async () => {
  const socket = connect(port(), '127.0.0.1');
  socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'data');
  socket.write('GET /api/nothing HTTP/1.1\r\nHost: x\r\n');
  // The response shows that the api has read the incomplete headers, which were sent earlier.
  await service.call('GET', '/health/live');
  await stop();
  socket.write('\r\n');
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1.1 404 /);
  expect(JSON.parse(body)).toMatchObject({ name: 'NotFound', details: { requestId: expect.any(String) } });
  expect(await end()).toEqual({ code: 0, hasAborted: false });
});

test('SIGTERM with an unused connection: closes it at once, exits with 0', async () => {
  const socket = connect(port(), '127.0.0.1');
  await once(socket, 'connect');
  // Connections are accepted in order.
  await service.call('GET', '/health/live');
  await stop();
  expect(await end()).toEqual({ code: 0, hasAborted: false });
  socket.destroy();
});

/** A streamed list whose first bytes have arrived. The client reads no more. */
const beginList = async (): Promise<{ list: ClientRequest; first: string; rest: () => Promise<string> }> => {
  await plantTreatments(service, LONG_LIST);
  const headers = { authorization: authorization() };
  const list = request(`${service.address}/api/treatments`, { headers, agent });
  list.end();
  const [response] = await once(list, 'response');
  const [first] = await once(response, 'data');
  response.pause();
  return { list, first: String(first), rest: () => text(response) };
};

test('SIGTERM with a list in flight: sends it completely, exits with 0', async () => {
  const { first, rest } = await beginList();
  await stop();
  expect(JSON.parse(first + (await rest()))).toHaveLength(LONG_LIST.rows);
  expect(await end()).toEqual({ code: 0, hasAborted: false });
});

test('SIGTERM with a list whose client does not read: aborts it within ten seconds, exits with 0', async () => {
  const { first, rest } = await beginList();
  await stop();
  expect(await end()).toEqual({ code: 0, hasAborted: true });
  let received = first;
  const reading = rest().then((more) => {
    received += more;
  });
  await expect(reading).rejects.toThrow();
  expect(() => JSON.parse(received)).toThrow();
});
