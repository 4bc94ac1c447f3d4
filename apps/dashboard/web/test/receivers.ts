import { once } from 'node:events';
import { createServer as createHttp } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';

/** A receiver that fails, with the cause that its deliveries show and a part of the remedy that the page shows. */
export type Failing = { name: string; url: string; cause: string; hint: string };

const portOf = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

/** Receivers that fail in ten ways. */
export const openFailingReceivers = async (): Promise<{ all: Failing[]; close(): void }> => {
  const http = createHttp((request, response) => {
    request.resume();
    switch (request.url) {
      case '/hangs':
        return;
      case '/resets':
        return void request.socket.destroy();
      case '/moves':
        return void response.writeHead(302, { location: '/' }).end();
      case '/refuses':
        return void response.writeHead(401).end('who are you?');
      case '/hostile':
        return void response.writeHead(500).end(`<img src=x onerror="alert(1)">${'<script>'.repeat(500)}`);
      default:
        return void response.writeHead(410).end();
    }
  });
  const garbage = createServer((socket) => {
    // A probe of the dispatcher resets the connection.
    socket.on('error', () => {});
    socket.end('SSH-2.0-OpenSSH\r\n');
  });
  const closed = createServer();
  const [httpPort, garbagePort, closedPort] = [
    await portOf(http),
    await portOf(garbage),
    await portOf(closed),
  ];
  closed.close();
  const base = `http://127.0.0.1:${httpPort}`;
  return {
    all: [
      { name: 'no such name', url: 'http://receiver.invalid/', cause: 'host name', hint: 'DNS' },
      {
        name: 'nobody listens',
        url: `http://127.0.0.1:${closedPort}/`,
        cause: 'refused',
        hint: 'Start the receiver',
      },
      {
        name: 'no TLS',
        url: `https://127.0.0.1:${httpPort}/`,
        cause: 'TLS',
        hint: 'speaks no TLS',
      },
      { name: 'hangs', url: `${base}/hangs`, cause: 'in time', hint: 'respond with 2xx at once' },
      { name: 'resets', url: `${base}/resets`, cause: 'closed the connection', hint: 'crash' },
      {
        name: 'redirects',
        url: `${base}/moves`,
        cause: 'not followed',
        hint: 'target of the redirect',
      },
      { name: 'refuses', url: `${base}/refuses`, cause: 'status 401', hint: 'signature' },
      { name: 'hostile', url: `${base}/hostile`, cause: 'status 500', hint: "receiver's log" },
      { name: 'gone', url: `${base}/gone`, cause: 'status 410', hint: 'path' },
      {
        name: 'speaks SSH',
        url: `http://127.0.0.1:${garbagePort}/`,
        cause: 'not valid HTTP',
        hint: 'HTTP server',
      },
    ],
    close() {
      http.closeAllConnections();
      http.close();
      garbage.close();
    },
  };
};
