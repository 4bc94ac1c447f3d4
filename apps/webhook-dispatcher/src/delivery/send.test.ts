import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { setImmediate as nextRound } from 'node:timers/promises';
import { type Attempt, allowedNetworks } from '@chairside/domain';
import { afterAll, afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { createSender } from './send.ts';

const loopback = createSender({ allowed: allowedNetworks(['127.0.0.0/8']) });
const strict = createSender({ allowed: allowedNetworks([]) });
const servers: Server[] = [];
const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});
afterAll(() => Promise.all([loopback.close(), strict.close()]));

type Peer = { url: string; connections: number; received: string; closed: Promise<unknown>[] };

/** A TCP server that can violate HTTP. It calls `behave` with the text of each request whose body has arrived. */
const startPeer = async (behave: (socket: Socket, text: string) => void): Promise<Peer> => {
  const peer: Peer = { url: '', connections: 0, received: '', closed: [] };
  const server = createServer((socket) => {
    peer.connections++;
    sockets.add(socket);
    peer.closed.push(new Promise((resolve) => socket.once('close', resolve)));
    socket.on('error', () => {});
    let text = '';
    socket.on('data', (data) => {
      text += data;
      peer.received += data;
      if (!text.endsWith('{"a":1}')) return;
      behave(socket, text);
      text = '';
    });
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  peer.url = `http://127.0.0.1:${address.port}/hook?x=1`;
  return peer;
};

const send = (url: string, sender = loopback): Promise<Attempt> =>
  sender.send({
    url,
    body: '{"a":1}',
    headers: { 'content-type': 'application/json', 'x-service-event': 'e' },
  });

const responding = (head: string) => (socket: Socket) => void socket.write(head);

test('POSTs the body and the given headers, and adds no header that identifies the client', async () => {
  const peer = await startPeer(responding('HTTP/1.1 204 No Content\r\n\r\n'));
  expect(await send(peer.url)).toEqual({
    outcome: 'succeeded',
    statusCode: 204,
    address: '127.0.0.1',
    attemptTime: expect.any(Date),
    duration: expect.any(Number),
    timings: { lookup: expect.any(Number), connect: expect.any(Number), firstByte: expect.any(Number) },
    url: peer.url,
    responseHeaders: {},
  });
  expect(peer.received.split('\r\n').filter((line) => !line.startsWith('host'))).toEqual([
    'POST /hook?x=1 HTTP/1.1',
    'connection: keep-alive',
    'content-type: application/json',
    'x-service-event: e',
    'content-length: 7',
    '',
    '{"a":1}',
  ]);
});

test.each([
  ['status', 'HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n', 400],
  ['status', 'HTTP/1.1 503 Unavailable\r\ncontent-length: 0\r\n\r\n', 503],
  ['redirect', 'HTTP/1.1 307 Moved\r\nlocation: http://127.0.0.1:9/\r\ncontent-length: 0\r\n\r\n', 307],
  ['redirect', 'HTTP/1.1 304 Not Modified\r\n\r\n', 304],
  ['protocol', 'SSH-2.0-OpenSSH_9.2\r\n', undefined],
  ['protocol', 'HTTP/1.1 200 OK\r\nbad header\r\n\r\n', undefined],
  ['protocol', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, undefined],
  ['protocol', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n', undefined],
])('%s: a response that begins with %j', async (cause, head, statusCode) => {
  const peer = await startPeer(responding(head));
  const attempt = await send(peer.url);
  expect(attempt).toMatchObject({ outcome: 'failed', cause, reason: expect.stringMatching(/^The .*\.$/) });
  expect(JSON.stringify(attempt)).not.toMatch(/OpenSSH|bad header|yyy/);
  expect(attempt.statusCode).toBe(statusCode);
  expect(peer.connections).toBe(1);
});

/** Writes the parts one after the other, each when the one before has left and the receiver could read it. */
const inParts = async (socket: Socket, parts: readonly string[]): Promise<void> => {
  for (const part of parts) {
    await new Promise<void>((resolve) => {
      socket.write(part, () => setImmediate(resolve));
    });
  }
};

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const FINAL = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

// RFC 9110, 15.2: a client must be able to parse informational responses, even if it does not expect one.
test.each<[responses: string, parts: readonly string[]]>([
  ['100 with the final response', [CONTINUE + FINAL]],
  ['100 before the final response', [CONTINUE, FINAL]],
  ['100 in single bytes', [...CONTINUE, FINAL]],
  ['100 that ends within the final response', [`${CONTINUE}HTT`, FINAL.slice(3)]],
  ['many of 100', [...Array.from({ length: 50 }, () => CONTINUE), FINAL]],
  [
    '100 with fields',
    [`HTTP/1.1 100 Continue\r\ncontent-length: 3\r\nx: ${'y'.repeat(9000)}\r\n\r\n`, FINAL],
  ],
  ['100 without a reason', ['HTTP/1.1 100 \r\n\r\n', FINAL]],
  [
    'all of them',
    [CONTINUE, ...['102', '103', '104', '199'].map((code) => `HTTP/1.1 ${code} x\r\nlink: x\r\n\r\n`), FINAL],
  ],
  ['100 after 103', ['HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n', CONTINUE, FINAL]],
])('waits for the final response after informational ones: %s', async (_responses, parts) => {
  const peer = await startPeer((socket) => void inParts(socket, parts));
  for (let round = 0; round < 3; round++) {
    expect(await send(peer.url)).toMatchObject({
      outcome: 'succeeded',
      statusCode: 200,
      responseBody: 'ok',
    });
  }
  expect(peer.connections).toBe(1);
});

test('waits for the final response after a 100 that comes before the body has been sent', async () => {
  const body = 'x'.repeat(3_000_000);
  const peer = await startPeer(() => {});
  servers
    .at(-1)
    ?.removeAllListeners('connection')
    .on('connection', (socket: Socket) => {
      let length = 0;
      sockets.add(socket.once('data', () => socket.write(CONTINUE)));
      socket.on('data', (data) => {
        length += data.length;
        if (length > body.length) socket.write(FINAL);
      });
    });
  expect(await loopback.send({ url: peer.url, headers: {}, body })).toMatchObject({ statusCode: 200 });
});

test('a receiver that sends only informational responses has failed', async () => {
  const closes = await startPeer((socket) => void socket.end(CONTINUE));
  expect(await send(closes.url)).toMatchObject({ outcome: 'failed', cause: 'reset' });
});

/** Sends the same again and again, for as long as the other side reads. */
const flood = (socket: Socket, part: string): void => {
  while (!socket.destroyed && socket.write(part));
  socket.once('drain', () => flood(socket, part));
};

test.each([
  ['informational responses', CONTINUE.repeat(1000)],
  ['long fields of informational responses', `HTTP/1.1 103 x\r\nx: ${'y'.repeat(15_000)}\r\n\r\n`],
  ['empty lines', '\r\n'.repeat(30_000)],
])('a receiver that sends endless %s before its response has failed', async (_what, part) => {
  const peer = await startPeer((socket) => flood(socket, part));
  expect(await send(peer.url)).toMatchObject({ outcome: 'failed', cause: 'protocol' });
  await Promise.all(peer.closed);
});

test('reads no more than 256 KiB of a response, and keeps of its buffers only the beginning of the body', async () => {
  const peer = await startPeer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
    flood(socket, `1;${'y'.repeat(15_000)}\r\nx\r\n`);
  });
  const { outcome, responseBody = '', responseBodyTruncated } = await send(peer.url);
  expect({ outcome, responseBodyTruncated }).toEqual({ outcome: 'succeeded', responseBodyTruncated: true });
  expect(responseBody.length).toBeLessThan(100);
});

test('what is read from a connection counts for each attempt', async () => {
  const fields = `x: ${'y'.repeat(15_000)}\r\n`;
  const peer = await startPeer(
    (socket) => void socket.write(`HTTP/1.1 200 OK\r\n${fields}content-length: 2\r\n\r\nok`),
  );
  for (let attempt = 0; attempt < 30; attempt++)
    expect(await send(peer.url)).toMatchObject({ outcome: 'succeeded', responseBody: 'ok' });
  expect(peer.connections).toBe(1);
});

test('reset: a connection that closes before the response fails the attempt without a retry', async () => {
  const peer = await startPeer((socket) => socket.resetAndDestroy());
  expect(await send(peer.url)).toMatchObject({
    outcome: 'failed',
    cause: 'reset',
    code: 'ECONNRESET',
    address: '127.0.0.1',
  });
  expect(peer.connections).toBe(1);
});

test('decides the outcome by the status line alone', async () => {
  const resets = await startPeer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nab', () => socket.resetAndDestroy());
  });
  expect(await send(resets.url)).toMatchObject({ outcome: 'succeeded' });

  const endless = await startPeer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
    const more = () => {
      if (!socket.destroyed) socket.write(`1000\r\n${'x'.repeat(4096)}\r\n`, () => setImmediate(more));
    };
    more();
  });
  expect(await send(endless.url)).toMatchObject({ outcome: 'succeeded' });
  await endless.closed[0];

  const drips = await startPeer(responding('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\na'));
  expect(await send(drips.url)).toMatchObject({ outcome: 'succeeded' });
  await drips.closed[0];
});

