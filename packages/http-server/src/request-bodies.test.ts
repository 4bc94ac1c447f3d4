import { once } from 'node:events';
import { request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { boundedBodies } from './request-bodies.ts';

const BOUNDS = {
  max: 8192,
  ofStranger: { max: 4096, id: 'stranger' },
  maxOfOrganization: 10_000,
  maxOfProcess: 15_000,
  ids: { body: 'body', ofOrganization: 'organization', ofProcess: 'process' },
};

let app: FastifyInstance;
let respond: PromiseWithResolvers<void>;
/** Resolves with the connection of the first request that is being handled. */
let arrived: PromiseWithResolvers<Socket>;
beforeEach(async () => {
  respond = Promise.withResolvers();
  arrived = Promise.withResolvers();
  app = Fastify();
  app.setErrorHandler((error: Error & { limit?: string }, _request, reply) =>
    reply.status(400).send({ name: error.name, limit: error.limit }),
  );
  const read = boundedBodies(app, BOUNDS, ({ headers }) => headers.organization as string | undefined);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', read);
  app.post('/', async ({ body, raw }) => {
    arrived.resolve(raw.socket);
    if ((body as Buffer).length > 100) await respond.promise;
    return { text: String(body) };
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(async () => {
  respond.resolve();
  await app.close();
});

const open = (organization: string | undefined, headers: Record<string, string> = {}) =>
  request({
    host: '127.0.0.1',
    port: (app.server.address() as AddressInfo).port,
    method: 'POST',
    agent: false,
    headers: {
      'content-type': 'text/plain',
      ...(organization !== undefined && { organization }),
      ...headers,
    },
  });
const send = async (organization: string | undefined, body: string) => {
  const call = open(organization);
  call.on('error', () => {});
  call.end(body);
  const [response] = await once(call, 'response');
  let text = '';
  for await (const part of response) text += part;
  return JSON.parse(text);
};

test('reads a body that arrives byte by byte', async () => {
  const call = open('a');
  call.setNoDelay(true);
  for (const character of 'hello') {
    call.write(character);
    await new Promise((resolve) => setImmediate(resolve));
  }
  call.end();
  const [response] = await once(call, 'response');
  let text = '';
  for await (const part of response) text += part;
  expect(JSON.parse(text)).toEqual({ text: 'hello' });
});

test('bounds one body, the bodies of an organization, those of all, and that of a stranger', async () => {
  expect(await send('a', 'x'.repeat(8193))).toEqual({ name: 'PayloadTooLarge', limit: 'body' });
  expect(await send(undefined, 'x'.repeat(4097))).toEqual({ name: 'PayloadTooLarge', limit: 'stranger' });
  const waiting = [send('a', 'x'.repeat(8000)), send('b', 'x'.repeat(6000))];
  await expect
    .poll(() => send('a', 'x'.repeat(2500)))
    .toEqual({ name: 'TooManyRequests', limit: 'organization' });
  await expect
    .poll(() => send('c', 'x'.repeat(1500)))
    .toEqual({ name: 'ServiceUnavailable', limit: 'process' });
  respond.resolve();
  await Promise.all(waiting);
  // The bytes are free again.
  expect(await send('a', 'x'.repeat(8000))).toEqual({ text: 'x'.repeat(8000) });
});

test('counts the body of a caller who has disconnected until the request has been handled', async () => {
  const gone = open('a');
  gone.on('error', () => {});
  gone.end('x'.repeat(8000));
  const closed = once(await arrived.promise, 'close');
  gone.destroy();
  await closed;
  expect(await send('a', 'x'.repeat(2500))).toEqual({ name: 'TooManyRequests', limit: 'organization' });
  respond.resolve();
  await expect.poll(() => send('a', 'x'.repeat(2500))).toEqual({ text: 'x'.repeat(2500) });
});

test('refuses a body in many small parts, and ends its connection', async () => {
  const sendIn = async (parts: number, bytes: number) => {
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    const head =
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\norganization: a\r\n\r\n';
    const chunk = `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`;
    socket.write(`${head}${chunk.repeat(parts)}0\r\n\r\n`);
    const [data] = await once(socket, 'data');
    return { socket, text: String(data) };
  };
  respond.resolve();
  const accepted = await sendIn(1000, 1);
  expect(accepted.text).toMatch(/^HTTP\/1.1 200 /);
  accepted.socket.destroy();
  const { socket, text } = await sendIn(2000, 1);
  expect(text).toMatch(/^HTTP\/1.1 400 /);
  expect(text).toContain('"limit":"body_parts"');
  if (!socket.closed) await once(socket, 'close');
});
