import { EventEmitter, once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { verify } from '@chairside/signing';
import { BEHAVIOURS, type Behaviour, type Behaviours, healthy } from './behaviours.ts';

/** A POST as a receiver recorded it. */
export type Seen = {
  receiver: string;
  path: string;
  deliveryId: string;
  /** When it arrived, in milliseconds since 1970. */
  at: number;
  /** Milliseconds from its arrival until the attempt is over. */
  lasts: number;
  /** The outcomes or causes with which the attempt may end. */
  ends: readonly string[];
  /** Whether the whole request arrived. */
  isWhole: boolean;
  /** The subscriptions whose secrets its signature matches. */
  signedBy: readonly string[];
  /** What of the record it had; undefined for a test, and if the whole request has not arrived. */
  payload: 'full' | 'ids' | 'neither' | undefined;
};

export type Receiver = {
  name: string;
  url: string;
  /** By the id of the subscription. */
  secrets: Map<string, string>;
};

export type Receivers = {
  list: Receiver[];
  seen: Seen[];
  /** Resolves when the next POST has arrived, or after two seconds. */
  nextPost(signal: AbortSignal): Promise<void>;
  /** Makes all receivers that can be reached return 200. */
  mend(): void;
  close(): void;
};

/** Calls back for each request of a connection: when its head has arrived, and when it is complete. */
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

const isSigned = (body: Buffer, header: string, secret: string): boolean => {
  try {
    verify({ body, header, secret });
    return true;
  } catch {
    return false;
  }
};

/** The fields that a webhook with ids may have. */
const ID_FIELDS = ['_id', 'clinicId', 'lastEditTime', 'patientId', 'externalId'];

const payloadOf = (body: Buffer): Seen['payload'] => {
  const { event, data } = JSON.parse(body.toString());
  if (event === 'test.ping') return undefined;
  const names = Object.keys(data);
  if (names.includes('createdTime')) return 'full';
  return names.every((name) => ID_FIELDS.includes(name)) ? 'ids' : 'neither';
};

/** The record of a POST that arrives now. */
const postAt = (receiver: string, head: string, { ends, lasts = 0 }: Behaviour): Seen => ({
  receiver,
  path: head.split(' ')[1] ?? '',
  deliveryId: headerIn(head, 'x-service-delivery-id'),
  at: Date.now(),
  lasts,
  ends,
  isWhole: false,
  signedBy: [],
  payload: undefined,
});

/** Starts a server on a free port of the loopback interface, and returns the port. */
const listen = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

export const startReceivers = async (): Promise<Receivers> => {
  const seen: Seen[] = [];
  const list: Receiver[] = [];
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  const posts = new EventEmitter();
  let isMended = false;

  const start = async (name: string, behaviour: Behaviours): Promise<void> => {
    const receiver: Receiver = { name, url: '', secrets: new Map() };
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('end', () => socket.end());
      socket.once('close', () => sockets.delete(socket));
      readRequests(socket, (first) => {
        const own = typeof behaviour === 'function' ? behaviour(first) : behaviour;
        const present = isMended ? healthy : own;
        const post = postAt(name, first, present);
        seen.push(post);
        posts.emit('post');
        return (body, head) => {
          post.isWhole = true;
          post.payload = payloadOf(body);
          const header = headerIn(head, 'x-service-signature');
          post.signedBy = [...receiver.secrets].flatMap(([id, secret]) =>
            isSigned(body, header, secret) ? [id] : [],
          );
          present.respond(socket);
        };
      });
    });
    servers.push(server);
    receiver.url = `http://127.0.0.1:${await listen(server)}/hook`;
    list.push(receiver);
  };

  for (const [name, behaviour] of Object.entries(BEHAVIOURS)) await start(name, behaviour);
  const port = new URL(list[0]?.url ?? '').port;
  // Nothing listens on this loopback address.
  list.push({ name: 'refuses', url: `http://127.0.0.9:${port}/hook`, secrets: new Map() });
  list.push({ name: 'not allowed', url: `http://[::1]:${port}/hook`, secrets: new Map() });

  return {
    list,
    seen,
    async nextPost(signal) {
      const either = AbortSignal.any([signal, AbortSignal.timeout(2000)]);
      await once(posts, 'post', { signal: either }).catch(() => {});
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