test('keeps the body as text, up to four KiB and one second', async () => {
  const short = await startPeer(responding('HTTP/1.1 500 Oops\r\ncontent-length: 9\r\n\r\nno\x1b[1m\r\nx'));
  const whole = await send(short.url);
  expect(whole).toMatchObject({ statusCode: 500, responseBody: 'no[1m x' });
  expect(whole).not.toHaveProperty('responseBodyTruncated');

  const long = await startPeer(
    responding(`HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\n${'x'.repeat(9000)}`),
  );
  expect(await send(long.url)).toMatchObject({
    outcome: 'succeeded',
    responseBody: 'x'.repeat(4096),
    responseBodyTruncated: true,
  });
  await long.closed[0];

  const drips = await startPeer(responding('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nfirst'));
  const began = performance.now();
  const attempt = await send(drips.url);
  const wholeMs = performance.now() - began;
  expect(attempt).toMatchObject({
    outcome: 'succeeded',
    responseBody: 'first',
    responseBodyTruncated: true,
  });
  // The time that reading the body takes is not part of the duration.
  expect(wholeMs - attempt.duration).toBeGreaterThan(990);
});

test('reads no body after stopReading, neither of attempts in flight nor of later ones', async () => {
  const sender = createSender({ allowed: allowedNetworks(['127.0.0.0/8']) });
  let release = () => {};
  const started = new Promise<void>((resolve) => {
    release = resolve;
  });
  const drips = await startPeer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nfirst', () => setImmediate(release));
  });
  const first = send(drips.url, sender);
  await started;
  sender.stopReading();
  // No timer fires. Without stopReading, the attempts would read until a second has passed.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  expect(await Promise.all([first, send(drips.url, sender)])).toMatchObject([
    { outcome: 'succeeded' },
    { outcome: 'succeeded' },
  ]);
  await sender.close();
});

