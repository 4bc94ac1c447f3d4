import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { remedyOf } from '@chairside/client/words';
import { type Attempt, allowedNetworks, type FailureCause, failureCauses } from '@chairside/domain';
import type { ClaimedDelivery } from '@chairside/mongodb/dispatch';
import { generate } from 'selfsigned';
import { afterAll, expect, test } from 'vitest';
import { createPost } from './post.ts';
import { createSender, type Sender } from './send.ts';

/*
 * Makes each cause of a failure really happen, as far as this machine can: no cause is a fake error of a function. The
 * table has a row for each cause, and the types require a new cause to have one.
 */

const servers: Server[] = [];
const senders: Sender[] = [];
afterAll(async () => {
  await Promise.all(senders.map((sender) => sender.close()));
  for (const server of servers) server.close();
});

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
const listen = async (behave: (socket: Socket) => void): Promise<number> => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => behave(socket));
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return portOf(server);
};
/** A port on which nothing listens. */
const closedPort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  server.close();
  await once(server, 'close');
  return port;
};
const responding = (head: string) => listen((socket) => void socket.write(`${head}\r\n\r\n`));

const post = async (url: string, networks = ['127.0.0.0/8']): Promise<Attempt> => {
  const sender = createSender({ allowed: allowedNetworks(networks) });
  senders.push(sender);
  const receiver = {
    _id: 's',
    organizationId: 'o',
    clinicId: 'c',
    url,
    payload: 'full' as const,
    headers: {},
    active: true,
    activation: 1,
    consecutiveFailures: 0,
    isInTrouble: false,
    secret: `whsec_${'0'.repeat(32)}`,
  };
  const delivery = { _id: 'd', eventId: 'e', event: 'patient.created' } as ClaimedDelivery;
  return createPost(sender, () => {})(delivery, receiver, '{}');
};

type Case = { make(): Promise<Attempt>; reason: RegExp; remedy: RegExp; code?: RegExp };

const cases: Readonly<Record<FailureCause, readonly Case[]>> = {
  dns: [
    {
      // RFC 6761: no server has this name. Without a network, no name server responds.
      make: () => post('http://receiver.invalid/'),
      reason: /host name/,
      remedy: /host name/,
      code: /^(ENOTFOUND|EAI_AGAIN)$/,
    },
  ],
  connect: [
    {
      make: async () => post(`http://127.0.0.1:${await closedPort()}/`),
      reason: /refused the connection/,
      remedy: /Start the receiver/,
      code: /^ECONNREFUSED$/,
    },
  ],
  tls: [
    {
      make: async () => {
        const { createServer: createTlsServer } = await import('node:https');
        const { cert, private: key } = await generate([{ name: 'commonName', value: 'receiver.test' }]);
        const server = createTlsServer({ cert, key }).listen(0, '127.0.0.1');
        server.on('tlsClientError', () => {});
        servers.push(server);
        await once(server, 'listening');
        return post(`https://127.0.0.1:${portOf(server)}/`);
      },
      reason: /self-signed/,
      remedy: /public certification authority/,
      code: /^DEPTH_ZERO_SELF_SIGNED_CERT$/,
    },
    {
      make: async () => post(`https://127.0.0.1:${await responding('HTTP/1.1 400 Bad Request')}/`),
      reason: /does not support TLS on this port/,
      remedy: /speaks no TLS/,
      code: /^ERR_SSL_/,
    },
  ],
  timeout: [
    {
      make: async () => post(`http://127.0.0.1:${await listen(() => {})}/`),
      reason: /did not send a status line in time/,
      remedy: /respond with 2xx at once/,
    },
  ],
  reset: [
    {
      make: async () => post(`http://127.0.0.1:${await listen((socket) => socket.resetAndDestroy())}/`),
      reason: /closed the connection before/,
      remedy: /crash or a restart/,
      code: /^ECONNRESET$/,
    },
    {
      // The receiver closes the connection in an orderly way. No code names this.
      make: async () => post(`http://127.0.0.1:${await listen((socket) => void socket.end())}/`),
      reason: /closed the connection before/,
      remedy: /crash or a restart/,
    },
  ],
  status: [
    {
      make: async () => post(`http://127.0.0.1:${await responding('HTTP/1.1 401 Unauthorized')}/`),
      reason: /status 401/,
      remedy: /signature/,
    },
  ],
  redirect: [
    {
      make: async () =>
        post(
          `http://127.0.0.1:${await responding('HTTP/1.1 301 Moved\r\nlocation: https://a.example/b?c')}/`,
        ),
      reason: /301\. Redirects are not followed/,
      remedy: /Set the subscription's URL/,
    },
  ],
  blocked_address: [
    {
      make: async () => post(`http://127.0.0.1:${await closedPort()}/`, []),
      reason: /not allowed/,
      remedy: /public address/,
    },
  ],
  protocol: [
    {
      make: async () =>
        post(`http://127.0.0.1:${await listen((socket) => void socket.write('SSH-2.0-x\r\n'))}/`),
      reason: /not valid HTTP/,
      remedy: /HTTP server/,
    },
  ],
  configuration: [
    {
      // A secret or URL with which no request can be built. The api refuses such a URL.
      make: () => post('http://127.0.0.1:99999/'),
      reason: /No valid request/,
      remedy: /create it again/,
    },
  ],
};

test.concurrent.each(
  failureCauses.flatMap((cause) => cases[cause].map((each, index) => ({ cause, index, each }))),
)(
  '$cause really happens ($index), and is explained in words with what to do about it',
  async ({ cause, each: { make, reason, remedy, code } }) => {
    const attempt = await make();
    expect(attempt).toMatchObject({ outcome: 'failed', cause, reason: expect.stringMatching(reason) });
    if (attempt.outcome !== 'failed') throw new Error('the attempt succeeded');
    expect(attempt.reason).not.toMatch(/[A-Z]{4,}_|undefined/);
    if (code === undefined) expect(attempt.code).toBeUndefined();
    else expect(attempt.code).toMatch(code);
    expect(remedyOf(attempt)).toMatch(remedy);
  },
);
