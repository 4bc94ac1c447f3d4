import { EventEmitter, once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { verify } from '@chairside/signing';

/** A partner's server below HTTP, so that it can misbehave. */
type Behaviour = {
  /** What an attempt may be told to have ended in: an outcome or a cause. */
  ends: readonly string[];
  /** Milliseconds until an attempt is over. */
  lasts?: number;
  answer(socket: Socket): void;
};
/** The same for all, or another for each request, by its head. */
type Behaviours = Behaviour | ((head: string) => Behaviour);

/** From the beginning of an attempt to the status line, and from there to the end of the body, at most. */
const [ATTEMPT_TIMEOUT, BODY_TIMEOUT] = [5000, 1000];

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
const KIBIBYTE = 'x'.repeat(1024);
const BOMB = gzipSync(Buffer.alloc(32 * 1024 * 1024));

const drip = (socket: Socket, text: string): void => {
  const timer = setInterval(() => socket.write(text), 100);
  socket.once('close', () => clearInterval(timer));
};

const flood = (socket: Socket): void => {
  if (!socket.destroyed) socket.write(`400\r\n${KIBIBYTE}\r\n`, () => setImmediate(flood, socket));
};

const healthy: Behaviour = { ends: ['succeeded'], answer: (socket) => void socket.write(OK) };

const failing: Behaviour = {
  ends: ['status'],
  answer: (socket) => void socket.write('HTTP/1.1 500 Oops\r\ncontent-length: 0\r\n\r\n'),
};
/** How many requests there are for each one that succeeds: fewer failures in a row than would disable. */
const SUCCEEDS_EACH = 10;
let requests = 0;

const BEHAVIOURS: Readonly<Record<string, Behaviours>> = {
  healthy,
  'healthy, slow': {
    ...healthy,
    lasts: 300,
    answer: (socket) => void setTimeout(() => socket.write(OK), 300),
  },
  'healthy, closes': {
    ...healthy,
    answer: (socket) => void socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nok'),
  },
  'healthy, informs first': {
    ...healthy,
    answer: (socket) => void socket.write(`HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${OK}`),
  },
  hangs: { ends: ['timeout'], lasts: ATTEMPT_TIMEOUT, answer: () => {} },
  'drips headers': {
    ends: ['timeout'],
    lasts: ATTEMPT_TIMEOUT,
    answer(socket) {
      socket.write('HTTP/1.1 200 OK\r\nx: ');
      drip(socket, 'y');
    },
  },
  'drips body': {
    ends: ['succeeded'],
    lasts: BODY_TIMEOUT,
    answer(socket) {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n');
      drip(socket, 'y');
    },
  },
  'endless body': {
    ends: ['succeeded'],
    answer(socket) {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      flood(socket);
    },
  },
  'gzip bomb': {
    ends: ['succeeded'],
    answer(socket) {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${BOMB.length}\r\n\r\n`);
      socket.write(BOMB);
    },
  },
  'informs for ever': {
    ends: ['timeout'],
    lasts: ATTEMPT_TIMEOUT,
    answer: (socket) => drip(socket, 'HTTP/1.1 102 Processing\r\n\r\n'),
  },
  garbage: { ends: ['protocol'], answer: (socket) => void socket.end('SSH-2.0-OpenSSH_9.2\r\n') },
  resets: { ends: ['reset'], answer: (socket) => void socket.resetAndDestroy() },
  'half-open': { ends: ['reset'], answer: (socket) => void socket.end() },
  redirects: {
    ends: ['redirect'],
    answer(socket) {
      const { port } = socket.address() as AddressInfo;
      const location = `http://127.0.0.1:${port}/trap`;
      socket.write(`HTTP/1.1 307 Temporary Redirect\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`);
    },
  },
  'answers, resets': {
    ends: ['succeeded'],
    answer: (socket) =>
      void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nab', () => socket.resetAndDestroy()),
  },
  fails: failing,
  // What an operator tests says nothing of the events.
  'fails, but not tests': (head) => (/\r\nx-service-event: test\.ping\r/i.test(head) ? healthy : failing),
  'fails, recovers': () => (requests++ % SUCCEEDS_EACH === 0 ? healthy : failing),
};

/** What an attempt may end in of which the receiver saw nothing, by the names of receivers. */
const UNSEEN: Readonly<Record<string, readonly string[]>> = {
  refuses: ['connect'],
  'not allowed': ['blocked_address'],
};
export const unseenEndsOf = (name: string): readonly string[] => UNSEEN[name] ?? [];

/** A POST, as a receiver wrote it down. */
export type Seen = {
  receiver: string;
  path: string;
  deliveryId: string;
  /** When it came, in milliseconds since 1970. */
  at: number;
  /** Milliseconds from there until the attempt is over. */
  lasts: number;
  /** What the attempt may be told to have ended in. */
  ends: readonly string[];
  /** Whether all of it came. */
  isWhole: boolean;
  /** Whether its signature was right. */
  isVerified: boolean;
};

export type Receiver = { name: string; url: string; secrets: string[] };

export type Receivers = {
  list: Receiver[];
  seen: Seen[];
  /** Resolves when the next POST has arrived, or after some time. */
  nextPost(signal: AbortSignal): Promise<void>;
  /** From now on all of them answer 200. */
  mend(): void;
  close(): void;
};

/** Names of receivers that are there, answer 200 and keep to HTTP. */
export const isHealthy = (name: string): boolean => name.startsWith('healthy');

/** Tells each request of a connection: once when its head is there, once when it is complete. */
const readRequests = (
  socket: Socket,
  onHead: (head: string) => (body: Buffer, head: string) => void,
): void => {
  let data = Buffer.alloc(0);
  let onBody: ReturnType<typeof onHead> | undefined;
  socket.on('data', (chunk: Buffer) => {
    data = Buffer.concat([data, chunk]);
    const bodyAt = data.indexOf('\r\n\r\n') + 4;
    if (bodyAt < 4) return;
    const head = data.toString('latin1', 0, bodyAt);
    onBody ??= onHead(head);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (data.length < bodyAt + length) return;
    const complete = onBody;
    const body = data.subarray(bodyAt, bodyAt + length);
    data = data.subarray(bodyAt + length);
    onBody = undefined;
    complete(body, head);
  });
};

const headerIn = (head: string, name: string): string =>
  new RegExp(`\\r\\n${name}: ([^\\r]*)`, 'i').exec(head)?.[1] ?? '';

const isSigned = (body: Buffer, header: string, secret: readonly string[]): boolean => {
  try {
    verify({ body, header, secret });
    return true;
  } catch {
    return false;
  }
};

export const startReceivers = async (): Promise<Receivers> => {
  const seen: Seen[] = [];
  const list: Receiver[] = [];
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  const posts = new EventEmitter();
  let isMended = false;

  const listen = async (name: string, behaviour: Behaviours): Promise<void> => {
    const receiver: Receiver = { name, url: '', secrets: [] };
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('end', () => socket.end());
      socket.once('close', () => sockets.delete(socket));
      readRequests(socket, (first) => {
        const own = typeof behaviour === 'function' ? behaviour(first) : behaviour;
        const { ends, lasts = 0, answer } = isMended ? healthy : own;
        const deliveryId = headerIn(first, 'x-service-delivery-id');
        const path = first.split(' ')[1] ?? '';
        const post: Seen = {
          receiver: name,
          path,
          deliveryId,
          at: Date.now(),
          lasts,
          ends,
          isWhole: false,
          isVerified: false,
        };
        seen.push(post);
        posts.emit('post');
        return (body, head) => {
          post.isWhole = true;
          post.isVerified = isSigned(body, headerIn(head, 'x-service-signature'), receiver.secrets);
          answer(socket);
        };
      });
    });
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    list.push(receiver);
  };

  for (const [name, behaviour] of Object.entries(BEHAVIOURS)) await listen(name, behaviour);
  const port = new URL(list[0]?.url ?? '').port;
  // An address of the loopback network on which nobody listens; nobody else is given this port there.
  list.push({ name: 'refuses', url: `http://127.0.0.9:${port}/hook`, secrets: [] });
  list.push({ name: 'not allowed', url: `http://[::1]:${port}/hook`, secrets: [] });

  return {
    list,
    seen,
    async nextPost(signal) {
      const ending = new AbortController();
      const either = AbortSignal.any([signal, ending.signal]);
      const waits = [once(posts, 'post', { signal: either }), sleep(2000, undefined, { signal: either })];
      await Promise.race(waits).finally(() => ending.abort());
      await Promise.allSettled(waits);
      signal.throwIfAborted();
    },
    mend() {
      isMended = true;
    },
    close() {
      for (const server of servers) server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
};