test('reports the milliseconds of each phase; a reused socket has only one phase', async () => {
  let heldMs = 0;
  const peer = await startPeer(async (socket) => {
    const receivedAt = performance.now();
    await nextRound();
    heldMs = performance.now() - receivedAt;
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
  });
  for (const phases of [['lookup', 'connect', 'firstByte'], ['firstByte']]) {
    const { timings, duration } = await send(peer.url);
    expect(Object.keys(timings)).toEqual(phases);
    // Milliseconds with one decimal.
    expect(timings.firstByte).toBeGreaterThanOrEqual(heldMs - 0.1);
    const sum = Object.values(timings).reduce((total, each) => total + each, 0);
    expect(sum).toBeLessThanOrEqual(duration + 0.5);
  }
  const lost = await send('https://nothing.invalid/');
  expect(Object.keys(lost.timings)).toEqual(['lookup']);
});

test('times out after five seconds in any phase, closes the connection and sends nothing afterwards', async () => {
  const silent = await startPeer(() => {});
  const drips = await startPeer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nx: ');
    const timer = setInterval(() => socket.write('y'), 100);
    socket.on('close', () => clearInterval(timer));
  });
  const informs = await startPeer((socket) => {
    const timer = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 100);
    socket.on('close', () => clearInterval(timer));
  });
  const peers = [silent, drips, informs];
  const handshake = await startPeer(() => {});
  const [inTls, ...attempts] = await Promise.all([
    send(handshake.url.replace('http:', 'https:')),
    ...peers.map(({ url }) => send(url)),
  ]);
  expect(inTls).toMatchObject({
    cause: 'timeout',
    reason: expect.stringContaining('TLS handshake'),
    address: '127.0.0.1',
  });
  for (const attempt of attempts) expect(attempt).toMatchObject({ outcome: 'failed', cause: 'timeout' });
  await Promise.all(peers.flatMap(({ closed }) => closed));
  expect(peers.map(({ connections }) => connections)).toEqual([1, 1, 1]);
});

