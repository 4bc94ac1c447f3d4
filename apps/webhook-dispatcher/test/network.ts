import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Resolve } from '../src/connect.ts';

export const HOSTS = 6;
/** Below the ports that a system gives out by itself: a server of another test must not get one that is to be closed. */
const FIRST_PORT = 12_000 + (process.pid % 8_000);

const servers: Server[] = [];
export const closeServers = (): void => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
};

const listen = async (port: number, received: string[]): Promise<number> => {
  const server = createServer((request, response) => {
    received.push(request.headers['x-service-delivery-id'] as string);
    request.resume().on('end', () => response.end());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  return (server.address() as AddressInfo).port;
};

/** A network that is cut off until it is restored. */
export type Network = { urls: string[]; resolve?: Resolve; restore(): Promise<void> };

/** Nobody listens on any of the hosts. */
export const withoutWayOut = async (received: string[]): Promise<Network> => {
  const ports: number[] = [];
  for (let port = FIRST_PORT; ports.length < HOSTS; port++) {
    if (await listen(port, []).catch(() => undefined)) ports.push(port);
  }
  for (const server of servers.splice(0)) server.close();
  return {
    urls: ports.map((port) => `http://127.0.0.1:${port}/hook`),
    async restore() {
      for (const port of ports) await listen(port, received);
    },
  };
};

/** The name server answers nothing but that it cannot answer. */
export const withoutDns = async (received: string[]): Promise<Network> => {
  const port = await listen(0, received);
  let isAway = true;
  return {
    urls: Array.from({ length: HOSTS }, (_, host) => `http://receiver-${host}.test:${port}/hook`),
    async resolve() {
      if (isAway) throw Object.assign(new Error('getaddrinfo EAI_AGAIN'), { code: 'EAI_AGAIN' });
      return [{ address: '127.0.0.1', family: 4 }];
    },
    async restore() {
      isAway = false;
    },
  };
};
