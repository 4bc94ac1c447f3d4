import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

/** The behaviour of a receiver. It writes to the socket directly, so that it can violate HTTP. */
export type Behaviour = {
  /** The outcomes or causes with which an attempt may end. */
  ends: readonly string[];
  /** Milliseconds until the attempt is over. */
  lasts?: number;
  respond(socket: Socket): void;
};
/** The same behaviour for all requests, or a function that chooses one by the request's head. */
export type Behaviours = Behaviour | ((head: string) => Behaviour);

/** The timeouts of an attempt up to the status line, and of reading the body afterwards. */
const [ATTEMPT_TIMEOUT_MS, BODY_TIMEOUT_MS] = [5000, 1000];

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

export const healthy: Behaviour = { ends: ['succeeded'], respond: (socket) => void socket.write(OK) };

const failing: Behaviour = {
  ends: ['status'],
  respond: (socket) => void socket.write('HTTP/1.1 500 Oops\r\ncontent-length: 0\r\n\r\n'),
};
/**
 * One request in this many succeeds, so that there are never enough failures in a row to disable the
 * subscription.
 */
const SUCCEEDS_EACH = 10;
let requests = 0;

export const BEHAVIOURS: Readonly<Record<string, Behaviours>> = {
  healthy,
  'healthy, slow': {
    ...healthy,
    lasts: 300,
    respond: (socket) => void setTimeout(() => socket.write(OK), 300),
  },
  'healthy, closes': {
    ...healthy,
    respond: (socket) => void socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nok'),
  },
  'healthy, informs first': {
    ...healthy,
    respond: (socket) => void socket.write(`HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${OK}`),
  },
  hangs: { ends: ['timeout'], lasts: ATTEMPT_TIMEOUT_MS, respond: () => {} },
  'drips headers': {
    ends: ['timeout'],
    lasts: ATTEMPT_TIMEOUT_MS,
    respond(socket) {
      socket.write('HTTP/1.1 200 OK\r\nx: ');
      drip(socket, 'y');
    },
  },
  'drips body': {
    ends: ['succeeded'],
    lasts: BODY_TIMEOUT_MS,
    respond(socket) {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n');
      drip(socket, 'y');
    },
  },
  'endless body': {
    ends: ['succeeded'],
    respond(socket) {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      flood(socket);
    },
  },
  'gzip bomb': {
    ends: ['succeeded'],
    respond(socket) {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${BOMB.length}\r\n\r\n`);
      socket.write(BOMB);
    },
  },
  'informs for ever': {
    // A dispatcher that was paused reads more of it at once than the headers of a response may have.
    ends: ['timeout', 'protocol'],
    lasts: ATTEMPT_TIMEOUT_MS,
    respond: (socket) => drip(socket, 'HTTP/1.1 102 Processing\r\n\r\n'),
  },
  garbage: { ends: ['protocol'], respond: (socket) => void socket.end('SSH-2.0-OpenSSH_9.2\r\n') },
  resets: { ends: ['reset'], respond: (socket) => void socket.resetAndDestroy() },
  'half-open': { ends: ['reset'], respond: (socket) => void socket.end() },
  redirects: {
    ends: ['redirect'],
    respond(socket) {
      const { port } = socket.address() as AddressInfo;
      const location = `http://127.0.0.1:${port}/trap`;
      socket.write(`HTTP/1.1 307 Temporary Redirect\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`);
    },
  },
  'answers, resets': {
    ends: ['succeeded'],
    respond: (socket) =>
      void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nab', () => socket.resetAndDestroy()),
  },
  fails: failing,
  // A test that succeeds must not reset the streak of failed events.
  'fails, but not tests': (head) => (/\r\nx-service-event: test\.ping\r/i.test(head) ? healthy : failing),
  'fails, recovers': () => (requests++ % SUCCEEDS_EACH === 0 ? healthy : failing),
};

/** The causes with which an attempt may end before the receiver sees it, by the name of the receiver. */
const UNSEEN: Readonly<Record<string, readonly string[]>> = {
  refuses: ['connect'],
  'not allowed': ['blocked_address'],
};
export const unseenEndsOf = (name: string): readonly string[] => UNSEEN[name] ?? [];

/** Whether this is the name of a healthy receiver, which always returns 200 and complies with HTTP. */
export const isHealthy = (name: string): boolean => name.startsWith('healthy');