test('reuses a socket', async () => {
  const peer = await startPeer(responding('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'));
  for (let round = 0; round < 5; round++) expect((await send(peer.url)).outcome).toBe('succeeded');
  expect(peer.connections).toBe(1);
});

test('does not reuse a socket that closes after its response', async () => {
  const closes = await startPeer((socket) =>
    socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok'),
  );
  const old = await startPeer((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nok'));
  for (const { url } of [closes, old]) {
    for (let round = 0; round < 10; round++) {
      expect(await send(url)).toMatchObject({ outcome: 'succeeded', responseBody: 'ok' });
    }
  }
  expect([closes.connections, old.connections]).toEqual([10, 10]);
});

test('gives each concurrent attempt a connection of its own', async () => {
  const waiting: Socket[] = [];
  const peer = await startPeer((socket) => {
    waiting.push(socket);
    if (waiting.length < 10) return;
    for (const each of waiting) each.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
  });
  const attempts = await Promise.all(Array.from({ length: 10 }, () => send(peer.url)));
  expect(attempts.every(({ outcome }) => outcome === 'succeeded')).toBe(true);
  expect(peer.connections).toBe(10);
});

test('connect: no server listens on the port', async () => {
  const peer = await startPeer(() => {});
  servers.pop()?.close();
  expect(await send(peer.url)).toMatchObject({
    outcome: 'failed',
    cause: 'connect',
    reason: expect.stringContaining('refused the connection'),
    code: 'ECONNREFUSED',
    address: '127.0.0.1',
  });
});

test('dns: the name does not exist', async () => {
  expect(await send('https://nothing.invalid/')).toMatchObject({ outcome: 'failed', cause: 'dns' });
});

test('tls: the server does not support TLS', async () => {
  const server = createServer(
    (socket) => void socket.on('error', () => {}).end('HTTP/1.1 400 Bad Request\r\n\r\n'),
  );
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  expect(await send(`https://127.0.0.1:${port}/`)).toMatchObject({
    outcome: 'failed',
    cause: 'tls',
    reason: 'The receiver does not support TLS on this port.',
    address: '127.0.0.1',
  });
});

test.each(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0x7f.1'])(
  'blocked_address: opens no connection to %s',
  async (host) => {
    const peer = await startPeer(() => {});
    const { port } = new URL(peer.url);
    for (const protocol of ['http', 'https']) {
      const attempt = await send(`${protocol}://${host}:${port}/`, strict);
      expect(attempt).toMatchObject({ outcome: 'failed', cause: 'blocked_address' });
      expect(attempt).not.toHaveProperty('address');
    }
    expect(peer.connections).toBe(0);
  },
);

test('ignores the proxy settings of the environment', async () => {
  const proxy = await startPeer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
  const receiver = await startPeer((socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'));
  const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];
  for (const name of names) vi.stubEnv(name, name === 'NODE_USE_ENV_PROXY' ? '1' : new URL(proxy.url).origin);
  const sender = createSender({ allowed: allowedNetworks(['127.0.0.0/8']) });
  try {
    expect(await send(receiver.url, sender)).toMatchObject({ outcome: 'succeeded', statusCode: 204 });
    expect(proxy.connections).toBe(0);
  } finally {
    vi.unstubAllEnvs();
    await sender.close();
  }
});
