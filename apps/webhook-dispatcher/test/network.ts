import type { Resolve } from '@chairside/network';
import { type RecordingReceiver, startRecordingReceiver } from '@chairside/test-support';

export const HOSTS = 6;
/**
 * The ports are below the ephemeral ports of the system, so that no server of another test gets a port that must stay
 * closed.
 */
const FIRST_PORT = 12_000 + (process.pid % 8_000);

const receivers: RecordingReceiver[] = [];
export const closeServers = (): void => {
  for (const receiver of receivers.splice(0)) void receiver.close();
};

const listen = async (port: number, received: string[]): Promise<number> => {
  const receiver = await startRecordingReceiver({ port });
  receiver.respond = ({ headers }, response) => {
    received.push(headers['x-service-delivery-id'] as string);
    response.end();
  };
  receivers.push(receiver);
  return Number(new URL(receiver.url).port);
};

/** Closes the open connections, because the dispatcher would reuse them. */
export const closeConnections = (): void => {
  for (const receiver of receivers) receiver.closeConnections();
};

/** Receivers, and a network that can be cut and restored. */
export type Network = {
  urls: string[];
  resolve?: Resolve;
  cut(): void;
  restore(): Promise<void>;
};

/** While the network is cut, connections to all hosts are refused. */
export const withoutWayOut = async (received: string[]): Promise<Network> => {
  const ports: number[] = [];
  for (let port = FIRST_PORT; ports.length < HOSTS; port++) {
    if (await listen(port, received).catch(() => undefined)) ports.push(port);
  }
  return {
    urls: ports.map((port) => `http://127.0.0.1:${port}/hook`),
    cut: closeServers,
    async restore() {
      for (const port of ports) await listen(port, received);
    },
  };
};

/** While the network is cut, name lookups fail temporarily. */
export const withoutDns = async (received: string[]): Promise<Network> => {
  const port = await listen(0, received);
  let isUnavailable = false;
  return {
    urls: Array.from({ length: HOSTS }, (_, host) => `http://receiver-${host}.test:${port}/hook`),
    async resolve() {
      if (isUnavailable) throw Object.assign(new Error('getaddrinfo EAI_AGAIN'), { code: 'EAI_AGAIN' });
      return [{ address: '127.0.0.1', family: 4 }];
    },
    cut() {
      isUnavailable = true;
      closeConnections();
    },
    async restore() {
      isUnavailable = false;
    },
  };
};

/**
 * While the network is cut, the only receiver is unreachable and refuses no connection, because the system opens
 * no connection to this broadcast address.
 */
export const withoutRoute = async (received: string[]): Promise<Network> => {
  const port = await listen(0, received);
  let address = '127.0.0.1';
  return {
    urls: [`http://receiver.test:${port}/hook`],
    resolve: async () => [{ address, family: 4 }],
    cut() {
      address = '127.255.255.255';
      closeConnections();
    },
    async restore() {
      address = '127.0.0.1';
    },
  };
};
